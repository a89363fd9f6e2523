"""Several annotators: their confusion matrices and the true labels, by EM (Dawid & Skene 1979).

The model: the true label of an example is j with probability ``p[j]``, and annotator a then says i
with probability ``pi_a[i, j]``, independently of the others and of the features. People who gave
few labels are taken to be like the average: the matrix of an annotator has a Dirichlet prior around
the pooled matrix, worth ``strength`` labels in each column.
"""

from dataclasses import dataclass

import numpy as np

from ncbench.data import UNKNOWN, Annotations
from ncbench.types import Array, Labels

_MAX_STEPS = 200
_TOLERANCE = 1e-6
_SMOOTHING = 0.01


@dataclass(frozen=True)
class Crowd:
    """What EM found out about annotators and examples.

    Attributes
    ----------
    posterior : array of shape (m, n)
        P(true label | labels given), for each example. Examples without labels have the prior.
    prior : array of shape (n,) or (m, n)
        The frequencies of the true labels, or the prior of each example.
    pooled : array of shape (n, n)
        P(label | true label) of a label drawn from all that were given: column stochastic.
    matrices : array of shape (annotators, n, n)
        The same for each annotator.
    """

    posterior: Array
    prior: Array
    pooled: Array
    matrices: Array

    @property
    def labels(self) -> Labels:
        """The most probable true label of each example."""
        return np.asarray(self.posterior.argmax(axis=1), dtype=np.int64)

    def labels_given(self, given: Annotations) -> Labels:
        """Return the most probable label of each example among those that people gave to it.

        EM may find a class that nobody named more probable, or that a class does not exist.
        """
        named = np.zeros(self.posterior.shape, dtype=bool)
        named[given.rows, given.labels] = True
        named[~named.any(axis=1)] = True
        return np.asarray(np.where(named, self.posterior, -1.0).argmax(axis=1), dtype=np.int64)

    def accuracy(self, given: Annotations) -> Array:
        """Return the expected share of right labels of each annotator; NaN without labels."""
        right = self.posterior[given.rows, given.labels]
        count = np.bincount(given.annotators, minlength=len(given.names))
        total = np.bincount(given.annotators, weights=right, minlength=len(given.names))
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def dawid_skene(
    given: Annotations,
    m: int,
    n: int,
    strength: float = 10.0,
    checked: Labels | None = None,
    prior: Array | None = None,
) -> Crowd:
    """Fit the model of Dawid and Skene by EM.

    Parameters
    ----------
    given : Annotations
    m, n : int
        Number of examples and of classes.
    strength : float
        Weight of the prior, in labels: how many labels of a class make an annotator's own matrix
        count as much as the pooled one.
    checked : array of shape (m,), optional
        True labels that are known, or ``UNKNOWN``. They are certain in every step.
    prior : array of shape (m, n), optional
        Probabilities of the true label of each example without the labels given, such as those of
        a classifier that has not seen them (Raykar et al. 2010); by default the frequencies of the
        true labels, which EM estimates.

    Examples
    --------
    Three people are wrong in 10%, 20% and 30% of the cases. From their labels alone:

    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(2, size=4000)
    >>> wrong = rng.random((4000, 3)) < [0.1, 0.2, 0.3]
    >>> rows, people = np.divmod(np.arange(12000), 3)
    >>> given = Annotations(rows, people, (truth[:, None] ^ wrong).ravel(), ("a", "b", "c"))
    >>> [round(float(np.diagonal(pi).mean()), 1) for pi in dawid_skene(given, 4000, 2).matrices]
    [0.9, 0.8, 0.7]
    """
    people = len(given.names)
    said = np.eye(n)[given.labels]
    votes = np.zeros((m, n))
    np.add.at(votes, given.rows, said)
    # Start from the share of votes for each class.
    Q = (votes + 1 / n) / (votes.sum(axis=1, keepdims=True) + 1)
    known = np.zeros(m, dtype=bool) if checked is None else checked != UNKNOWN
    certain = np.eye(n)[[] if checked is None else checked[known]]
    Q[known] = certain
    for _ in range(_MAX_STEPS):
        frequencies = Q.mean(axis=0) if prior is None else prior
        counts = np.zeros((people, n, n))
        np.add.at(counts, (given.annotators, given.labels), Q[given.rows])
        pooled = counts.sum(axis=0) + _SMOOTHING
        pooled /= pooled.sum(axis=0)
        matrices = (counts + strength * pooled) / (counts.sum(axis=1, keepdims=True) + strength)
        log_Q = np.log(np.broadcast_to(frequencies, (m, n)) + 1e-300)
        np.add.at(log_Q, given.rows, np.log(matrices[given.annotators, given.labels]))
        before, Q = Q, np.exp(log_Q - log_Q.max(axis=1, keepdims=True))
        Q /= Q.sum(axis=1, keepdims=True)
        Q[known] = certain
        if np.abs(Q - before).max() < _TOLERANCE:
            break
    return Crowd(Q, frequencies, pooled, matrices)
