"""fit, predict and evaluate, with a table as people have them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from ncbench import g_mean, load
from ncbench.data import TableEncoder
from ncbench.own_labels import OwnData, read_model, read_own_data
from ncbench.own_labels.model import TableModel

FIT = ("fit", "train.csv", "--target", "label", "--out", "model.skops", "--cpe", "logistic")


@pytest.fixture
def wine(tmp_path: Path) -> pd.DataFrame:
    """Write wine with doubtful labels, ids, dates and gaps, in two parts; return the second."""
    data, number = load_wine(return_X_y=True, as_frame=True)
    rng = np.random.default_rng(0)
    names = np.array(["barolo", "grignolino", "barbera"])
    truth = names[number]
    wrong = rng.random(178) < 0.2
    table = data[["alcohol", "color_intensity", "flavanoids", "hue", "proline"]].assign(
        sample=[f"W{k:04d}" for k in range(178)],
        measured_on=pd.date_range("2026-01-01", periods=178).strftime("%Y-%m-%d"),
        cask=rng.choice(["oak", "steel"], 178),
        label=np.where(wrong, rng.choice(names, 178), truth),
        truth=truth,
    )
    table.loc[[3, 60], "hue"] = np.nan
    table.loc[[5, 61], "cask"] = None
    table = table.sample(frac=1, random_state=0, ignore_index=True)
    table[:120].drop(columns="truth").to_csv(tmp_path / "train.csv", index=False)
    table[120:].to_csv(tmp_path / "test.csv", index=False)
    return table[120:].reset_index(drop=True)


def test_from_a_table_to_a_classifier_and_how_good_it_is(
    ncbench: Callable, wine: pd.DataFrame, tmp_path: Path
) -> None:
    done = ncbench(*FIT)
    assert done.code == 0, done.err
    first, second = done.out.splitlines()
    assert first.startswith("Minimized g_mean by soft_fw, learner logistic: 120 rows, 8 features")
    assert first.endswith("classes barbera, barolo, grignolino.")
    assert second.startswith("Wrong labels: ")
    assert second.endswith(" (by held_out_map).")
    assert "left out: sample (id or text: different in each row), measured_on (dates)" in done.err

    done = ncbench("predict", "model.skops", "test.csv", "--out", "predictions.csv")
    assert done.code == 0, done.err
    assert "written: predictions.csv, 58 rows" in done.err
    found = pd.read_csv(tmp_path / "predictions.csv")
    assert list(found.columns) == [
        *("row", "line", "sample", "measured_on", "label", "truth", "predicted"),
        *("p_barbera", "p_barolo", "p_grignolino"),
    ]
    assert found["row"].tolist() == list(range(1, 59))
    assert found["line"].tolist() == list(range(2, 60))
    for name in ("sample", "measured_on", "label", "truth"):
        assert found[name].tolist() == wine[name].tolist()
    np.testing.assert_allclose(found.iloc[:, -3:].sum(axis=1), 1, atol=3e-6)
    assert g_mean(wine["truth"], found["predicted"]) < 0.2

    done = ncbench("evaluate", "model.skops", "test.csv", "--clean-column", "truth")
    assert done.code == 0, done.err
    assert "Labels of column 'truth' taken as clean" in done.out
    loss = g_mean(wine["truth"], found["predicted"])
    assert [f"{loss:.3f}"] == [
        line.split()[1] for line in done.out.splitlines() if line.startswith("g_mean*")
    ]
    right = (wine["truth"] == found["predicted"])[wine["truth"] == "barolo"].mean()
    assert f"barolo {right:.3f}" in done.out.partition("Recall: ")[2]

    done = ncbench("evaluate", "model.skops", "test.csv", "--target", "label")
    assert "taken as noisy, with the noise matrix of the model (by held_out_map)" in done.out
    assert "from 58 noisy labels; the uncertainty of the noise matrix is included" in done.out
    assert "Warning" not in done.err
    done = ncbench("evaluate", "model.skops", "train.csv", "--target", "label")
    assert "Warning: about 100% of these rows equal rows that the model was fitted to" in done.err


def test_a_table_with_other_columns(ncbench: Callable, wine: pd.DataFrame, tmp_path: Path) -> None:
    assert ncbench(*FIT, "--noise-matrix", "none").code == 0
    other = wine[["proline", "cask", "hue", "flavanoids", "color_intensity", "alcohol"]]
    other = other.assign(cask="plastic", predicted="x", price=[*range(57), None])
    other.to_csv(tmp_path / "new.csv", index=False)
    done = ncbench("predict", "model.skops", "new.csv", "--out", "predictions.csv")
    assert done.code == 0, done.err
    assert "column 'cask': 58 new values, first 'plastic' in row 1 (line 2)" in done.err
    assert "are left out: predicted" in done.err
    assert "price" not in done.err  # it is copied
    assert "missing values" not in done.err
    found = (tmp_path / "predictions.csv").read_text().splitlines()
    assert found[0] == "row,line,price,predicted,p_barbera,p_barolo,p_grignolino"
    assert found[2].startswith("2,3,1.0,")  # as pandas wrote it
    assert found[58].startswith("58,59,,")
    gaps = other.assign(hue=np.nan, alcohol=[None, *other["alcohol"][1:]])
    gaps.to_csv(tmp_path / "new.csv", index=False)
    done = ncbench("predict", "model.skops", "new.csv", "--out", "gaps.csv")
    said = "missing values take the median of training: alcohol (1 of 58), hue (58 of 58)\n"
    assert said in done.err
    other.rename(columns={"hue": "HUE"}).to_csv(tmp_path / "new.csv", index=False)
    done = ncbench("predict", "model.skops", "new.csv", "--out", "again.csv")
    assert "no column 'hue', which is one of the features; did you mean 'HUE'?" in done.err
    other.drop(columns="hue").to_csv(tmp_path / "new.csv", index=False)
    done = ncbench("predict", "model.skops", "new.csv", "--out", "again.csv")
    assert done.code == 2
    assert "no column 'hue', which is one of the features" in done.err
    assert not (tmp_path / "again.csv").exists()


def test_a_noise_matrix_of_ones_own(ncbench: Callable, wine: pd.DataFrame, tmp_path: Path) -> None:
    names = ["grignolino", "barolo", "barbera"]
    T = pd.DataFrame(np.full((3, 3), 0.1) + 0.7 * np.eye(3), names, names)
    T.to_csv(tmp_path / "T.csv")
    done = ncbench(*FIT, "--noise-matrix", "T.csv", "--measure", "micro_f1")
    assert done.code == 0, done.err
    assert "Minimized micro_f1 (background class: barbera) by ncbs" in done.out
    assert "Wrong labels: 20.0%, as given." in done.out
    evaluate = ("evaluate", "model.skops", "test.csv", "--target", "label")
    said = ncbench(*evaluate).out
    assert "the noise matrix of the model (as given to fit)" in said
    assert "micro_f1: loss" in said
    assert "micro_f1 leaves out the background class: barbera" in said
    assert "the noise matrix of T.csv" in ncbench(*evaluate, "--noise-matrix", "T.csv").out
    said = ncbench(*evaluate, "--noise-matrix", "none", "--measure", "g_mean,zero_one").out
    assert "taken as clean, by --noise-matrix none" in said
    assert "from 58 labels, taken as clean" in said
    assert "noisy" not in said
    assert [line.partition(":")[0] for line in said.splitlines()[2:]] == ["g_mean", "zero_one"]


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_checked_labels_help_to_estimate_the_noise(
    ncbench: Callable, wine: pd.DataFrame, tmp_path: Path
) -> None:
    wine.loc[30:, "truth"] = None
    wine.to_csv(tmp_path / "train.csv", index=False)
    done = ncbench(*FIT, "--clean-column", "truth")
    assert done.code == 0, done.err
    assert "58 rows, 7 features" in done.out  # the checked labels are not a feature
    done = ncbench("evaluate", "model.skops", "train.csv", "--clean-column", "truth")
    assert "model.skops on train.csv, 30 rows" in done.out
    (zero_one,) = (line for line in done.out.splitlines() if line.startswith("zero_one"))
    assert re.match(r"zero_one +\d\.\d{3} +\d\.\d{3} to \d\.\d{3}", zero_one)
    assert "-0.0" not in done.out


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ((*FIT[:-3], "no/model.skops"), "--out no/model.skops: no such folder"),
        ((*FIT, "--measure", "macro_f1"), "--measure macro_f1 is reported, not optimized; choose"),
        (("fit", "no.csv", *FIT[2:], "--measure", "cost"), "or use Python, where load('measure',"),
        ((*FIT[:-1], "logistik"), "--cpe 'logistik' is not known; did you mean 'logistic'"),
        (("evaluate", "model.skops", "no.csv", "--target", "label", "--measure", "cost"), "Python"),
        ((*FIT[:-1], "sklearn"), "sklearn needs a value for estimator"),
        (
            (*FIT, "--clean-column", "label", "--noise-matrix", "none"),
            "--clean-column is for an estimate of the noise, which --noise-matrix replaces",
        ),
        ((*FIT, "--t-estimator", "known"), "known needs the noise matrix; use --noise-matrix FILE"),
        ((*FIT, "--t-estimator", "trusted"), "needs checked labels; give --clean-column COLUMN"),
        ((*FIT, "--t-estimator", "dawid_skene"), "labels of several people; give --annotators"),
        (("evaluate", "model.skops", "test.csv", "--target", "lable"), "did you mean 'label'?"),
        (("evaluate", "model.skops", "test.csv", "--target", "sample"), "label 'W0"),
        (
            (*("evaluate", "model.skops", "test.csv", "--clean-column", "truth"),
             *("--noise-matrix", "none")),
            "--noise-matrix is for noisy labels",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(
    command: tuple[str, ...], message: str, ncbench: Callable, wine: pd.DataFrame, tmp_path: Path
) -> None:
    if command[1] == "model.skops":
        assert ncbench(*FIT, "--noise-matrix", "none").code == 0
    done = ncbench(*command)
    assert done.code == 2
    assert message in done.err.splitlines()[-1]
    assert "Traceback" not in done.err
    assert "measure=" not in done.err
    if command[0] == "fit":
        assert "macro_f1," not in done.err  # among the known ones


def fitted(X: np.ndarray, threshold: float) -> TableModel:
    y = (X[:, 0] > threshold).astype(np.int64)
    data = OwnData("made up", X, y, ("a", "b"), encoder=TableEncoder())
    return TableModel.fit(data, "label", "zero_one", None, "logistic")


def test_rows_that_were_seen_are_found_in_a_part_of_a_large_file() -> None:
    X = np.random.default_rng(0).normal(size=(8000, 2))
    model = fitted(X[:6000], 0)
    assert len(model.seen) == 1000
    assert model.share_seen(X[:3000]) == 1
    assert model.share_seen(X[6000:]) == 0
    assert abs(model.share_seen(X[4000:]) - 0.5) < 0.1
    assert model.share_repeated(X[6000:]) == 0
    assert model.share_repeated(np.concatenate([X[6000:7000], X[6000:6500]])) == 1000 / 1500
    # Rows that repeat anyway are not called seen.
    X = np.random.default_rng(0).integers(0, 30, size=(3000, 1)).astype(float)
    model = fitted(X[:1500], 12)
    assert model.about["repeated_rows"] == 1
    assert (model.share_seen(X[1500:]), model.share_repeated(X[1500:])) == (0, 0)


def test_whole_numbers_are_classes_by_name(tmp_path: Path) -> None:
    rows = "".join(f"{k},{9 + (k > 10)}\n" for k in range(20))
    (tmp_path / "t.csv").write_text("x,label\n" + rows)
    data = read_own_data(str(tmp_path / "t.csv"), "label", None)
    model = TableModel.fit(data, "label", "zero_one", None, "logistic")
    assert model.classes == ["9", "10"]
    table = pd.DataFrame({"x": [1, 2], "label": ["10", None]})
    X, y = model.labeled(table, "label", "example")
    assert (X.tolist(), y.tolist()) == ([[1.0]], [10])


def test_the_background_class_is_chosen_kept_and_said(ncbench: Callable, tmp_path: Path) -> None:
    few(tmp_path, ["pear", "gourd", "apple"] * 20, "train.csv")
    fit = (*FIT, "--noise-matrix", "none")
    done = ncbench(*fit, "--measure", "micro_f1", "--background", "pear")
    assert done.code == 0, done.err
    assert "Minimized micro_f1 (background class: pear) by ncbs" in done.out
    model = read_model(tmp_path / "model.skops")
    assert model.about["background"] == model.classifier.measure.background == "pear"
    table = pd.read_csv(tmp_path / "train.csv")
    truth, predicted = table["label"], model.classifier.predict(table[["a", "b"]].to_numpy())
    loss = {
        name: load("measure", "micro_f1")(background=name).of_labels(truth, predicted)
        for name in ("pear", "apple")
    }
    assert loss["pear"] != loss["apple"]
    for labels in (["--clean-column", "label"], ["--target", "label", "--noise-matrix", "none"]):
        evaluate = ("evaluate", "model.skops", "train.csv", *labels)
        for more, name in (((), "pear"), (("--background", "apple"), "apple")):
            said = ncbench(*evaluate, *more).out
            assert f"{loss[name]:.3f}" in next(
                line for line in said.splitlines() if line.startswith("micro_f1")
            )
            assert f"micro_f1 leaves out the background class: {name}" in said
    done = ncbench(*fit, "--measure", "micro_f1", "--background", "paer")
    assert done.code == 2
    assert done.err.splitlines()[-1] == (
        "ncbench: --background: class 'paer' is not known; did you mean 'pear'? "
        "Known: apple, gourd, pear"
    )
    done = ncbench(*fit, "--background", "pear")
    assert (done.code, "--measure g_mean leaves out no class" in done.err) == (2, True)
    assert ncbench(*evaluate, "--background", "no").code == 2


def test_what_makes_the_noise_doubtful_is_noted(ncbench: Callable, tmp_path: Path) -> None:
    few(tmp_path, ["a", "b"] * 20, "train.csv")
    (tmp_path / "T.csv").write_text(",a,b\na,0.9,0.1\nb,0.1,0.9\n")
    options = (*FIT[1:4], "--noise-matrix", "T.csv", "--cpe", "logistic")
    note = "Note: classes with fewer than 30 true examples: a (about 20), b (about 20)\n"
    assert note in ncbench("fit", *options, "--out", "model.skops").err
    assert note in ncbench("issues", *options).err


def few(tmp_path: Path, labels: list[str], name: str = "few.csv") -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(len(labels), 2))
    pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "label": labels}).to_csv(tmp_path / name, index=False)


def test_labels_to_evaluate_are_compared_with_the_classes_and_not_guessed(
    ncbench: Callable, tmp_path: Path
) -> None:
    few(tmp_path, [f"{k % 8 / 2}" for k in range(80)], "train.csv")  # 0.0, 0.5, ..., 3.5
    few(tmp_path, ["0.0", "1.0", "2.0", "3.0", ""], "test.csv")  # all whole, each one different
    model = ("--noise-matrix", "none", "--measure", "zero_one")
    assert ncbench(*FIT, *model).code == 0
    done = ncbench("evaluate", "model.skops", "test.csv", "--clean-column", "label")
    assert done.code == 0, done.err
    assert "1 row has no label: left out" in done.err


def test_a_file_without_names_of_columns_gives_no_model(ncbench: Callable, tmp_path: Path) -> None:
    np.savez(tmp_path / "train.npz", X=np.eye(6), y=np.arange(6) % 2)
    done = ncbench("fit", "train.npz", "--target", "y", "--out", "model.skops", "--cpe", "logistic")
    assert done.code == 2
    assert "a model file needs the names of columns" in done.err


def test_the_learner_that_is_recorded_is_the_one_that_was_fitted(tmp_path: Path) -> None:
    few(tmp_path, ["a", "b"] * 20)
    data = read_own_data(str(tmp_path / "few.csv"), "label", None)
    model = TableModel.fit(data, "label", noise_matrix=None)
    assert model.about["cpe"] == "blend"
    assert type(model.classifier.cpe_).__name__ == "Blend"


ODD = {
    "id": ["", "1000000000000000007", "1000000000000000014", "1000000000000000021"],
    "code": ["00001", "00002", "1.50", "-3"],
    "name": ["NA", "None", "nan", "?"],
    "flag": ["TRUE", "true", "False", "FALSE"],
    "note": ["1,5", 'a "b"', "two\nlines", ""],
}


@pytest.mark.parametrize("suffix", [".csv.gz", ".xlsx", ".parquet"])
def test_what_is_not_a_feature_is_copied_as_it_is_written(
    suffix: str, ncbench: Callable, wine: pd.DataFrame, tmp_path: Path
) -> None:
    assert ncbench(*FIT, "--drop", "sample,measured_on").code == 0
    table = wine[:4].drop(columns=["sample", "measured_on"])
    new = pd.concat([pd.DataFrame(ODD), table], axis=1)
    path = tmp_path / f"new{suffix}"
    if suffix == ".xlsx":
        pytest.importorskip("openpyxl", reason="the extra 'excel' is not installed")
        new.to_excel(path, index=False)
    elif suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
        numbers = pd.Series([None, *map(int, ODD["id"][1:])], dtype="Int64")
        new.assign(id=numbers).to_parquet(path)
    else:
        new.to_csv(path, index=False)
    done = ncbench("predict", "model.skops", path.name, "--out", "p.csv")
    assert done.code == 0, done.err
    found = pd.read_csv(tmp_path / "p.csv", dtype=str, keep_default_na=False)
    for name, texts in ODD.items():
        assert found[name].tolist() == texts
    assert found["label"].tolist() == wine["label"][:4].tolist()


def test_ids_of_arff_and_of_a_table_with_an_index_are_copied(
    ncbench: Callable, wine: pd.DataFrame, tmp_path: Path
) -> None:
    assert ncbench(*FIT, "--drop", "sample,measured_on,cask").code == 0
    numbers = ["alcohol", "color_intensity", "flavanoids", "hue", "proline"]
    rows = ["1000000000000000007", "?", "007"]
    lines = [
        ",".join([identity, *map(str, values), "'a, b'"])
        for identity, values in zip(rows, wine[numbers].fillna(1).values.tolist(), strict=False)
    ]
    header = "".join(f"@attribute {name} numeric\n" for name in ["id", *numbers])
    header = f"@relation r\n{header}@attribute kind {{'a, b', c}}\n@data\n% of today\n"
    (tmp_path / "new.arff").write_text(header + "\n".join(lines) + "\n")
    done = ncbench("predict", "model.skops", "new.arff", "--out", "p.csv")
    assert done.code == 0, done.err
    found = pd.read_csv(tmp_path / "p.csv", dtype=str, keep_default_na=False)
    assert found["id"].tolist() == ["1000000000000000007", "", "007"]
    assert found["kind"].tolist() == ["a, b"] * 3

    wine.assign(id=ODD["id"] * 14 + ODD["id"][:2]).to_csv(tmp_path / "new.csv", sep=";")
    done = ncbench("predict", "model.skops", "new.csv", "--out", "p.csv")
    assert done.code == 0, done.err
    found = pd.read_csv(tmp_path / "p.csv", dtype=str, keep_default_na=False)
    assert found["id"].tolist()[:4] == ODD["id"]
    assert found["truth"].tolist() == wine["truth"].tolist()


def test_classes_that_are_equal_as_numbers_are_told_apart_in_evaluate(
    ncbench: Callable, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    number = np.arange(90) % 3
    table = pd.DataFrame({"a": rng.normal(size=90) / 9 + number})
    table.assign(y=np.array(["1", "01", "x"])[number]).to_csv(tmp_path / "t.csv", index=False)
    fit = ("fit", "t.csv", "--target", "y", "--noise-matrix", "none", "--cpe", "logistic")
    assert ncbench(*fit, "--out", "m.skops").code == 0
    both = table.assign(y=np.array(["1", "01", "x"])[number])[number < 2]  # read as numbers
    both.to_csv(tmp_path / "new.csv", index=False)
    done = ncbench("evaluate", "m.skops", "new.csv", "--clean-column", "y", "--measure", "zero_one")
    assert re.search(r"zero_one +0\.000", done.out), done.out


def test_a_shifted_table_is_neither_predicted_nor_judged(
    ncbench: Callable, wine: pd.DataFrame, tmp_path: Path
) -> None:
    assert ncbench(*FIT, "--noise-matrix", "none").code == 0
    header, *rows = (tmp_path / "test.csv").read_text().splitlines()
    (tmp_path / "new.csv").write_text("\n".join([header, *(f"{row}," for row in rows)]) + "\n")
    for command in (
        ("predict", "model.skops", "new.csv", "--out", "p.csv"),
        ("evaluate", "model.skops", "new.csv", "--clean-column", "truth"),
    ):
        done = ncbench(*command)
        assert done.code == 2
        assert "file 'new.csv': " in done.err
        assert "line 2 has 11 fields, but the header has 10" in done.err
    assert not (tmp_path / "p.csv").exists()
