"""Which labels are wrong: a list to look at again, the most doubtful first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_X_y

from ncbench.core import NoiseMatrix
from ncbench.data import UNKNOWN, Annotations
from ncbench.learning import finite_features, held_out, learner_of, out_of_fold_posterior
from ncbench.learning.joint_noise import combined_clean, true_label_posterior
from ncbench.noise_estimation import NoisePosterior, dawid_skene, held_out_logs, repair_estimate
from ncbench.own_labels.arguments import (
    number_labels,
    require_features,
    require_no_gap,
    t_estimator,
)
from ncbench.own_labels.data import OwnData
from ncbench.own_labels.verdict import Findings, findings
from ncbench.types import Array, Labels

_LEARNERS = ("anchored", "trees")
_FOLDINGS = 2  # average precision .8415 with one, .8435 with two, on development data


def find_label_issues(
    X: ArrayLike,
    y: ArrayLike,
    noise_matrix: Any = "estimate",
    cpe: Any = None,
    *,
    clean: ArrayLike | None = None,
    annotations: ArrayLike | None = None,
    random_state: int | None = None,
) -> pd.DataFrame:
    """Return the probability that each label is wrong.

    Linear models and trees predict each label without having seen it, and are combined as these
    labels show. If the noise is estimated, the probabilities that labels are wrong are averages
    over the posterior of the noise: what the labels leave open makes them less sure.

    Parameters
    ----------
    X : array of shape (m, d)
        With missing values (NaN), if the learner takes them.
    y : array of shape (m,)
        Noisy labels of any type.
    noise_matrix, clean
        As in :class:`NoiseCorrectedClassifier`. A checked label is wrong or not for certain.
    annotations : array or DataFrame of shape (m, k), optional
        Labels of k people, as in :class:`NoiseCorrectedClassifier`. They are evidence beside the
        features: see ``true_labels_of_people``.
    cpe : scikit-learn classifier or str, optional
        The learner of class probabilities; by default, a linear model and trees.
    random_state : int, optional
        Seed of the folds.

    Returns
    -------
    DataFrame
        A row for each example, in their order:

        ``label`` : the label; ``p_wrong`` : the probability that it is wrong;
        ``likeliest`` : the most probable true label; ``rank`` : 1 for the most doubtful label;
        ``p_low``, ``p_high`` : from 5 to 95 % of the posterior of the noise, if it was estimated
        from labels alone; else ``p_wrong``;
        ``expected_issues`` : expected number of wrong labels in the ranks up to this one;
        ``expected_precision`` : their expected share. Stop where it gets too low for you.

    Examples
    --------
    >>> X = np.repeat([[0.0], [1.0]], 50, axis=0) + np.linspace(0, 0.1, 100)[:, None]
    >>> y = np.repeat(["ant", "bee"], 50)
    >>> y[7] = "bee"
    >>> from sklearn.naive_bayes import GaussianNB
    >>> issues = find_label_issues(X, y, [[0.98, 0.02], [0.02, 0.98]], GaussianNB(), random_state=0)
    >>> issues.sort_values("rank").iloc[0][["label", "likeliest"]].tolist()
    ['bee', 'ant']
    >>> bool(issues.p_wrong[7] > 0.9)
    True
    """
    return rank_labels(X, y, noise_matrix, cpe, clean, annotations, random_state).issues


class Ranked(NamedTuple):
    """Label issues, and the noise that they rest on."""

    issues: pd.DataFrame
    noise: NoiseMatrix
    """Of several people's labels, that of y by the people and the features."""
    counts: Labels
    """Number of labels of each class of the noise matrix."""
    classes: tuple[str, ...]

    @property
    def findings(self) -> Findings:
        """What the noise matrix says of the labels."""
        return findings(self.noise, self.counts, self.classes)


def rank_own_labels(
    data: OwnData,
    noise_matrix: Any = "estimate",
    cpe: Any = None,
    seed: int = 0,
    some: Labels | None = None,
) -> Ranked:
    """Rank a user's labels, with their places in the file.

    Parameters
    ----------
    data : OwnData
        With one label for each example.
    noise_matrix, cpe
        As in :func:`find_label_issues`.
    seed : int
    some : array, optional
        The examples to rank; by default all.

    Returns
    -------
    Ranked
        The issues also have ``row``, counted from 1, ``line`` if it is known, ``checked`` if some
        labels are and, if several people gave labels, ``labels``, their number, and ``agree``,
        how many gave this one.
    """
    rows = np.arange(len(data.y)) if some is None else some
    said = None if data.said is None else data.said.iloc[rows].reset_index(drop=True)
    clean = None if data.clean_labels is None else data.clean_labels[rows]
    clean = clean if said is not None or isinstance(noise_matrix, str) else None
    ranking = rank_labels(data.X[rows], data.labels[rows], noise_matrix, cpe, clean, said, seed)
    found = ranking.issues
    found["row"] = rows + 1 if data.table_rows is None else data.table_rows[rows]
    if data.lines is not None:
        found["line"] = data.lines[rows]
    if said is not None:
        found["agree"] = said.eq(found["label"], axis=0).sum(axis=1)
        found["labels"] = said.notna().sum(axis=1)
    if data.clean is not None:
        found["checked"] = data.clean[rows] != UNKNOWN
    return ranking


def rank_labels(
    X: ArrayLike,
    y: ArrayLike,
    noise_matrix: Any,
    cpe: Any,
    clean: ArrayLike | None,
    annotations: ArrayLike | None,
    random_state: int | None,
) -> Ranked:
    """Return what :func:`find_label_issues` does, with the noise matrix."""
    seed = int(np.random.default_rng().integers(2**31)) if random_state is None else random_state
    learner = learner_of(cpe, "blend", seed)
    estimator = t_estimator(noise_matrix, clean, annotations)
    require_features(X, learner, noise_matrix)
    require_no_gap(y)
    index = X.index if isinstance(X, pd.DataFrame) else None
    features, labels = check_X_y(
        *(X, y), dtype=np.float64, accept_sparse="csr", ensure_all_finite=finite_features(learner)
    )
    numbers = number_labels(labels, noise_matrix, estimator, clean, annotations)
    noise = numbers.matrix(estimator, features, None, seed)

    def learned(y: Labels, noise: NoiseMatrix) -> Array:
        if cpe is not None:
            noisy = [out_of_fold_posterior(learner, features, y, noise.n, seed, noise)]
        else:
            found = [held_out(name, features, y, noise.n, seed, noise) for name in _LEARNERS]
            noisy = [each.probabilities for each in found]
        return combined_clean(noisy, y, noise)

    every = np.arange(len(numbers.y)), numbers.y  # of each example, its label
    ends: list[Array] = []  # of the probability that a label is wrong, and itself
    posterior: NoisePosterior | None = getattr(noise, "posterior", None)
    if numbers.annotations is not None:
        people = numbers.annotations
        truth = true_labels_of_people(people, numbers.y, noise, learned, numbers.clean)
    else:
        truth = true_label_posterior(learned(numbers.y, noise), numbers.y, noise)
    if cpe is None and posterior is not None and posterior.is_about(numbers.y):
        logs = [held_out_logs(features, numbers.y, noise.n, seed + k) for k in range(_FOLDINGS)]
        averaged = np.mean([posterior.true_labels(F, numbers.y) for F in logs], axis=0)
        truth = (truth + averaged) / 2
        low, high = posterior.range_of_wrong(logs[0], numbers.y)
        ends = _in_order_of(truth[every], [1 - averaged[every], low, high])
    if numbers.clean is not None:
        known = numbers.clean >= 0
        truth[known] = np.eye(noise.n)[numbers.clean[known]]
        for end in ends:
            end[known] = numbers.clean[known] != numbers.y[known]
    if numbers.annotations is not None:  # the features tell more of the noise, too
        noise = repair_estimate(np.eye(noise.n)[numbers.y].T @ truth, numbers.names)
    right = truth[every]
    wrong, low, high = ends or [1 - right] * 3
    order = np.argsort(right, kind="stable")  # it tells labels apart where 1 - right is rounded
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(1, len(order) + 1)
    expected = np.cumsum(wrong[order])[rank - 1]
    issues = pd.DataFrame(
        {
            "label": labels,
            "p_wrong": wrong,
            "p_low": np.minimum(low, wrong),
            "p_high": np.maximum(high, wrong),
            "likeliest": numbers.classes[truth.argmax(axis=1)],
            "rank": rank,
            "expected_issues": expected,
            "expected_precision": expected / rank,
        },
        index=index,
    )
    counts = np.bincount(numbers.y, minlength=noise.n)
    return Ranked(issues, noise, counts, numbers.names)


def _in_order_of(right: Array, values: Sequence[Array]) -> list[Array]:
    """Return the same values in the order of ``right``: the largest where it is the smallest.

    T for learning ranks better than the posterior where classes overlap, and the posterior better
    where they are apart, so their mean ranks. How many are wrong, the posterior alone says.
    """
    order = np.argsort(right, kind="stable")
    ordered = [np.empty(len(right)) for _ in values]
    for each, found in zip(values, ordered, strict=True):
        found[order] = -np.sort(-each)
    return ordered


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
