"""Notices about labels in a user's table that are misspelt, or that a feature gives away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ncbench.core import NoiseMatrix
from ncbench.data import TableEncoder, at_row, plain_name
from ncbench.errors import NcbenchError, notice_once
from ncbench.noise_estimation.repair import EstimatedNoiseMatrix, repair_estimate
from ncbench.noise_estimation.share import (
    KNOWN,
    LEVEL,
    Interval,
    class_frequencies,
    counted_share,
    level_of,
)
from ncbench.types import Array, Labels

if TYPE_CHECKING:
    from ncbench.data.columns import Column


def shown_names(classes: Sequence[str]) -> tuple[str, ...]:
    """Return names for a table, in quotes where only capitals or spaces tell them apart.

    Examples
    --------
    >>> shown_names(["pear", "pear ", "apple"])
    ("'pear'", "'pear '", 'apple')
    """
    plain = [plain_name(name) for name in classes]
    return tuple(
        repr(name) if plain.count(same) > 1 or name != name.strip() else name
        for name, same in zip(classes, plain, strict=True)
    )


def only_checked(name: str, known: Sequence[str]) -> str:
    """Say that a class occurs only among checked labels, and what it may be meant to be.

    Examples
    --------
    >>> only_checked("pear", ["Pear", "apple"])
    "class 'pear' occurs only among the checked labels; if 'Pear' is meant, write it so"
    >>> only_checked("gourd", ["Pear", "apple"])
    "class 'gourd' occurs only among the checked labels, so no noisy label can be right there"
    """
    said = f"class {name!r} occurs only among the checked labels"
    alike = [other for other in known if plain_name(other) == plain_name(name)]
    if alike:
        return f"{said}; if {alike[0]!r} is meant, write it so"
    return f"{said}, so no noisy label can be right there"


def notice_only_checked(
    clean: Labels, classes: Sequence[str], noisy: int, table: pd.DataFrame, where: str
) -> None:
    """Point out classes that occur only among checked labels, with the first row of each.

    Parameters
    ----------
    clean : array of shape (m,)
        Numbers of the checked labels.
    classes : sequence of str
    noisy : int
        How many of the classes, the first ones, occur among the noisy labels.
    table : DataFrame
    where : str
    """
    for k in range(noisy, len(classes)):
        place = at_row(table, int(np.argmax(clean == k)))
        notice_once(f"{where}, {place}: {only_checked(classes[k], classes[:noisy])}")


def notice_given_away(
    table: pd.DataFrame, labels: NDArray[Any], encoder: TableEncoder, where: str
) -> None:
    """Point out features that have one value for each label, or the names of classes.

    With such a feature every label can be predicted, so that no label looks wrong.

    Parameters
    ----------
    table : DataFrame
        Without the labels.
    labels : array of shape (m,)
    encoder : TableEncoder
        Fitted to the table.
    where : str
    """
    import pandas as pd

    classes = np.unique(labels)
    for position, column in enumerate(encoder.columns):
        values = table.iloc[:, position]
        name, present = column["name"], values.notna().to_numpy()
        distinct = values.nunique()
        if column["kind"] == "left out" or not 2 <= distinct <= 2 * len(classes):
            continue
        found = labels[present]
        pairs = pd.DataFrame({"value": values[present].to_numpy(), "label": found})
        enough = 2 * len(found) >= len(labels) and len(found) > 2 * distinct
        if enough and distinct == len(np.unique(found)) == len(pairs.drop_duplicates()):
            notice_once(
                f"{where}: column {name!r} has one value for each label: it gives the labels away, "
                f"and no label looks wrong; leave it out with --drop {quote(name)}"
            )
        elif labels.dtype.kind == "U" and _names_classes(column, classes):
            notice_once(
                f"{where}: column {name!r} is a feature, but its values are names of classes; if "
                f"they are checked labels, give --clean-column {quote(name)}, if they repeat the "
                f"labels, leave them out with --drop {quote(name)}"
            )


def notice_names_of_classes(classes: Sequence[str], encoder: TableEncoder, where: str) -> None:
    """Point out features with the names of classes, in a table that several people labeled."""
    for column in encoder.columns:
        if _names_classes(column, classes):
            name = column["name"]
            notice_once(
                f"{where}: column {name!r} is a feature, but its values are names of classes; if "
                f"they are labels of one more person, name it among --annotators, if they are "
                f"checked, give --clean-column {quote(name)}, if they come from the others, leave "
                f"them out with --drop {quote(name)}"
            )


def _names_classes(column: Column, classes: Sequence[Any] | NDArray[Any]) -> bool:
    names = {plain_name(str(name)) for name in classes}
    values = {plain_name(value) for value in column["values"] if value}
    return column["kind"] == "categories" and len(values) > 1 and values <= names


# The estimated noise of a user's labels: T with names, intervals and a verdict.


@dataclass(frozen=True)
class Annotator:
    """What the labels of all people say about one of them."""

    name: str
    labels: int
    accuracy: Interval
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
    share : Interval
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
    unchecked : Interval or None
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

    def __init__(
        self,
        noise: NoiseMatrix,
        *,
        data: str,
        estimator: str,
        classes: Sequence[str],
        counts: Labels,
        features: int,
        low: Array | None,
        high: Array | None,
        share: Interval,
        resamples: int,
        rivals: Sequence[Rival] = (),
        doubts: Sequence[str] = (),
        verdict: str = KNOWN,
        at_most: float = 0.5,
        pairs: Labels | None = None,
        unchecked: Interval | None = None,
        annotators: Sequence[Annotator] = (),
        examples: int | None = None,
    ) -> None:
        warnings = getattr(noise, "warnings", ())
        more = getattr(noise, "draws", None), getattr(noise, "posterior", None)
        super().__init__(noise.matrix, getattr(noise, "a", 0.0), warnings, *more)
        self.data = data
        self.estimator = estimator
        self.classes = tuple(classes)
        self.counts = counts
        self.features = features
        # NoiseMatrix may have changed the last bit of an entry.
        self.low = None if low is None else np.minimum(low, self.matrix)
        self.high = None if high is None else np.maximum(high, self.matrix)
        self.share = share
        self.resamples = resamples
        self.rivals = tuple(rivals)
        self.doubts = tuple(doubts)
        self.verdict = verdict
        self.at_most = at_most
        self.pairs = pairs
        self.unchecked = unchecked
        self.annotators = tuple(annotators)
        self.examples = examples

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
    def counted_share(self) -> Interval | None:
        """The share of wrong labels among checked ones."""
        if self.pairs is None:
            return None
        return counted_share(int(self.pairs.sum() - np.trace(self.pairs)), self.checked)

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
