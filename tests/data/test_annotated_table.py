"""Tables with doubtful labels: what is read, and what is refused before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from ncbench.data import annotated_dataset, read_table
from ncbench.errors import NcbenchError

QUICK = ("algo=cpe_argmax", "cpe=logistic", "cpe.C=1.0", "trials=1", "t_estimator=identity")


def table() -> pd.DataFrame:
    """Return iris with the labels of three people, of which two err, and 30 checked rows."""
    iris = load_iris()
    names = np.array(["setosa", "versicolor", "virginica"])
    frame = pd.DataFrame(iris.data, columns=["a", "b", "c", "d"])
    for person, wrong in (("ann", 0.0), ("bob", 0.2), ("eve", 0.4)):
        flip = np.random.default_rng(int(10 * wrong)).random(150) < wrong
        frame[person] = names[np.where(flip, (iris.target + 1) % 3, iris.target)]
    frame["checked"] = pd.Series(names[iris.target]).where(np.arange(150) % 5 == 0)
    return frame


def long(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the labels of the three people as one row each, examples counted from 1."""
    rows = [(k + 1, who, frame[who][k]) for k in range(len(frame)) for who in ("ann", "bob", "eve")]
    return pd.DataFrame(rows, columns=["row", "who", "label"])


def test_columns_and_the_long_form_are_the_same_data() -> None:
    frame = table()
    people = ["ann", "bob", "eve"]
    wide = annotated_dataset(frame, name="t", where="t", target="checked", columns=people)
    others = frame.drop(columns=people)
    same = annotated_dataset(others, name="t", where="t", target="checked", long=long(frame))
    assert wide.annotations is not None
    assert same.annotations is not None
    for part in ("rows", "annotators", "labels"):
        ours, theirs = getattr(wide.annotations, part), getattr(same.annotations, part)
        assert ours.tolist() == theirs.tolist()
    assert wide.X.tolist() == same.X.tolist()
    assert wide.classes == same.classes
    assert len(wide.checked) == 30
    assert wide.y.tolist() == same.y.tolist()


def test_labels_that_are_numbers_with_gaps_are_whole_numbers() -> None:
    frame = pd.DataFrame({"x": range(4), "ann": [10, 9, None, 10], "checked": [None, 9, None, 10]})
    data = annotated_dataset(frame, name="t", where="t", target="checked", columns=["ann"])
    assert data.classes == ("9", "10")
    assert data.y.tolist() == [-1, 0, -1, 1]


PEOPLE = "dataset.annotators=[ann,bob,eve]"


def contrary(frame: pd.DataFrame) -> pd.DataFrame:
    following = {"setosa": "versicolor", "versicolor": "virginica", "virginica": "setosa"}
    return frame.assign(bob=frame["ann"], eve=frame["ann"].map(following))


def unnamed(frame: pd.DataFrame) -> pd.DataFrame:
    frame.loc[5, "checked"] = "setossa"
    return frame


def as_it_is(frame: pd.DataFrame) -> pd.DataFrame:
    return frame


BAD: list[tuple[Callable[[pd.DataFrame], pd.DataFrame], list[str], str]] = [
    (
        lambda frame: frame.assign(eve="setosa"),
        [PEOPLE],
        "'eve' says 'setosa' in all 150 rows, first in row 1",
    ),
    (contrary, [PEOPLE], "'eve' agrees with no other annotator in any of 300 comparisons"),
    (lambda frame: frame.assign(bob=None), [PEOPLE], "'bob' has no label in any row"),
    (
        unnamed,
        [PEOPLE],
        "row 6 (line 7) is 'setossa' in the checked column 'checked', a class",
    ),
    (
        lambda frame: frame.assign(checked=None),
        [PEOPLE],
        "column 'checked' has no checked label in any row",
    ),
    (as_it_is, ["dataset.annotators=[ann,ann]"], "column 'ann' is named twice"),
    (
        as_it_is,
        ["dataset.noisy_target=checked", "dataset.target=ann"],
        "every row has a checked label in 'ann', but only 30 of 150 have one in 'checked'",
    ),
    (as_it_is, [PEOPLE, "dataset.noisy_target=ann"], "give noisy_target or annotators, not"),
    (
        lambda frame: frame.drop(columns=[*"abcd"]),
        [PEOPLE],
        "no column besides checked, ann, bob, eve, so no features",
    ),
    (
        as_it_is,
        ["dataset.noisy_target=ann", "t_estimator=dawid_skene"],
        "example of trial 0 has more than one",
    ),
    (
        as_it_is,
        ["dataset.noisy_target=ann", "t_estimator=trusted"],
        "no training label of trial 0 has one beside it; check more rows",
    ),
]


def test_bad_columns_are_one_message_and_nothing_is_written(
    ncbench: Callable, tmp_path: Path
) -> None:
    for spoil, options, message in BAD:
        refused(spoil(table()), ["dataset.target=checked", *options], message, ncbench, tmp_path)


def refused(
    frame: pd.DataFrame, options: list[str], message: str, ncbench: Callable, tmp_path: Path
) -> None:
    frame.to_csv(tmp_path / "mine.csv", index=False)
    before = set(tmp_path.iterdir())
    done = ncbench("dataset=file", "dataset.path=mine.csv", *QUICK, *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            (151, "ann", "setosa"),
            "row 451 (line 452) labels example 151; expected a row of the data, 1 to 150",
        ),
        ((1.5, "ann", "setosa"), "row 451 (line 452) labels example 1.5; expected"),
        (("x", "ann", "setosa"), "row 451 (line 452) labels example 'x'; expected"),
        ((7, "bob", "setosa"), "row 451 (line 452): annotator 'bob' labels example 7 twice"),
    ],
)
def test_bad_rows_of_the_long_form_are_named(
    row: tuple[Any, ...], message: str, ncbench: Callable, tmp_path: Path
) -> None:
    frame = table()
    labels = long(frame)
    labels = pd.concat([labels, pd.DataFrame([row], columns=labels.columns)])
    labels.to_csv(tmp_path / "long.csv", index=False)
    others = frame.drop(columns=["ann", "bob", "eve"])
    options = ["dataset.target=checked", "dataset.annotations=long.csv"]
    refused(others, options, message, ncbench, tmp_path)


def test_the_long_form_has_three_columns(ncbench: Callable, tmp_path: Path) -> None:
    frame = table()
    long(frame).assign(when=1).to_csv(tmp_path / "long.csv", index=False)
    others = frame.drop(columns=["ann", "bob", "eve"])
    options = ["dataset.annotations=long.csv", "dataset.target=checked"]
    message = "4 columns (row, who, label, when); expected three"
    refused(others, options, message, ncbench, tmp_path)
    missing = ["dataset.annotations=no.csv", "dataset.target=checked"]
    refused(others, missing, "no.csv", ncbench, tmp_path)
    long(frame).to_csv(tmp_path / "long.csv", index=False, header=False)
    message = "its first line is '1, ann, "
    refused(others, options, message, ncbench, tmp_path)


def test_one_who_saw_a_frequent_class_alone_is_kept_and_one_whom_others_contradict_is_not() -> None:
    rng = np.random.default_rng(0)
    truth = np.where(rng.random(200) < 0.1, "fraud", "fine")
    frame = pd.DataFrame({"x": rng.normal(size=200), "ann": truth, "bob": truth})
    frame["eve"] = pd.Series(truth).where((truth == "fine") & (np.arange(200) < 60))
    data = annotated_dataset(frame, name="t", where="t", columns=["ann", "bob", "eve"])
    assert data.annotations is not None
    assert (data.annotations.annotators == 2).sum() > 20
    frame["eve"] = np.where(np.arange(200) < 60, "fraud", None)
    with pytest.raises(NcbenchError, match=r"'fraud' in all 60 rows, .* others mostly do not"):
        annotated_dataset(frame, name="t", where="t", columns=["ann", "bob", "eve"])


def test_classes_that_differ_in_capitals_are_pointed_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    frame = table()
    frame.loc[[4, 9], "eve"] = ["Setosa", "SETOSA"]
    annotated_dataset(frame, name="t", where="t", columns=["ann", "eve"])
    said = "'SETOSA' in row 10, 'Setosa' in row 5, 'setosa' in row 1; if they are the same"
    assert f"t: classes that differ in spaces or capitals only: {said}" in capsys.readouterr().err


def test_an_error_of_the_long_form_names_its_file(tmp_path: Path) -> None:
    frame = table()
    people = long(frame)
    people.loc[3, "row"] = 999
    people.to_csv(tmp_path / "long.csv", index=False)
    with pytest.raises(NcbenchError, match=r"long\.csv': row 4 \(line 5\) labels example 999"):
        annotated_dataset(
            frame.drop(columns=["ann", "bob", "eve"]),
            name="t",
            where="t",
            long=read_table(tmp_path / "long.csv"),
        )
    with pytest.raises(NcbenchError, match="no label by anybody"):
        annotated_dataset(frame, name="t", where="t", long=people[:0])
