"""Plug-ins from a single file, named with plugins_from."""

from __future__ import annotations

import json
import pickle
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ncbench.errors import NcbenchError
from ncbench.plugin import files_in_use, get_registry, use_files
from ncbench.plugin.code import PluginFile

SOURCE = """import numpy as np
from ncbench import NoisyLabelClassifier, hookimpl


class Constant(NoisyLabelClassifier):
    '''Predicts class 0 with this probability, and the others equally often.'''

    randomized = True

    def __init__(self, share: float = 0.5):
        self.share = share

    def _fit(self, X, y, noise):
        others = (1 - self.share) / (noise.n - 1)
        self.distribution_ = np.array([self.share] + [others] * (noise.n - 1))

    def _predict_proba(self, X):
        return np.tile(self.distribution_, (len(X), 1))


@hookimpl
def ncbench_algorithms():
    return {"constant": Constant}
"""
QUICK = ("dataset=iris", "trials=1", "measure=balanced_error", "cpe=logistic", "cpe.C=1.0")


@pytest.fixture(autouse=True)
def no_files_in_use_afterwards():
    yield
    use_files([])


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    return path


def records(folder: Path) -> dict[str, dict[str, Any]]:
    paths = sorted(folder.rglob("record.json"))
    return {path.parent.name: json.loads(path.read_text()) for path in paths}


def test_a_file_is_a_plugin_named_by_its_file_and_content(
    ncbench: Callable, mine: Path, tmp_path: Path
) -> None:
    outcome = ncbench(*QUICK, "plugins_from=mine.py", "algo=constant", "algo.share=0.4")
    assert outcome.code == 0
    ((identity, record),) = records(tmp_path).items()
    assert record["plugins"]["algo"] == f"mine.py {PluginFile.read(mine).version}"
    assert record["plugins"]["cpe"] == "ncbench 0.1.0"
    assert record["config"]["plugins_from"] == [str(mine)]
    # Recalls are 0.4, 0.3 and 0.3, so the balanced error is 1 - 1/3.
    assert record["trials"][0]["losses"]["balanced_error"] == pytest.approx(2 / 3)
    out = ncbench("rerun", "outputs", identity, "--plugins-from", "mine.py").out
    assert f"{identity}: identical" in out


def test_the_id_follows_the_content_and_not_the_place(
    ncbench: Callable, mine: Path, tmp_path: Path
) -> None:
    argv = (*QUICK, "algo=constant")
    assert ncbench(*argv, "plugins_from=mine.py").code == 0
    (tmp_path / "else where").mkdir()
    moved = shutil.copy(mine, tmp_path / "else where")
    assert ncbench(*argv, f'plugins_from="{moved}"').code == 0
    assert len(records(tmp_path)) == 1  # found, not run again
    mine.write_text(SOURCE.replace("(1 - self.share)", "(1.0 - self.share)"))
    assert ncbench(*argv, "plugins_from=[mine.py]").code == 0
    assert len(records(tmp_path)) == 2
    # What does not use the file has nothing to do with it.
    for more in ([], ["plugins_from=mine.py"]):
        assert ncbench(*QUICK, "algo=cpe_argmax", *more).code == 0
    assert len(records(tmp_path)) == 3


def test_sweeps_find_the_files(ncbench: Callable, mine: Path, tmp_path: Path) -> None:
    (tmp_path / "second.py").write_text(SOURCE.replace('"constant"', '"other"'))
    files = "plugins_from=[mine.py,second.py]"
    outcome = ncbench("-m", *QUICK, files, "algo=constant,other,cpe_argmax")
    assert outcome.code == 0, outcome.err
    found = {record["plugins"]["algo"].split()[0] for record in records(tmp_path).values()}
    assert found == {"mine.py", "second.py", "ncbench"}
    assert {record["status"] for record in records(tmp_path).values()} == {"done"}


def test_a_file_that_is_edited_during_a_sweep_gives_no_record_under_the_old_id(
    ncbench: Callable, tmp_path: Path
) -> None:
    edits = SOURCE.replace(
        "def _fit(self, X, y, noise):\n",
        "def _fit(self, X, y, noise):\n        open(__file__, 'a').write('# edited\\n')\n",
    )
    (tmp_path / "mine.py").write_text(edits)
    argv = ("-m", *QUICK, "plugins_from=mine.py", "algo=constant", "algo.share=0.4,0.5")
    outcome = ncbench(*argv)
    assert outcome.code == 1
    assert sorted(r["status"] for r in records(tmp_path).values()) == ["done", "failed"]
    assert "algo=constant was from mine.py" in outcome.out
    assert "start the sweep again" in outcome.out


BROKEN = {
    "missing": (None, ["mine.py", "No such file"]),
    "syntax": ("import numpy\n\nclass (:\n", ["mine.py, line 3: SyntaxError: invalid syntax"]),
    "import": ("\nimport nowhere_at_all\n", ["mine.py, line 2: ModuleNotFoundError"]),
    "exit": ("raise SystemExit('no')", ["mine.py, line 1: SystemExit: no"]),
    "no hook": ("x = 1\n", ["mine.py", "no hook; mark one of ncbench_datasets"]),
    "not text": ("\0", ["mine.py", "null bytes"]),
}


def test_a_broken_file_is_one_message(
    ncbench: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for fault in BROKEN:
        monkeypatch.setattr(
            sys, "dont_write_bytecode", True
        )  # Python's own traces are none of ours
        source, fragments = BROKEN[fault]
        if source is not None:
            (tmp_path / "mine.py").write_text(source)
        before = sorted(tmp_path.iterdir())
        named = (["plugins_from=mine.py"], ["plugins", "--plugins-from", "mine.py"])
        for argv in named:
            outcome = ncbench(*argv)
            assert (outcome.code, outcome.out) == (2, "")
            assert outcome.err.startswith("ncbench: ")
            assert outcome.err.count("\n") == 1
            for fragment in fragments:
                assert fragment in outcome.err
        assert sorted(tmp_path.iterdir()) == before


def test_bad_use(
    ncbench: Callable, mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # Python's own traces are none of ours
    (tmp_path / "folder").mkdir()
    (tmp_path / "mine.txt").write_text(SOURCE)
    (tmp_path / "takes_a_name.py").write_text(SOURCE.replace('"constant"', '"ncfw"'))
    before = sorted(tmp_path.iterdir())
    for argv, fragment in (
        (["plugins_from=folder"], "folder"),
        (["plugins_from=mine.txt"], "expected a Python file, NAME.py"),
        (["-m", "plugins_from=mine.py,other.py"], "plugins_from=[mine.py,other.py]"),
        (["plugins_from=[mine.py"], "plugins_from"),
        (["plugins_from=mine.py", "algo=constnat"], "did you mean 'constant'"),
        (["plugins_from=takes_a_name.py", "algo=ncfw"], "rename one of them"),
        (["algo=constant"], "algorithm 'constant' is not known"),
    ):
        outcome = ncbench(*argv)
        use_files([])  # what a command took from files is not for the next one
        assert (outcome.code, outcome.out) == (2, "")
        assert fragment in outcome.err
    assert sorted(tmp_path.iterdir()) == before


def test_plugins_and_help_list_the_file(ncbench: Callable, mine: Path) -> None:
    version = PluginFile.read(mine).version
    listing = json.loads(ncbench("plugins", "--json", "--plugins-from", "mine.py").out)
    (plugin,) = [p for p in listing["plugins"] if p["distribution"] == "mine.py"]
    assert (plugin["kind"], plugin["name"], plugin["version"]) == ("algo", "constant", version)
    assert f"[mine.py {version}]" in ncbench("plugins", "--plugins-from=mine.py").out
    assert "algo.share: float = 0.5" in ncbench("--help", "plugins_from=mine.py").out
    assert "constant" not in ncbench("plugins").out


MEASURE = """from ncbench import Measure, hookimpl


class FirstClass(Measure):
    '''The share that is predicted to be of class 0.'''

    def __call__(self, C):
        return float(C[:, 0].sum())


@hookimpl
def ncbench_measures():
    return {"first_class": FirstClass}
"""


def test_a_measure_of_a_file_on_records_that_are_older(
    ncbench: Callable, mine: Path, tmp_path: Path
) -> None:
    ncbench(*QUICK, "plugins_from=mine.py", "algo=constant", "algo.share=0.4")
    (tmp_path / "new.py").write_text(MEASURE)
    argv = ("aggregate", "outputs", "--value", "first_class", "--format", "json")
    (row,) = json.loads(ncbench(*argv, "--plugins-from", "new.py").out)
    assert row["mean"] == pytest.approx(0.4)
    assert ncbench(*argv).code == 2


def test_use_files_replaces_and_fails_whole(tmp_path: Path) -> None:
    mine = tmp_path / "mine.v2.py"
    mine.write_text(SOURCE)
    use_files([mine, str(mine)])
    assert files_in_use() == [str(mine)]
    algorithm = get_registry().build("algo", "constant", share=0.25)
    fitted = algorithm.fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])
    again = pickle.loads(pickle.dumps(fitted))
    assert np.allclose(again.predict_proba([[0.0]]), [[0.25, 0.375, 0.375]])
    with pytest.raises(NcbenchError):
        use_files([tmp_path / "nothing.py"])
    assert files_in_use() == [str(mine)]
    (tmp_path / "b").mkdir()
    other = tmp_path / "b" / "mine.v2.py"
    other.write_text(SOURCE.replace('"constant"', '"other"'))
    use_files([mine, other])  # two files of one name
    assert get_registry().target("algo", "other") is not get_registry().target("algo", "constant")
    use_files([])
    assert "constant" not in get_registry().names("algo")


def test_of_two_plugins_with_one_name_the_distribution_chooses(
    ncbench: Callable, mine: Path, tmp_path: Path
) -> None:
    assert ncbench(*QUICK, "algo=cpe_argmax").code == 0
    (shipped,) = records(tmp_path)
    mine.write_text(SOURCE.replace('"constant"', '"cpe_argmax"'))
    refused = ncbench(*QUICK, "plugins_from=mine.py", "algo=cpe_argmax")
    assert refused.code == 2
    assert "choose with algo=cpe_argmax@ncbench or algo=cpe_argmax@mine.py" in refused.err
    both = "algo=cpe_argmax@ncbench,cpe_argmax@mine.py"
    outcome = ncbench("-m", *QUICK, "plugins_from=mine.py", both)
    assert outcome.code == 0, outcome.err
    assert "cpe_argmax@mine.py" in outcome.out
    found = records(tmp_path)
    assert len(found) == 2  # the name alone did not make another cell of the shipped one
    assert found.pop(shipped)["plugins"]["algo"] == "ncbench 0.1.0"
    ((identity, other),) = found.items()
    assert other["plugins"]["algo"].startswith("mine.py ")
    assert other["config"]["algo"]["name"] == "cpe_argmax@mine.py"
    again = ncbench("rerun", "outputs", identity, "--plugins-from", "mine.py")
    assert f"{identity}: identical" in again.out, again.err


def test_a_qualified_name_gives_the_same_cell_and_numbers(
    ncbench: Callable, tmp_path: Path
) -> None:
    found = []
    for owner in ("", "@ncbench"):
        chosen = [f"dataset=iris{owner}", f"noise=random{owner}", f"algo=cpe_argmax{owner}"]
        assert ncbench(*QUICK, *chosen, "force=true").code == 0
        ((identity, record),) = records(tmp_path).items()
        found.append((identity, record["noise_matrix"], record["trials"][0]["confusion"]))
    assert found[0] == found[1]


TYPED = """from typing import Literal, Optional, Union
import numpy as np
from ncbench import NoisyLabelClassifier, hookimpl

class Typed(NoisyLabelClassifier):
    def __init__(
        self,
        share: float | str = "half",
        layers: tuple[int, ...] = (32, 16),
        span: tuple[float, float] = (0, 1),
        order: Literal[1, 2] = 1,
        best: Optional[Union[int, str]] = None,
    ):
        self.share, self.layers, self.span = share, layers, span
        self.order, self.best = order, best

    def _fit(self, X, y, noise):
        values = (self.share, self.layers, self.span, self.order, self.best)
        self.diagnostics_, self.n_ = {"seen": repr(values)}, noise.n

    def _predict_proba(self, X):
        return np.full((len(X), self.n_), 1 / self.n_)

@hookimpl
def ncbench_algorithms():
    return {"typed": Typed}
"""


def test_a_plugin_gets_what_its_hints_say(ncbench: Callable, mine: Path, tmp_path: Path) -> None:
    mine.write_text(TYPED)
    given = ["algo.share=2", "algo.layers=[8]", "algo.span=[1,2]", "algo.order=2", "algo.best=x"]
    for values, seen in (
        ([], "('half', (32, 16), (0.0, 1.0), 1, None)"),
        (given, "(2.0, (8,), (1.0, 2.0), 2, 'x')"),
    ):
        outcome = ncbench(*QUICK, "plugins_from=mine.py", "algo=typed", *values, "output_dir=new")
        assert outcome.code == 0, outcome.err
        (record,) = records(tmp_path / "new").values()
        assert record["trials"][0]["diagnostics"] == {"seen": seen}
        shutil.rmtree(tmp_path / "new")
    for value, refusal in (
        ("algo.share=[1]", "algo.share=[1]: [1] is not float or str; expected float | str"),
        ("algo.share=true", "algo.share=True: True is not float or str"),
        ("algo.layers=3", "algo.layers=3: 3 is not a list; expected tuple[int, ...]"),
        ("algo.layers=[1,0.5]", "algo.layers=[1, 0.5]: 0.5 is not int"),
        ("algo.span=[1,2,3]", "[1, 2, 3] has length 3, not 2; expected tuple[float, float]"),
        ("algo.order=3", "algo.order=3; expected one of 1, 2"),
        ("algo.best=[1]", "algo.best=[1]"),
    ):
        outcome = ncbench(*QUICK, "plugins_from=mine.py", "algo=typed", value)
        assert outcome.code == 2
        assert refusal in outcome.err
