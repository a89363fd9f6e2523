"""Which labels are wrong: a list to look at again, the most doubtful first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.utils import check_X_y

from ncbench.core import NoiseMatrix
from ncbench.doubtful_labels.noise_argument import (
    number_labels,
    require_no_gap,
    require_sparse,
    t_estimator,
)
from ncbench.doubtful_labels.several_people import true_labels_of_people
from ncbench.learning import finite_features, learner_of, out_of_fold_posterior
from ncbench.learning.clean_classes import (
    as_likely_as_labels,
    as_sharp_as_labels,
    clean_posterior,
    true_label_posterior,
)
from ncbench.noise_estimation import repair_estimate
from ncbench.types import Array, Labels

ISSUE_LEARNER = "forward"
"""The learner beside trees: chosen on wine, vehicle and digits, see docs/cleanlab.md."""

_TREES = 200
_MOST = 10_000  # examples of a tree: so trees of a large sample stay small


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

    Probabilities of labels are out of fold: the label of an example is not used to learn them. They
    are as sharp as these labels show. By default, they are a mixture of a linear model's and of
    trees', because an example that one of the two does not understand is not a wrong label.

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
        The learner of class probabilities; by default ``forward``, beside trees.
    random_state : int, optional
        Seed of the folds.

    Returns
    -------
    DataFrame
        A row for each example, in their order:

        ``label`` : the label; ``p_wrong`` : the probability that it is wrong;
        ``likeliest`` : the most probable true label; ``rank`` : 1 for the most doubtful label;
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
    return rank_labels(
        *(X, y, noise_matrix, cpe), clean=clean, annotations=annotations, random_state=random_state
    ).issues


class Ranked(NamedTuple):
    """Label issues, and the noise that they rest on."""

    issues: pd.DataFrame
    noise: NoiseMatrix
    """Of several people's labels, that of y by the people and the features."""
    counts: Labels
    """Number of labels of each class of the noise matrix."""
    classes: tuple[str, ...]


def rank_labels(
    X: ArrayLike,
    y: ArrayLike,
    noise_matrix: Any = "estimate",
    cpe: Any = None,
    *,
    clean: ArrayLike | None = None,
    annotations: ArrayLike | None = None,
    random_state: int | None = None,
) -> Ranked:
    """Return what :func:`find_label_issues` does, with the noise matrix."""
    learner = learner_of(cpe, ISSUE_LEARNER, random_state)
    estimator = t_estimator(noise_matrix, clean, annotations)
    if issparse(X):
        require_sparse(learner, noise_matrix)
    require_no_gap(y)
    index = X.index if isinstance(X, pd.DataFrame) else None
    features, labels = check_X_y(
        *(X, y), dtype=np.float64, accept_sparse="csr", ensure_all_finite=finite_features(learner)
    )
    numbers = number_labels(labels, noise_matrix, estimator, clean, annotations)
    noise = numbers.noise
    if noise is None:
        noise = numbers.estimated(estimator, features, None, random_state)

    def learned(y: Labels, noise: NoiseMatrix) -> Array:
        clean_classes = _clean_classes(learner, features, y, random_state, noise)
        if cpe is not None:
            return clean_classes
        trees = issue_trees(len(y), random_state)
        beside = _clean_classes(trees, features, y, random_state, noise)
        mixture = as_likely_as_labels(clean_classes, beside, y, noise)
        return as_sharp_as_labels(mixture, y, noise)

    if numbers.annotations is None:
        truth = true_label_posterior(learned(numbers.y, noise), numbers.y, noise)
    else:
        people = numbers.annotations
        truth = true_labels_of_people(people, numbers.y, noise, learned, numbers.clean)
    if numbers.clean is not None:
        known = numbers.clean >= 0
        truth[known] = np.eye(noise.n)[numbers.clean[known]]
    if numbers.annotations is not None:  # the features tell more of the noise, too
        noise = repair_estimate(np.eye(noise.n)[numbers.y].T @ truth, numbers.names)
    right = truth[np.arange(len(truth)), numbers.y]
    wrong = 1 - right
    order = np.argsort(right, kind="stable")  # it tells labels apart where 1 - right is rounded
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(1, len(order) + 1)
    expected = np.cumsum(wrong[order])[rank - 1]
    issues = pd.DataFrame(
        {
            "label": labels,
            "p_wrong": wrong,
            "likeliest": numbers.classes[truth.argmax(axis=1)],
            "rank": rank,
            "expected_issues": expected,
            "expected_precision": expected / rank,
        },
        index=index,
    )
    counts = np.bincount(numbers.y, minlength=noise.n)
    return Ranked(issues, noise, counts, tuple(numbers.names))


def _clean_classes(
    learner: Any, X: Array, y: Labels, random_state: int | None, noise: NoiseMatrix
) -> Array:
    """Return out-of-fold probabilities of the clean classes."""
    noisy = out_of_fold_posterior(learner, X, y, noise.n, random_state, noise)
    return as_sharp_as_labels(clean_posterior(noisy, noise), y, noise)


def issue_trees(m: int, random_state: int | None) -> ExtraTreesClassifier:
    """Return the learner beside ``forward``, for a sample of size m."""
    return ExtraTreesClassifier(
        _TREES,
        min_samples_leaf=3,
        bootstrap=True,
        max_samples=min(1.0, _MOST / m),
        random_state=random_state,
    )
