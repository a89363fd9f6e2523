"""The input of T estimators."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ncbench.core import NoiseMatrix
from ncbench.data import UNKNOWN, Annotations
from ncbench.errors import NcbenchError
from ncbench.learning import fit_posterior, out_of_fold_posterior
from ncbench.plugin import Withheld, needs_of
from ncbench.types import Array, Labels

_NEED_OF_FIELD = {
    "noise_matrix": "noise_matrix",
    "clean": "clean_labels",
    "annotations": "annotations",
    "unlabeled": "unlabeled",
}


class Trusted(NamedTuple):
    """Training examples with known clean labels."""

    examples: Labels
    """Indices of the examples."""
    y: Labels
    """Their clean labels."""


class CleanLabels:
    """Clean labels of the training part; an estimator may request a share of them.

    The order of the examples is drawn once. So a larger share includes a smaller one, and all
    estimators of a trial get the same examples.

    Parameters
    ----------
    y : array of shape (m,)
        Clean labels of all examples, or ``UNKNOWN``.
    rng : numpy Generator
        Draws the order.

    Examples
    --------
    >>> clean = CleanLabels(np.array([0, 1, 2, 3]), np.random.default_rng(0))
    >>> examples, y = clean.of_share(0.5)
    >>> len(examples), bool((examples == y).all())
    (2, True)
    """

    def __init__(self, y: Labels, rng: np.random.Generator) -> None:
        self._y = y
        order = rng.permutation(len(y))
        self._order = order[y[order] != UNKNOWN]
        self.handed_out = 0
        """The largest number of labels that was requested."""

    def of_share(self, fraction: float) -> Trusted:
        """Return the clean labels of this share of the examples, at least one."""
        if not 0 < fraction <= 1:
            raise NcbenchError(f"fraction is {fraction}; expected a number in (0, 1]")
        if not len(self._order):
            raise NcbenchError(
                f"none of the {len(self._y)} training labels has a clean label beside it; check "
                "more labels, or choose a smaller test_size if the test part has them all"
            )
        examples = np.sort(self._order[: max(1, round(fraction * len(self._order)))])
        self.handed_out = max(self.handed_out, len(examples))
        return Trusted(examples, self._y[examples])


@dataclass(frozen=True)
class NoisySample:
    """The training part of one trial, as the input of a T estimator.

    Parameters
    ----------
    X : array of shape (m, d)
    y : array of shape (m,)
        Noisy labels, 0..n-1.
    n_classes : int
    cpe : scikit-learn classifier
        An unfitted class probability learner.
    rng : numpy Generator
        For random choices of the estimator.
    noise_matrix : NoiseMatrix, optional
        The true noise matrix, for estimators whose ``needs`` name ``noise_matrix``.
    clean : CleanLabels, optional
        Clean labels, for estimators whose ``needs`` name ``clean_labels``.
    classes : tuple of str
        Class names for warnings; by default their numbers.
    rows : array of shape (m,), optional
        The example of each label, if the labels were chosen from ``annotations``.
    annotations : Annotations, optional
        All labels that people gave to the training examples, for estimators whose ``needs`` name
        ``annotations``.
    unlabeled : array of shape (u, d), optional
        Training examples without a label, for estimators whose ``needs`` name ``unlabeled``.
    checked : array of shape (m,), optional
        Clean labels that came with the data, or ``UNKNOWN``. Trials have none.
    seed : int, optional
        Of the folds of the stack, so that others who ask for the same predictions share the fits;
        by default drawn from ``rng``.
    """

    X: Array
    y: Labels
    n_classes: int
    cpe: Any
    rng: np.random.Generator
    noise_matrix: NoiseMatrix | None = None
    clean: CleanLabels | None = None
    classes: tuple[str, ...] = ()
    rows: NDArray[np.intp] | None = None
    annotations: Annotations | None = None
    unlabeled: Array | None = None
    checked: Labels | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        if not self.classes:
            object.__setattr__(self, "classes", tuple(map(str, range(self.n_classes))))

    def for_estimator(self, estimator: Any) -> NoisySample:
        """Return the sample with only those parts of the truth that the estimator needs."""
        hidden: dict[str, Any] = {
            name: Withheld(need, type(estimator).__name__)
            for name, need in _NEED_OF_FIELD.items()
            if need not in needs_of(estimator)
        }
        return replace(self, **hidden)

    def stack_seed(self) -> int:
        """Return the seed of the stack's folds."""
        return int(self.rng.integers(2**31)) if self.seed is None else self.seed

    @property
    def told(self) -> dict[str, Any]:
        """What the estimator was given: true T; numbers of clean labels and unlabeled examples."""
        told: dict[str, Any] = {}
        if isinstance(self.noise_matrix, NoiseMatrix):
            told["noise_matrix"] = True
        if isinstance(self.clean, CleanLabels):
            told["clean_labels"] = self.clean.handed_out
        if isinstance(self.unlabeled, np.ndarray):
            told["unlabeled"] = len(self.unlabeled)
        return told

    @property
    def counts(self) -> Labels:
        """Number of examples with each noisy label."""
        return np.bincount(self.y, minlength=self.n_classes)

    def checked_examples(self, m: int) -> Labels | None:
        """Return the checked labels of m examples, which ``rows`` are about, or ``UNKNOWN``.

        Examples
        --------
        >>> sample = NoisySample(np.zeros((3, 1)), np.array([0, 1, 1]), 2, None, None,
        ...                      rows=np.array([0, 0, 2]), checked=np.array([1, 1, -1]))
        >>> sample.checked_examples(3)
        array([ 1, -1, -1])
        """
        if self.checked is None or self.rows is None:
            return None
        labels = np.full(m, UNKNOWN, dtype=np.int64)
        labels[self.rows] = self.checked
        return labels

    def posterior(self) -> Array:
        """Return the learner's probabilities on its own training examples, m x n."""
        return fit_posterior(self.cpe, self.X, self.y, self.n_classes, "none", None).posterior

    def out_of_fold_posterior(self) -> Array:
        """Return out-of-fold probabilities, m x n, with random folds: the same at each call.

        A class that is missing from the training part of a fold has probability 0 there.
        """
        return self._held_out

    @cached_property
    def _held_out(self) -> Array:
        random_state = int(self.rng.integers(2**31))
        return out_of_fold_posterior(self.cpe, self.X, self.y, self.n_classes, random_state)

    def trusted(self, fraction: float) -> Trusted:
        """Return the clean labels of a share of the examples."""
        if self.clean is None:
            raise NcbenchError(
                "a trusted set needs clean labels, but this sample has none; held_out_map and "
                "forward_map need only noisy labels"
            )
        return self.clean.of_share(fraction)
