"""True labels, from the labels of several people and from the features."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ncbench.core import NoiseMatrix
from ncbench.data import UNKNOWN, Annotations
from ncbench.learning.clean_classes import true_label_posterior
from ncbench.noise_estimation import dawid_skene, repair_estimate
from ncbench.types import Array, Labels

_ROUNDS = 2  # a third one promises too much: it learns from its own mistakes


def true_labels_of_people(
    given: Annotations,
    y: Labels,
    noise: NoiseMatrix,
    learned: Callable[[Labels, NoiseMatrix], Array],
    clean: Labels | None = None,
) -> Array:
    """Return the probability of each true label, given x and what people said.

    People's labels are evidence beside the features: an example that three people agree on is less
    doubtful than one that they dispute. In the model of Dawid and Skene, ``P(true = j | x, said)``
    is proportional to ``eta_j(x)`` times the product of ``pi_a[i, j]`` over the people a, who said
    i (Raykar et al. 2010). The most probable of the labels given, without the features, teach a
    learner eta, and with eta the matrices and the labels are estimated again; then once more.

    Parameters
    ----------
    given : Annotations
        Of examples 0..m-1.
    y : array of shape (m,)
        A label of each example; used where nobody of ``given`` said anything.
    noise : NoiseMatrix
        That of y.
    learned : function of labels and their noise matrix
        Returns out-of-fold probabilities of the clean classes, m x n.
    clean : array of shape (m,), optional
        Checked labels, or ``UNKNOWN``.

    Examples
    --------
    Two people contradict each other. The features side with the second:

    >>> given = Annotations([0, 0, 1, 1, 2, 2], [0, 1] * 3, [1, 0, 0, 0, 1, 1], ("ann", "bob"))
    >>> eta = np.array([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9]])
    >>> y, noise = np.array([1, 0, 1]), NoiseMatrix.identity(2)
    >>> true_labels_of_people(given, y, noise, lambda y, noise: eta).argmax(axis=1)
    array([0, 0, 1])
    """
    m, n = len(y), noise.n
    labeled = np.zeros(m, dtype=bool)
    labeled[given.rows] = True
    crowd = dawid_skene(given, m, n, checked=clean)
    eta = crowd.posterior
    best = crowd.labels_given(given)  # EM alone may lose a class, and no learner would find it
    if clean is not None:
        best = np.where(clean == UNKNOWN, best, clean)
    for _ in range(_ROUNDS):
        best = np.where(labeled, best, y)
        T = repair_estimate(np.eye(n)[best[labeled]].T @ crowd.posterior[labeled])
        eta = learned(best, T)
        crowd = dawid_skene(given, m, n, checked=clean, prior=eta)
        best = crowd.labels
    return np.where(labeled[:, None], crowd.posterior, true_label_posterior(eta, y, noise))
