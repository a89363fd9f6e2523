"""What ``estimate_noise`` returns: T with names, intervals and a verdict."""

from __future__ import annotations

from dataclasses import KW_ONLY, InitVar, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ncbench.core import NoiseMatrix
from ncbench.errors import NcbenchError
from ncbench.noise_estimation.repair import EstimatedNoiseMatrix, repair_estimate
from ncbench.noise_estimation.share import (
    KNOWN,
    LEVEL,
    Share,
    class_frequencies,
    counted_share,
    level_of,
)
from ncbench.types import Array, Labels


@dataclass(frozen=True)
class Annotator:
    """What the labels of all people say about one of them."""

    name: str
    labels: int
    accuracy: Share
    """Expected share of right labels."""
    confusion: Array
    """P(label | true label), column stochastic."""
    given: tuple[int, ...]
    """Number of labels of each class."""


@dataclass(frozen=True)
class Rival:
    """Another estimate of the share of wrong labels, on another assumption."""

    estimator: str
    assumption: str
    share: float


@dataclass(eq=False, repr=False)
class NoiseEstimate(EstimatedNoiseMatrix):
    """An estimated noise matrix of a user's labels, with what is known about its errors.

    ``fit`` of every algorithm takes it as ``noise_matrix`` and aligns it by the names of the
    classes.

    Attributes
    ----------
    matrix : array of shape (n, n)
        ``T[i, j] = P(labeled i | truly j)``.
    classes : tuple of str
    low, high : arrays of shape (n, n) or None
        Ends of 90% intervals of the entries.
    share : Share
        Overall share of wrong labels.
    verdict : str
        What the labels say of the share: ``known``; ``between L and U: check n rows drawn at random
        to know``; or ``labels alone cannot tell``, and why.
    level : {"known", "between", "labels alone cannot tell"}
        The same in a word.
    doubts : tuple of str
        What to know before T is used.
    rivals : tuple of Rival
        Estimates that rest on other assumptions.
    at_most : float
        The largest share of wrong labels among these, the bound by what can be predicted, and the
        end of the interval.
    pairs : array of shape (n, n) or None
        How many labels i were checked to be j, in row i and column j.
    checked : int
        Number of checked labels that were used.
    counted : NoiseMatrix or None
        T as counted in them; the column of a class that nobody checked is that of the identity.
    unchecked : Share or None
        The share as estimated without the checked labels, if the estimator uses them.
    annotators : tuple of Annotator
        The best first, if several people gave labels.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(2, size=400)
    >>> X = rng.normal(size=(400, 1)) + 5 * truth[:, None]
    >>> y = np.array(["ant", "bee"])[np.where(rng.random(400) < 0.1, 1 - truth, truth)]
    >>> from ncbench import estimate_noise
    >>> noise = estimate_noise(X, y, random_state=0)
    >>> noise.to_frame().round(1)
         ant  bee
    ant  0.9  0.1
    bee  0.1  0.9
    >>> noise.verdict, round(noise.share.estimate, 1)
    ('known', 0.1)
    """

    noise: InitVar[NoiseMatrix]
    _: KW_ONLY
    data: str
    estimator: str
    classes: tuple[str, ...]
    counts: Labels
    features: int
    low: Array | None
    high: Array | None
    share: Share
    resamples: int
    rivals: tuple[Rival, ...] = ()
    doubts: tuple[str, ...] = ()
    verdict: str = KNOWN
    at_most: float = 0.5
    pairs: Labels | None = None
    unchecked: Share | None = None
    annotators: tuple[Annotator, ...] = ()
    examples: int | None = None

    def __post_init__(self, noise: NoiseMatrix) -> None:
        warnings = getattr(noise, "warnings", ())
        more = getattr(noise, "draws", None), getattr(noise, "posterior", None)
        super().__init__(noise.matrix, getattr(noise, "a", 0.0), warnings, *more)
        # NoiseMatrix may have changed the last bit of an entry.
        self.low = None if self.low is None else np.minimum(self.low, self.matrix)
        self.high = None if self.high is None else np.maximum(self.high, self.matrix)

    def __repr__(self) -> str:
        rows = f"{self.counts.sum():,}"
        found = f"{self.share} of {rows} labels are wrong; {self.verdict}"
        return f"<NoiseEstimate by {self.estimator}: {found}>"

    @property
    def level(self) -> str:
        """What the labels say of the share, in a word."""
        return level_of(self.verdict)

    @property
    def of_pairs(self) -> bool:
        """Whether each entry of T was estimated, not just a rate for each class."""
        return self.posterior is None or self.posterior.of_pairs

    @property
    def checked(self) -> int:
        """Number of checked labels."""
        return 0 if self.pairs is None else int(self.pairs.sum())

    @cached_property
    def counted(self) -> NoiseMatrix | None:
        """T as counted in checked labels."""
        return None if self.pairs is None else repair_estimate(self.pairs, self.classes)

    @property
    def counted_share(self) -> Share | None:
        """The share of wrong labels among checked ones."""
        return None if self.pairs is None else share_of_pairs(self.pairs)

    @property
    def counted_error(self) -> float | None:
        """Mean absolute difference from T as counted, for classes that have checked labels.

        None if there are no checked labels.
        """
        if self.pairs is None or self.counted is None:
            return None
        seen = self.pairs.any(axis=0)
        return float(np.abs(self.matrix - self.counted.matrix)[:, seen].mean())

    @property
    def true_given_label(self) -> Array:
        """``P(truly j | labeled i)``, row i and column j; 0 for labels that do not occur."""
        joint = self.matrix * class_frequencies(self, self.counts)
        total = joint.sum(axis=1, keepdims=True)
        return np.asarray(joint / np.where(total > 0, total, 1.0))

    @property
    def expected_pairs(self) -> Array:
        """The expected numbers of examples by label, in the rows, and true class."""
        return np.asarray(self.counts[:, None] * self.true_given_label)

    @property
    def wrong_by_label(self) -> Array:
        """Expected number of wrong labels among those of each class."""
        if self.posterior is not None:
            return self.counts * self.posterior.wrong_by_label()
        return np.asarray(self.counts * (1 - np.diagonal(self.true_given_label)))

    def to_frame(self) -> pd.DataFrame:
        """Return T with the names of the classes: labeled in the rows, true in the columns."""
        return pd.DataFrame(self.matrix, index=self.classes, columns=self.classes)

    def plot(self, path: str | None = None) -> Any:
        """Draw T with its intervals; return the matplotlib figure, and save it to ``path``."""
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise NcbenchError("a plot needs matplotlib: pip install 'ncbench[report]'") from error
        size = 2.5 + 0.6 * len(self.classes)
        figure = Figure(figsize=(size + 1, size), layout="constrained")
        axes = figure.add_subplot()
        figure.colorbar(axes.imshow(self.matrix, vmin=0, vmax=1, cmap="Blues"))
        axes.set_xticks(range(len(self.classes)), self.classes, rotation=45, ha="right")
        axes.set_yticks(range(len(self.classes)), self.classes)
        axes.set(xlabel="truly", ylabel="labeled", title=f"{self.data}: noise by {self.estimator}")
        for (i, j), value in np.ndenumerate(self.matrix):
            note = f"{value:.2f}"
            if self.low is not None and self.high is not None and len(self.classes) <= 6:
                note += f"\n{self.low[i, j]:.2f}-{self.high[i, j]:.2f}"
            color = "white" if value > 0.6 else "black"
            axes.text(j, i, note, ha="center", va="center", color=color, fontsize=8)
        if path is not None:
            try:
                figure.savefig(path)
            except (OSError, ValueError) as error:
                raise NcbenchError(f"cannot draw {path}: {error}") from error
        return figure

    def as_json(self) -> dict[str, Any]:
        """Return all results as plain data."""
        interval = None
        if self.low is not None and self.high is not None:
            interval = {"level": LEVEL, "low": self.low.tolist(), "high": self.high.tolist()}
        pairs = None
        if self.pairs is not None and self.counted is not None:
            pairs = {
                "rows": self.checked,
                "counts": self.pairs.tolist(),
                "T": self.counted.matrix.tolist(),
                "T_error": self.counted_error,
                "inverse_error": self.inverse_error(self.counted),
                "share_without": None if self.unchecked is None else vars(self.unchecked),
            }
        return {
            "data": self.data,
            "rows": int(self.counts.sum()),
            "features": self.features,
            "classes": list(self.classes),
            "label_counts": self.counts.tolist(),
            "t_estimator": self.estimator,
            "T": self.matrix.tolist(),
            "interval": interval,
            "resamples": self.resamples,
            "share": vars(self.share),
            "true_given_label": self.true_given_label.tolist(),
            "wrong_by_label": self.wrong_by_label.tolist(),
            "smallest_singular_value": self.smallest_singular_value,
            "inverse_norm": self.inverse_norm,
            "a": self.a,
            "pairs": pairs,
            "rivals": [vars(rival) for rival in self.rivals],
            "verdict": self.verdict,
            "level": self.level,
            "doubts": list(self.doubts),
            "annotators": [
                {
                    "name": person.name,
                    "labels": person.labels,
                    "accuracy": person.accuracy.estimate,
                    "low": person.accuracy.low,
                    "high": person.accuracy.high,
                    "confusion": person.confusion.tolist(),
                }
                for person in self.annotators
            ],
        }


def share_of_pairs(pairs: Labels) -> Share:
    """Return the share of wrong labels among checked ones, from counts of both, n x n."""
    return counted_share(int(pairs.sum() - np.trace(pairs)), int(pairs.sum()))
