"""A classifier of the rows of a table, with what it was fitted to."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ncbench.data import TableEncoder, as_written, notice_spellings, require_columns
from ncbench.errors import NcbenchError, counted, notice_once
from ncbench.own_labels.arguments import (
    DEFAULT_T_ESTIMATOR,
    PEOPLE_T_ESTIMATOR,
    has_background,
    named_measure,
)
from ncbench.own_labels.classifier import (
    DEFAULT_LEARNER,
    NoiseCorrectedClassifier,
    RareClass,
    RareClassWarning,
)
from ncbench.own_labels.data import OwnData
from ncbench.own_labels.verdict import findings
from ncbench.types import Array

_KEPT = 1000  # hashes of rows
_PART = 16_384  # rows to predict at a time


@dataclass(frozen=True)
class TableModel:
    """A fitted encoder of columns and a fitted classifier.

    Parameters
    ----------
    encoder : TableEncoder
    classifier : NoiseCorrectedClassifier
    seen : array of shape (k,)
        The smallest hashes of the rows that it was fitted to.
    about : dict
        The configuration, the classes, the columns and the noise matrix, as plain data.
    """

    encoder: TableEncoder
    classifier: NoiseCorrectedClassifier
    seen: NDArray[np.uint64]
    about: dict[str, Any]

    @classmethod
    def fit(
        cls,
        data: OwnData,
        target: str,
        measure: str = "g_mean",
        noise_matrix: Any = "estimate",
        cpe: str | None = None,
        random_state: int | None = 0,
        background: str | None = None,
    ) -> TableModel:
        """Fit to the labels of a table.

        Parameters
        ----------
        data : OwnData
            With one label for each example.
        target : str
            The column of the labels, or those of several people, to remember.
        measure, noise_matrix, cpe, random_state
            As in :class:`NoiseCorrectedClassifier`.
        background : str, optional
            The class that Micro F1 leaves out; by default the first.
        """
        if data.encoder is None:
            raise NcbenchError(
                f"{data.name}: a model file needs the names of columns, which an npz file lacks; "
                "give a table, such as CSV"
            )
        psi = measure if background is None else named_measure(measure, background)
        model = NoiseCorrectedClassifier(psi, noise_matrix, cpe, random_state=random_state)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RareClassWarning)  # a doubt below has their rows
            model.fit(data.X, data.labels, clean=data.clean_labels, annotations=data.said)
        noise = model.noise_matrix_
        estimator = noise_matrix
        if not isinstance(noise_matrix, str):
            estimator = None
            model.set_params(noise_matrix=noise)  # a DataFrame is not for a file
        elif noise_matrix == "estimate":
            estimator = DEFAULT_T_ESTIMATOR if data.said is None else PEOPLE_T_ESTIMATOR
        names = [str(name) for name in model.classes_]
        counts = pd.Series(data.labels).value_counts().reindex(model.classes_, fill_value=0)
        found = findings(noise, np.asarray(counts, dtype=np.int64), names)
        hashes = np.unique(_hashes(data.X))
        if has_background(measure):
            background = background or names[0]
        about = {
            "measure": measure,
            "background": background,
            "algorithm": model.algorithm_,
            "cpe": cpe or DEFAULT_LEARNER,
            "t_estimator": estimator,
            "seed": random_state,
            "target": target,
            "people": data.annotations is not None,
            "rows": len(data.X),
            "repeated_rows": _share_repeated(data.X),
            "features": data.X.shape[1],
            "classes": names,
            "columns": data.encoder.columns,
            "noise_matrix": noise.matrix.tolist(),
            "low": None if found.low is None else found.low.tolist(),
            "high": None if found.high is None else found.high.tolist(),
            "share_of_wrong": vars(found.share),
            "verdict": found.verdict,
            "doubts": [
                *found.doubts,
                *(_rare_text(name, rare, data) for name, rare in model.rare_.items()),
            ],
        }
        return cls(data.encoder, model, hashes[:_KEPT], about)

    @property
    def classes(self) -> list[str]:
        """The names of the classes."""
        return [str(name) for name in self.classifier.classes_]

    def features(self, table: pd.DataFrame, where: str) -> Array:
        """Return the features of a table, which may have other columns, too."""
        return self.encoder.transform(self._of_features(table, where), where=where)

    def predict(self, table: pd.DataFrame, where: str) -> tuple[NDArray[Any], Array]:
        """Return the predicted class of each row of a table, and the clean class probabilities."""
        encoded = self.encoder.encode(self._of_features(table, where), where=where)
        return self.classifier.predict_in_parts(X for _, X in encoded.parts(_PART))

    def _of_features(self, table: pd.DataFrame, where: str) -> pd.DataFrame:
        """Return the columns of a table that are features, if all of them are there."""
        if not len(table):
            raise NcbenchError(f"{where}: no rows")
        found = {str(name) for name in table.columns}
        if self._used <= found:  # else the error is about all columns
            table = table.loc[:, [str(name) in self._used for name in table.columns]]
        return table

    def notice_missing(self, table: pd.DataFrame, where: str) -> None:
        """Say how many numbers of each feature are missing in a table."""
        filled = [c["name"] for c in self.encoder.columns if c["kind"] in ("number", "date")]
        missing = {str(name): int(table.iloc[:, k].isna().sum()) for k, name in enumerate(table)}
        gaps = [f"{name} ({missing[name]} of {len(table)})" for name in filled if missing[name]]
        if gaps:
            notice_once(f"{where}: missing values take the median of training: {', '.join(gaps)}")

    @property
    def _used(self) -> set[str]:
        return {column["name"] for column in self.encoder.used}

    def labeled(self, table: pd.DataFrame, column: str, where: str) -> tuple[Array, NDArray[Any]]:
        """Return the features and labels of the rows that have a label in a column.

        Labels are compared with the classes of the model by name.
        """
        require_columns(table, [column], where)
        if column in self._used:
            raise NcbenchError(
                f"{where}: column {column!r} is a feature of the model and cannot be its labels; "
                f"the model was fitted to the labels of {self.about.get('target')!r}"
            )
        others = [str(name) != column for name in table.columns]
        X = self.features(table.loc[:, others], where)
        given = table.loc[:, column]
        where = f"{where}, column {column!r}"
        present = given.notna().to_numpy()
        if not present.any():
            raise NcbenchError(f"{where}: no label in any row")
        if not present.all():
            without = counted(int((~present).sum()), "row has", "rows have")
            notice_once(f"{where}: {without} no label: left out")
        classes = self.classifier.classes_.tolist()
        key: Callable[[Any], float | str] = _comparable
        if len({*map(key, classes)}) < len(classes):  # such as 1 and 01, different as text
            given, key = as_written(table[[column]]).iloc[:, 0], _text
        else:
            notice_spellings(table[[column]], where)
        known = {key(name): name for name in classes}
        codes, found = pd.factorize(given[present].to_numpy())
        for label in found.tolist():
            if key(label) not in known:
                raise NcbenchError(
                    f"{where}: label {str(label)!r} is none of the classes of the model: "
                    f"{', '.join(self.classes)}"
                )
        labels = np.array([known[key(label)] for label in found.tolist()])
        return X[present], labels.astype(self.classifier.classes_.dtype)[codes]

    def other_columns(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the columns of a table that are not features: ids, dates, labels."""
        return table.loc[:, [str(name) not in self._used for name in table.columns]]

    def share_seen(self, X: Array) -> float:
        """Return how many more rows equal rows the model was fitted to than new ones would.

        Rows of a table with few columns or values equal each other anyway: their share in training
        is subtracted. What is compared is a sample, the rows with the smallest hashes, so the rows
        of a part of the file are found as well.
        """
        hashes = _hashes(X)
        if len(self.seen) == _KEPT:
            hashes = hashes[hashes <= self.seen[-1]]
        equal = float(np.isin(hashes, self.seen).mean()) if len(hashes) else 0.0
        return equal - float(self.about.get("repeated_rows", 0.0))

    def share_repeated(self, X: Array) -> float:
        """Return how many more rows equal another one of them than in training."""
        return _share_repeated(X) - float(self.about.get("repeated_rows", 0.0))


def _share_repeated(X: Array) -> float:
    _, times = np.unique(_hashes(X), return_counts=True)
    return float(times[times > 1].sum() / len(X))


def _rare_text(name: str, rare: RareClass, data: OwnData) -> str:
    rows = rare.rows + 1 if data.table_rows is None else data.table_rows[rare.rows]
    return f"class {name}: {rare}: {', '.join(map(str, rows))}"


def _text(label: Any) -> str:
    return str(label).strip()


def _comparable(label: Any) -> float | str:
    """Return a label such that 1, 1.0 and "1" are the same: files differ in how they write it."""
    text = _text(label)
    with suppress(ValueError):
        if np.isfinite(float(text)):
            return float(text)
    return text


def _hashes(X: Array) -> NDArray[np.uint64]:
    hashes = pd.util.hash_pandas_object(pd.DataFrame(X), index=False)
    return np.asarray(hashes, dtype=np.uint64)
