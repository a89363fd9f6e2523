"""Labels that people give beside the noisy ones: checked labels, and those of several annotators.

None, NaN or, beside whole numbers, -1 stand for no label.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ncbench.core import NoiseMatrix
from ncbench.data import (
    TABLES,
    UNKNOWN,
    Annotations,
    Dataset,
    TableEncoder,
    annotated_labels,
    as_text,
    fitted_encoder,
    label_array,
    lines_of,
    notice_spellings,
    plain_array,
    read_table,
    split_labels,
)
from ncbench.errors import NcbenchError, counted, did_you_mean, notice_once
from ncbench.files import has_no_end, reads
from ncbench.learning.joint_noise import true_label_posterior
from ncbench.noise_estimation import dawid_skene, repair_estimate
from ncbench.own_labels.estimate import (
    notice_given_away,
    notice_names_of_classes,
    notice_only_checked,
)
from ncbench.plugin import get_registry
from ncbench.types import Array, Labels


def given_labels(
    values: Any, y: NDArray[Any], name: str, dimensions: int = 1
) -> NDArray[np.object_]:
    """Return labels of the type of ``y``, None where there is none.

    Parameters
    ----------
    values : array of shape (m,) or (m, people)
    y : array of shape (m,)
        Noisy labels.
    name : str
        What errors call the values.
    dimensions : int

    Examples
    --------
    >>> given_labels([2.0, None, -1], np.array([1, 2, 2]), "clean")
    array([2, None, None], dtype=object)
    >>> given_labels([0.5, None, 1], np.array([0, 1, 1]), "clean")
    Traceback (most recent call last):
    ...
    ncbench.errors.NcbenchError: clean: label 0.5 in row 1; expected whole numbers, as the noisy labels are
    """  # noqa: E501
    given = np.asarray(values, dtype=object)
    if given.ndim != dimensions or len(given) != len(y):
        shape = f"({len(y)},)" if dimensions == 1 else f"({len(y)}, people)"
        raise NcbenchError(f"{name}: shape {given.shape}; expected {shape}, as many rows as y has")
    numeric = y.dtype.kind in "biuf"
    whole = numeric and bool(np.all(y % 1 == 0))
    present = np.asarray(pd.notna(given))
    if whole and -1 not in y:
        present &= np.asarray(given != -1, dtype=bool)
    if not present.any():
        raise NcbenchError(f"{name}: no label in any row; leave it out if there is none")
    labels = np.full(given.shape, None, dtype=object)
    if not numeric:
        known = set(y.tolist())
        texts = ((str(value), as_text(value)) for value in given[present].tolist())
        # A column of whole numbers with gaps has floats, where y may have the numbers as text.
        labels[present] = [text if text in known else number for text, number in texts]
        return labels
    numbers = np.asarray(pd.to_numeric(pd.Series(given[present]), errors="coerce"), dtype=float)
    with np.errstate(invalid="ignore"):
        labels[present] = numbers.astype(y.dtype)
    wrong = (labels[present] != numbers) | (whole & (numbers % 1 != 0))
    if wrong.any():
        place = np.argwhere(present)[wrong.argmax()]
        raise NcbenchError(
            f"{name}: label {given[tuple(place)]} in row {place[0] + 1}; expected "
            f"{'whole ' if whole else ''}numbers, as the noisy labels are"
        )
    return labels


def classes_with(y: NDArray[Any], *given: NDArray[np.object_] | None) -> NDArray[Any]:
    """Return the sorted classes of noisy and given labels."""
    classes = np.unique(y)
    for labels in given:
        if labels is not None:
            classes = np.union1d(classes, _known(labels, classes))
    return classes


def label_codes(given: NDArray[np.object_], classes: NDArray[Any]) -> Labels:
    """Return the numbers of given labels, ``UNKNOWN`` where there is none.

    Examples
    --------
    >>> label_codes(np.array(["b", None], dtype=object), np.array(["a", "b"]))
    array([ 1, -1])
    """
    codes = np.full(given.shape, UNKNOWN, dtype=np.int64)
    codes[given != None] = np.searchsorted(classes, _known(given, classes))  # noqa: E711
    return codes


def _known(given: NDArray[np.object_], classes: NDArray[Any]) -> NDArray[Any]:
    kind = classes.dtype if classes.dtype.kind in "biuf" else str
    return np.asarray(given[given != None].astype(kind))  # noqa: E711


# A user's noisy labels, and how they are read from a file.


@dataclass(frozen=True)
class OwnData:
    """A user's noisy labels, and the clean labels that are known."""

    name: str
    X: Array
    y: Labels
    classes: tuple[str, ...]
    clean: Labels | None = None
    """``UNKNOWN`` if not checked."""
    annotations: Annotations | None = None
    """If several people gave labels."""
    examples: Labels | None = None
    """The example of ``annotations`` that each row of ``X``, ``y`` and ``clean`` is about."""
    encoder: TableEncoder | None = None
    """What became of the columns, if the file is a table."""
    lines: Labels | None = None
    """The line of the file on which each row begins, if it has lines."""
    table_rows: Labels | None = None
    """The row of the file, counted from 1, of each row, if some of the file's are left out."""

    @property
    def labels(self) -> NDArray[Any]:
        """The noisy labels themselves: whole numbers, if all are, or text."""
        return np.asarray(self._names[self.y])

    @property
    def clean_labels(self) -> NDArray[Any] | None:
        """The clean labels themselves, None where not checked."""
        if self.clean is None:
            return None
        labels = self._names.astype(object)[self.clean]
        labels[self.clean == UNKNOWN] = None
        return labels

    @cached_property
    def said(self) -> pd.DataFrame | None:
        """The labels of several people, a column for each, None where they said nothing."""
        given = self.annotations
        if given is None:
            return None
        labels = np.full((len(self.y), len(given.names)), None, dtype=object)
        labels[given.rows, given.annotators] = self._names.astype(object)[given.labels]
        return pd.DataFrame(labels, columns=list(given.names))

    @property
    def _names(self) -> NDArray[Any]:
        return plain_array(self.classes, self.name)


def read_own_data(
    path: str, target: str, clean_column: str | None, **columns: Sequence[str] | None
) -> OwnData:
    """Read a file; the clean column is not a feature and may have empty rows.

    ``columns`` are ``drop``, ``keep`` and ``categorical`` of ``TableEncoder``.
    """
    place = Path(path)
    if place.suffix.lower() == ".npz" and clean_column is None:
        build = get_registry().build
        dataset: Dataset = build("dataset", "file", path=path, target=target, **columns)
        return OwnData(dataset.name, dataset.X, dataset.y, dataset.classes)
    table, where = read_table(place), f"file {path!r}"
    checked = None
    if clean_column is not None:
        table, checked = _without(table, clean_column, target, where)
    rest, labels = split_labels(table, target, where=where)
    encoder = fitted_encoder(rest, where=where, **columns)
    notice_given_away(rest, labels, encoder, where)
    name = _name(place)
    dataset = Dataset.from_labels(encoder.transform(rest, where=where), labels, name=name)
    classes, clean = dataset.classes, None
    if checked is not None:
        y = label_array(labels, where=where)
        noisy, where = len(classes), f"{where}, column {clean_column!r}"
        classes, clean = _numbered(checked, y, classes, where)
        notice_only_checked(clean, classes, noisy, table, where)
    return OwnData(
        *(name, dataset.X, dataset.y, classes, clean), encoder=encoder, lines=lines_of(table)
    )


def _name(place: Path) -> str:
    """Return the name of a table's file without its ending."""
    return next(place.name[: -len(s)] for s in TABLES if place.name.lower().endswith(s))


def _without(
    table: pd.DataFrame, clean_column: str, target: str, where: str
) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Return a table without its column of clean labels, and the column."""
    names = [str(name) for name in table.columns]
    if clean_column not in names or clean_column == target:
        others = [name for name in names if name != target]
        raise NcbenchError(
            f"{where}: --clean-column {clean_column!r} is not one of the other columns: "
            f"{did_you_mean(clean_column, others)}{', '.join(others)}"
        )
    position = names.index(clean_column)
    notice_spellings(table[[name for name in names if name in (target, clean_column)]], where)
    return table.drop(columns=table.columns[position]), table.iloc[:, position]


def _numbered(
    column: pd.Series[Any], y: NDArray[Any], classes: tuple[str, ...], where: str
) -> tuple[tuple[str, ...], Labels]:
    """Return the classes, with those that occur in the column only, and the column's numbers."""
    label_array(column.dropna().to_numpy(), where=where)  # classes, not a quantity
    given = given_labels(column, y, where)
    # Compare clean labels by name; a class may occur only among them.
    names = [None if label is None else str(label) for label in given]
    classes = (*classes, *sorted({name for name in names if name is not None} - {*classes}))
    numbers = {name: k for k, name in enumerate(classes)}
    return classes, np.array([UNKNOWN if name is None else numbers[name] for name in names])


def read_annotations(
    path: str,
    people: Sequence[str],
    long: str | None,
    clean_column: str | None,
    **columns: Sequence[str] | None,
) -> OwnData:
    """Read a file with the labels of several people: a row for each label."""
    place, where = Path(path), f"file {path!r}"
    table = read_table(place)
    found = annotated_labels(
        table,
        where=where,
        target=clean_column,
        columns=people,
        long=read_table(Path(long)) if long else None,
    )
    given = found.annotations
    if not given.overlap:
        raise NcbenchError(
            f"{where}: no example has more than one label, so people cannot be compared; "
            "put all labels into one column and name it with --target"
        )
    encoder = fitted_encoder(found.others, where=where, **columns)
    notice_names_of_classes(found.classes, encoder, where)
    without = len(table) - len(np.unique(given.rows))
    if without:
        notice_once(f"{where}: {counted(without, 'row has', 'rows have')} no label: left out")
    X = encoder.transform(found.others, where=where)
    return OwnData(
        _name(place),
        X[given.rows],
        given.labels,
        found.classes,
        found.clean[given.rows] if clean_column else None,
        given,
        given.rows,
        encoder,
        lines_of(table),
        np.arange(1, len(table) + 1),
    )


def one_label_each(data: OwnData) -> OwnData:
    """Return the labels of several people as one for each example, the most probable one.

    Of the labels that people gave to the example, it is the most probable one by Dawid and Skene's
    method. Checked labels are not used for it, so that they can tell how often it is wrong.
    Examples that nobody labeled are left out.

    Examples
    --------
    >>> given = Annotations([0, 0, 0, 2, 2], [0, 1, 2, 0, 1], [1, 1, 0, 0, 0], ("a", "b", "c"))
    >>> X = np.array([[5.0], [6.0], [7.0]])
    >>> data = OwnData("toy", X[given.rows], given.labels, ("no", "yes"), None, given, given.rows)
    >>> one = one_label_each(data)
    >>> one.labels.tolist(), one.X.ravel().tolist()
    (['yes', 'no'], [5.0, 7.0])
    """
    given = data.annotations
    assert given is not None
    labeled, first = np.unique(given.rows, return_index=True)
    of_labeled = given.of(labeled)
    return replace(
        data,
        X=data.X[first],
        y=dawid_skene(of_labeled, len(labeled), len(data.classes)).labels_given(of_labeled),
        clean=None if data.clean is None else data.clean[first],
        annotations=of_labeled,
        examples=np.arange(len(labeled)),
        lines=None if data.lines is None else data.lines[labeled],
        table_rows=None if data.table_rows is None else data.table_rows[labeled],
    )


def read_noise_matrix(path: str) -> pd.DataFrame | None:
    """Read a noise matrix with the names of its classes; None for the word ``none``.

    Parameters
    ----------
    path : str
        A CSV file with the names of the classes in its first line and first column: labeled in the
        rows, true in the columns. Or a JSON file that ``estimate-noise --json`` wrote.
    """
    if path == "none":
        return None
    what = f"--noise-matrix {path}"
    reads(path)
    if has_no_end(path):
        raise NcbenchError(f"{what}: not a regular file")
    try:
        if Path(path).suffix.lower() == ".json":
            found = json.loads(Path(path).read_text(encoding="utf-8"))
            names = [str(name) for name in found["classes"]]
            if found.get("annotators"):
                notice_once(
                    f"{what}: this is the noise of all labels of {len(found['annotators'])} people;"
                    " that of one of them, or of one label for each row, is another"
                )
            T = np.array(found["T"], dtype=float)  # numbers only: a table would fill or repeat them
            return pd.DataFrame(T, index=names, columns=names)
        frame = pd.read_csv(path, index_col=0, skipinitialspace=True)
        if frame.empty:
            raise ValueError("it names no classes")
        frame.index = frame.index.map(str)
        return frame.astype(float)
    except OSError as error:
        raise NcbenchError(f"{what}: {error.strerror} (looked in {Path.cwd()})") from error
    except RecursionError as error:
        raise NcbenchError(f"{what}: nested too deeply") from error
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise NcbenchError(
            f"{what}: cannot be read ({error}); expected a CSV file with the names of the classes "
            "in its first line and first column, a JSON file of estimate-noise, or none"
        ) from error


# True labels, from the labels of several people and from the features.

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
