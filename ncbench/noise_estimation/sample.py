"""What an estimator of the noise matrix is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ncbench.core import NoiseMatrix
from ncbench.errors import NcbenchError
from ncbench.learning import fit_posterior
from ncbench.types import Array, Labels


class Trusted(NamedTuple):
    """Examples of the training part whose clean labels are known."""

    examples: Labels
    """Which, by their number."""
    y: Labels
    """Their clean labels."""


class CleanLabels:
    """Clean labels of the training part, of which an estimator may ask for a share.

    Whom it asks is drawn once: a larger share includes a smaller one, and all estimators of one
    trial are shown the same examples.

    Parameters
    ----------
    y : array of shape (m,)
        All of them.
    rng : numpy Generator
        Draws whom.

    Examples
    --------
    >>> clean = CleanLabels(np.array([0, 1, 2, 3]), np.random.default_rng(0))
    >>> examples, y = clean.of_share(0.5)
    >>> len(examples), bool((examples == y).all())
    (2, True)
    """

    def __init__(self, y: Labels, rng: np.random.Generator) -> None:
        self._y = y
        self._order = rng.permutation(len(y))

    def of_share(self, fraction: float) -> Trusted:
        """Return the clean labels of this share of the examples, of at least one."""
        if not 0 < fraction <= 1:
            raise NcbenchError(f"fraction is {fraction}; expected a number in (0, 1]")
        examples = np.sort(self._order[: max(1, round(fraction * len(self._y)))])
        return Trusted(examples, self._y[examples])


@dataclass(frozen=True)
class NoisySample:
    """The training part of one trial, as a T estimator sees it.

    Parameters
    ----------
    X : array of shape (m, d)
    y : array of shape (m,)
        Noisy labels, 0..n-1.
    n_classes : int
    cpe : scikit-learn classifier
        An unfitted class probability learner.
    rng : numpy Generator
        For whatever the estimator draws.
    noise_matrix : NoiseMatrix, optional
        The matrix that made the noise. Only ``known`` may look at it.
    clean : CleanLabels, optional
        For estimators that say so: clean labels of a share of the examples.
    classes : tuple of str
        Names of the classes, for warnings; by default their numbers.
    """

    X: Array
    y: Labels
    n_classes: int
    cpe: Any
    rng: np.random.Generator
    noise_matrix: NoiseMatrix | None = None
    clean: CleanLabels | None = None
    classes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.classes:
            object.__setattr__(self, "classes", tuple(map(str, range(self.n_classes))))

    @property
    def counts(self) -> Labels:
        """Number of examples with each noisy label."""
        return np.bincount(self.y, minlength=self.n_classes)

    def posterior(self) -> Array:
        """Return the learner's probabilities of the examples it was fitted to, m x n."""
        return fit_posterior(self.cpe, self.X, self.y, self.n_classes, "none", None).posterior

    def out_of_fold_posterior(self) -> Array:
        """Return probabilities from learners that did not see the example, m x n.

        Rows of a fold whose learner never saw a class have a 0 there. The folds are drawn.
        """
        random_state = int(self.rng.integers(2**31))
        return fit_posterior(
            self.cpe, self.X, self.y, self.n_classes, "crossfit", random_state
        ).posterior

    def trusted(self, fraction: float) -> Trusted:
        """Return the clean labels of a share of the examples."""
        if self.clean is None:
            raise NcbenchError(
                "a trusted set needs clean labels, and this sample has none; cautious_map and "
                "forward_map need noisy labels alone"
            )
        return self.clean.of_share(fraction)
