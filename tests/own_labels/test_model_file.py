"""Model files are read as written, or refused in one line before anything in them is built."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix, save_npz
from skops import io as skops

from ncbench.errors import NcbenchError
from ncbench.own_labels import model_file, read_own_data
from ncbench.own_labels.model import TableModel
from ncbench.own_labels.model_file import read_model, write_model
from ncbench.plugin import get_registry, use_files

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 2))
T = [[0.9, 0.2], [0.1, 0.8]]

LEARNER = """
from sklearn.naive_bayes import GaussianNB
from ncbench import hookimpl

class Mine(GaussianNB):
    "A learner of somebody else."
    def __init__(self) -> None:
        super().__init__()

@hookimpl
def ncbench_cpe_learners():
    return {"mine": Mine}
"""

FOREST = """
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier
from ncbench import hookimpl
from ncbench.learning import PlainTrees

class Mine(ClassifierMixin, BaseEstimator):
    "A forest of somebody else."
    def fit(self, X, y):
        fitted = ExtraTreesClassifier(5, random_state=0).fit(X, y)
        self.classes_, self.trees_ = fitted.classes_, PlainTrees.of(fitted)
        return self

    def predict_proba(self, X):
        return self.trees_.predict_proba(X)

@hookimpl
def ncbench_cpe_learners():
    return {"mine": Mine}
"""


class Evil:
    """Leaves a file behind if it is ever built or unpickled."""

    def __reduce__(self) -> Any:
        return (Path.touch, (Path("executed"),))


def fit(folder: Path, **more: Any) -> TableModel:
    table = pd.DataFrame(X, columns=["a", "b"]).assign(label=np.where(X[:, 0] > 0, "yes", "no"))
    table.to_csv(folder / "data.csv", index=False)
    data = read_own_data(str(folder / "data.csv"), "label", None)
    return TableModel.fit(data, "label", **{"noise_matrix": T, "cpe": "logistic", **more})


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a model file."""
    folder = tmp_path_factory.mktemp("model")
    write_model(folder / "model.skops", fit(folder))
    return (folder / "model.skops").read_bytes()


@pytest.fixture
def model(content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a model file, in the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("model.skops").write_bytes(content)
    return Path("model.skops")


def sealed(change: Callable[[zipfile.ZipFile, dict[str, bytes]], None], model: Path) -> None:
    """Write a model file with other content and the right checksum, as an attacker would."""
    with zipfile.ZipFile(model) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        change(file, parts)
        for name, part in parts.items():
            file.writestr(name, part)
        file.comment = b"ncbench model 1 " + b"0" * 64
    content = stream.getvalue()[:-64]
    model.write_bytes(content + hashlib.sha256(content).hexdigest().encode())


def seal_description(model: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Write a model file with another description."""

    def described(file: zipfile.ZipFile, parts: dict[str, bytes]) -> None:
        about = json.loads(parts["ncbench.json"])
        change(about)
        parts["ncbench.json"] = json.dumps(about).encode()

    sealed(described, model)


def seal_schema(model: Path, change: Callable[[dict[str, Any]], Any], **more: bytes) -> None:
    """Write a model file with other content of its parts, and more files in it."""

    def changed(file: zipfile.ZipFile, parts: dict[str, bytes]) -> None:
        schema = json.loads(parts["schema.json"])
        change(schema["content"])
        parts |= {"schema.json": json.dumps(schema).encode(), **more}

    sealed(changed, model)


def refusal(model: Path) -> str:
    with pytest.raises(NcbenchError) as raised:
        read_model(model)
    assert "\n" not in str(raised.value)
    assert not Path("executed").exists()
    return str(raised.value)


@pytest.mark.parametrize("cpe", ["power_forward", "anchored", "boosting"])
def test_a_model_predicts_as_before(cpe: str, tmp_path: Path) -> None:
    model = fit(tmp_path, cpe=cpe)
    write_model(tmp_path / "model.skops", model)
    again = read_model(tmp_path / "model.skops")
    then = model.classifier.predict(X), model.classifier.predict_proba(X)
    for now, before in zip(again.classifier.predict_in_parts([X[:50], X[50:]]), then, strict=True):
        np.testing.assert_array_equal(now, before)
    assert again.encoder == model.encoder
    assert {**again.about, **model.about} == again.about
    assert again.about["noise_matrix"] == T
    assert again.about["versions"].keys() == {"ncbench", "scikit-learn"}


@pytest.mark.slow(reason="estimates and fits for seconds")
def test_the_uncertainty_of_the_noise_is_kept(tmp_path: Path) -> None:
    model = fit(tmp_path, noise_matrix="estimate")
    write_model(tmp_path / "model.skops", model)
    again = read_model(tmp_path / "model.skops")
    np.testing.assert_array_equal(
        again.classifier.noise_matrix_.draws, model.classifier.noise_matrix_.draws
    )
    assert again.about["t_estimator"] == "held_out_map"
    assert np.shape(again.about["low"]) == np.shape(again.about["high"]) == (2, 2)


def test_no_changed_byte_is_overlooked(model: Path) -> None:
    content = model.read_bytes()
    ends = [*range(40), *range(len(content) - 130, len(content))]
    for place in [*ends, *RNG.integers(len(content), size=100)]:
        changed = bytearray(content)
        changed[place] ^= 1 << int(RNG.integers(8))
        model.write_bytes(changed)
        refusal(model)


def test_a_file_that_is_cut_off_is_refused(model: Path) -> None:
    whole = model.read_bytes()
    for length in (0, 89, 5000, -1):
        model.write_bytes(whole[:length])
        assert "cut off" in refusal(model)


def test_pickles_and_foreign_files_are_refused_unread(model: Path) -> None:
    for content in (
        pickle.dumps(Evil()),
        b"PK\x03\x04" + pickle.dumps(Evil()),
        skops.dumps({"encoder": 1}),
        b"row,line\n1,2\n",
    ):
        model.write_bytes(content)
        assert "not a file that `ncbench fit` wrote" in refusal(model)
    joblib.dump(Evil(), model)
    assert "Pickle and joblib files can run code" in refusal(model)
    # The comment of a model at the end of a pickle: the checksum is right, and it is no zip file.
    content = pickle.dumps(Evil()) + b"ncbench model 1 "
    model.write_bytes(content + hashlib.sha256(content).hexdigest().encode())
    assert "cannot be read: File is not a zip file" in refusal(model)


def test_no_file_and_a_folder_are_said(model: Path) -> None:
    assert "No such file" in refusal(Path("nowhere.skops"))
    assert "Is a directory" in refusal(model.parent)


def test_another_version_is_refused_with_what_to_do(model: Path) -> None:
    whole = model.read_bytes()
    for name in ("ncbench", "scikit-learn"):
        model.write_bytes(whole)
        seal_description(model, lambda about, name=name: about["versions"].update({name: "9.9"}))
        said = refusal(model)
        assert f"written with {name} 9.9, but {name} " in said
        assert f"pip install '{name}==9.9'" in said


def test_a_file_does_not_write_the_command_we_recommend(model: Path) -> None:
    whole = model.read_bytes()
    for found in (
        {"evil": "1"},
        {"evil' ; touch executed ; echo '": "1"},
        {"ncbench": "1' ; touch executed ; echo '"},
        {"evil ; touch executed ; .py": "1"},
        {"--evil.py": "1"},
        {"scikit-learn": "two\nlines"},
    ):
        model.write_bytes(whole)
        seal_description(model, lambda about, found=found: about["versions"].update(found))
        said = refusal(model)
        assert any(repr(text) in said for text in (*found, *found.values()))
        assert "pip install" not in said
        assert "--plugins-from" not in said


def test_another_format_is_refused(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_file, "FORMAT", 2)
    assert "format 1, but ncbench 0.1.0 reads format 2" in refusal(model)


HOSTILE = {
    "a function": {"__module__": "os", "__class__": "system", "__loader__": "FunctionNode"},
    "a method of the standard library": {
        "__module__": "operator",
        "__class__": "methodcaller",
        "__loader__": "OperatorFuncNode",
        "attrs": {
            "__module__": "builtins", "__class__": "tuple", "__loader__": "TupleNode",
            "content": [],
        },
    },
    "a class to be called": {
        "__module__": "subprocess",
        "__class__": "Popen",
        "__loader__": "ConstructorFromReduceNode",
        "content": {
            "__module__": "builtins",
            "__class__": "tuple",
            "__loader__": "TupleNode",
            "content": [
                {
                    "__module__": "builtins", "__class__": "str", "__loader__": "JsonNode",
                    "content": '["touch", "executed"]',
                }
            ],
        },
    },
    "a function beside a learner": {
        "__module__": "ncbench_plugins.cpe.forward_models", "__class__": "load",
        "__loader__": "FunctionNode",
    },
    "a module that a plug-in package has": {
        "__module__": "ncbench_plugins.cpe.not_imported", "__class__": "Any",
        "__loader__": "ObjectNode",
    },
    "a tree": {
        "__module__": "sklearn.ensemble._hist_gradient_boosting.predictor",
        "__class__": "TreePredictor", "__loader__": "ObjectNode",
    },
    "a sparse matrix": {
        "__module__": "scipy.sparse._matrix", "__class__": "spmatrix",
        "__loader__": "SparseMatrixNode", "type": "scipy", "file": "matrix.npz",
    },
    "an estimator that makes sparse matrices": {
        "__module__": "sklearn.preprocessing._encoders", "__class__": "OneHotEncoder",
        "__loader__": "ObjectNode",
    },
    "a call of a trusted class": {
        "__module__": "ncbench.core.noise_matrix", "__class__": "NoiseMatrix",
        "__loader__": "ListNode", "content": [],
    },
    "a name of two lines": {"__module__": "a", "__class__": "b\nc", "__loader__": "ObjectNode"},
}  # fmt: skip


def out_of_bounds() -> bytes:
    """Return a sparse matrix whose indices lead out of memory."""
    matrix = csr_matrix(np.ones((1, 3)))
    matrix.indices[:] = 2**28
    stream = io.BytesIO()
    save_npz(stream, matrix)
    return stream.getvalue()


def test_a_schema_that_names_other_code_is_refused_unread(model: Path) -> None:
    whole = model.read_bytes()
    for what, node in HOSTILE.items():
        model.write_bytes(whole)
        also = {"also": node}  # skops would build it, and nothing would miss it
        matrix = {"matrix.npz": out_of_bounds()}
        seal_schema(model, lambda parts, also=also: parts.update(also), **matrix)
        assert "which a model file may not have" in refusal(model), what


DESCRIPTIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no measure": lambda about: about.pop("measure"),
    "a measure that is no name": lambda about: about.update(measure={}),
    "a target that is no name": lambda about: about.update(target=3),
    "no learner": lambda about: about.pop("cpe"),
    "a learner that is no name": lambda about: about.update(cpe=[]),
    "no versions": lambda about: about.pop("versions"),
    "a version that is no text": lambda about: about["versions"].update(ncbench=1),
    "more classes": lambda about: about["classes"].append("perhaps"),
    "other classes": lambda about: about.update(classes=["a", "b"]),
}


def test_a_made_up_description_is_refused(model: Path) -> None:
    whole = model.read_bytes()
    for what, change in DESCRIPTIONS.items():
        model.write_bytes(whole)
        seal_description(model, change)
        assert "cannot be read" in refusal(model), what


def test_no_text_of_a_model_reaches_the_terminal_with_escape_codes(
    model: Path, ncbench: Callable, tmp_path: Path
) -> None:
    fit(tmp_path)  # data.csv
    seal_description(model, lambda about: about.update(t_estimator="\x1b[2Jx", target="\x1b[3Jy"))
    for column in ("--target", "--clean-column"):
        done = ncbench("evaluate", "model.skops", "data.csv", column, "label")
        assert done.code == 0, done.err
        assert "\x1b" not in done.out + done.err
    done = ncbench("evaluate", "model.skops", "data.csv", "--target", "label")
    assert r"(by \x1b[2Jx)" in done.out


def attributes(parts: dict[str, Any], of: str) -> dict[str, Any]:
    found: dict[str, Any] = parts[of]["content"]["content"]
    return found


COLUMN = {"__module__": "builtins", "__class__": "str", "__loader__": "JsonNode"}
INCOMPLETE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no noise matrix": lambda parts: attributes(parts, "classifier").pop("noise_matrix_"),
    "no rule": lambda parts: attributes(parts, "classifier").pop("_rule"),
    "no classes": lambda parts: attributes(parts, "classifier").pop("classes_"),
    "columns that are none": lambda parts: attributes(parts, "encoder").update(
        columns={**COLUMN, "content": '[{"name": "a"}]'}
    ),
    "columns of another number": lambda parts: attributes(parts, "encoder").update(
        columns={**COLUMN, "content": '[{"name": "a", "kind": "number", "fill": 0, "values": []}]'}
    ),
}


def test_a_model_that_cannot_predict_is_refused(model: Path) -> None:
    whole = model.read_bytes()
    for what, change in INCOMPLETE.items():
        model.write_bytes(whole)
        seal_schema(model, change)
        assert "cannot be read" in refusal(model), what


def test_only_the_package_of_the_learner_is_loaded(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = type(get_registry()).target

    def broken(self: Any, kind: str, name: str) -> Any:
        if (kind, name) != ("cpe", "logistic"):
            raise ModuleNotFoundError(name)
        return target(self, kind, name)

    monkeypatch.setattr(type(get_registry()), "target", broken)
    write_model(Path("again.skops"), read_model(model))
    assert read_model("again.skops").about["cpe"] == "logistic"


def test_made_up_content_is_refused(model: Path) -> None:
    def without(file: zipfile.ZipFile, parts: dict[str, bytes]) -> None:
        del parts["ncbench.json"]

    def compressed(file: zipfile.ZipFile, parts: dict[str, bytes]) -> None:
        file.writestr("bomb.npy", b"0" * 10**6, zipfile.ZIP_DEFLATED)

    def deep(file: zipfile.ZipFile, parts: dict[str, bytes]) -> None:
        parts["schema.json"] = b"[" * 10**5

    for change in (compressed, without, deep):
        good = model.read_bytes()
        sealed(change, model)
        assert "cannot be read" in refusal(model)
        model.write_bytes(good)


def test_a_learner_of_a_plug_in_is_trusted_while_the_plug_in_is_there(
    ncbench: Callable, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(FOREST)
    fit(tmp_path)  # data.csv
    arguments = ("data.csv", "--target", "label", "--noise-matrix", "none", "--cpe", "mine")
    done = ncbench("fit", *arguments, "--out", "model.skops", "--plugins-from", "mine.py")
    assert done.code == 0, done.err
    predict = ("predict", "model.skops", "data.csv", "--out", "out.csv")
    assert ncbench(*predict, "--plugins-from", "mine.py").code == 0
    use_files([])
    done = ncbench(*predict)
    assert done.code == 2
    assert "written with mine.py" in done.err
    assert "--plugins-from mine.py" in done.err


def test_a_learner_that_a_file_cannot_hold_is_refused_before_the_data_is_read(
    ncbench: Callable, tmp_path: Path
) -> None:
    forest = LEARNER.replace("sklearn.naive_bayes", "sklearn.ensemble")
    (tmp_path / "mine.py").write_text(forest.replace("GaussianNB", "RandomForestClassifier"))
    arguments = ("nowhere.csv", "--target", "label", "--cpe", "mine", "--out", "model.skops")
    done = ncbench("fit", *arguments, "--plugins-from", "mine.py")
    use_files([])
    assert done.code == 2
    assert "trees of scikit-learn cannot be checked when they are read; use a lea" in done.err
    assert "has 'sklearn.tree._" in done.err
    assert "--cpe boosting" in done.err


def test_trees_predict_the_same_in_another_process(ncbench: Callable, tmp_path: Path) -> None:
    expected = fit(tmp_path, cpe="blend").classifier.predict_proba(X)
    noise = pd.DataFrame(T, index=["no", "yes"], columns=["no", "yes"])
    noise.to_csv(tmp_path / "noise.csv", index_label="labeled")
    arguments = ("data.csv", "--target", "label", "--noise-matrix", "noise.csv")
    done = ncbench("fit", *arguments, "--cpe", "blend", "--out", "model.skops")
    assert done.code == 0, done.err
    np.save(tmp_path / "X.npy", X)
    code = (
        "import numpy as np; from ncbench.own_labels import read_model; "
        "np.save('p', read_model('model.skops').classifier.predict_proba(np.load('X.npy')))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    np.testing.assert_allclose(np.load(tmp_path / "p.npy"), expected, rtol=0, atol=1e-12)
