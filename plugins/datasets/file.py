"""A user's own file as a data set."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from ncbench import Dataset, NcbenchError, identified_by
from ncbench.data import (
    TABLES,
    annotated_dataset,
    content_of_path,
    examples,
    features_and_labels,
    label_array,
    read_npz,
    read_table,
    recorded_noise,
)

SUFFIXES = (*TABLES, ".npz")


def _annotated(
    noisy_target: str | None = None,
    annotators: list[str] | None = None,
    annotations: str | None = None,
    **_: Any,
) -> bool:
    return bool(noisy_target or annotators or annotations)


def _content(path: str, annotations: str | None = None, **_: Any) -> str:
    return content_of_path(path) + content_of_path(annotations)


_ADDED = ("noisy_target", "annotators", "annotations", "drop", "keep", "categorical")


@identified_by(_content, annotated=_annotated, added=_ADDED)
def file(
    path: str,
    target: str | None = None,
    noisy_target: str | None = None,
    annotators: list[str] | None = None,
    annotations: str | None = None,
    drop: list[str] | None = None,
    keep: list[str] | None = None,
    categorical: list[str] | None = None,
) -> Dataset:
    r"""Your own file: CSV, TSV, Parquet, Excel, ARFF or npz.

    Numeric columns are kept. A column of text, categories or true/false is replaced by one 0/1
    column for each value, in sorted order. Missing numbers (empty, NA, None, ``?``) become the
    median of their column; in other columns they are a category. Ids, dates, free text and empty
    columns are left out. One line says what became of each column. Labels keep their names;
    classes are numbered in sorted order. If the header has no comma, columns may also be separated
    by semicolons or tabs; with semicolons, numbers may have decimal commas. A first column without
    a name, such as the index that pandas writes, is left out.

    Parameters
    ----------
    path : str
        Ends in .csv, .csv.gz, .tsv, .tsv.gz, .parquet, .xlsx, .arff or .npz.
    target : str, optional
        Column of the labels. In an npz file, the key of the labels, by default ``y``. It holds the
        features as ``X`` and may hold recorded noise for sigma = k/10 as ``noise_matrix_k`` and
        ``noisy_y_k``.
    noisy_target : str, optional
        Column of labels that are noisy already. No noise is added, and ``target`` is then the
        column of the checked labels, which may be empty in most rows, or nothing.
    annotators : list of str, optional
        Instead of ``noisy_target``: a column for each annotator. Labels may be missing.
    annotations : str, optional
        Instead of ``annotators``: another file with a row for each label and three columns: the row
        of the example, counted from 1; the annotator; the label.
    drop : list of str, optional
        Columns of a table to leave out.
    keep : list of str, optional
        Columns to use though they look like ids or dates; dates as days since 1970-01-01.
    categorical : list of str, optional
        Columns of numbers to use as categories.

    Returns
    -------
    Dataset
        Named after the file, without its suffix.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "fruit.csv")
    >>> _ = path.write_text("weight,skin,kind\n150,smooth,apple\n170,rough,orange\n")
    >>> data = file(str(path), target="kind")
    >>> data.name, data.classes, data.X.tolist()
    ('fruit', ('apple', 'orange'), [[150.0, 0.0, 1.0], [170.0, 1.0, 0.0]])
    """
    place = Path(path).expanduser()
    suffix = next((s for s in reversed(SUFFIXES) if place.name.lower().endswith(s)), None)
    if suffix is None:
        raise NcbenchError(
            f"data set 'file': path={path!r} has an unknown file type; expected one of "
            f"{', '.join(SUFFIXES)}"
        )
    if not place.is_file():
        what = "is a folder" if place.is_dir() else "does not exist"
        raise NcbenchError(f"data set 'file': path={path!r} {what} (looked for {place.absolute()})")
    name = place.name[: -len(suffix)]
    named = {"noisy_target": noisy_target, "annotators": annotators, "annotations": annotations}
    labels_by = [key for key, value in named.items() if value]
    if len(labels_by) > 1:
        raise NcbenchError(f"data set 'file': give {' or '.join(labels_by)}, not both")
    columns = {"drop": drop, "keep": keep, "categorical": categorical}
    if suffix == ".npz":
        for key in (*labels_by, *(key for key, value in columns.items() if value)):
            raise NcbenchError(f"data set 'file': {key} needs a table, not {place.name}")
        return _from_npz(place, name, target)
    if labels_by:
        return annotated_dataset(
            read_table(place),
            name=name,
            where=f"file {path!r}",
            target=target,
            columns=annotators or ([noisy_target] if noisy_target else []),
            long=read_table(Path(annotations)) if annotations else None,
            source=place.name,
            **columns,
        )
    X, labels = features_and_labels(read_table(place), target, where=f"file {path!r}", **columns)
    return Dataset.from_labels(X, labels, name=name, source=place.name)


def _from_npz(place: Path, name: str, target: str | None) -> Dataset:
    arrays = read_npz(place)
    key = target or "y"
    X, labels = examples(arrays, place, key)
    where = f"file {str(place)!r}"
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        row = int(np.flatnonzero(np.isnan(labels))[0])
        raise NcbenchError(f"{where}: missing value in {key!r}, row {row + 1}")
    labels = label_array(labels, where=f"{where}, {key!r}")
    data = Dataset.from_labels(X, labels, name=name, source=place.name)
    noise = recorded_noise(arrays, data.y, data.classes, name=name)
    return dataclasses.replace(data, recorded_noise=noise)
