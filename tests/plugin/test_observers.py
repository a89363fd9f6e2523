"""Observers: told of each cell, asked for by name, and never in the way."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import pytest
from needs import SLOW_AND_BAD

from ncbench.cli.main import main

QUICK = ("dataset=iris", "trials=1", "measure=h_mean", "cpe=logistic", "cpe.C=1.0")

# An observer that writes down what it is told.
WATCH = """
import json, os
from ncbench import hookimpl


def write(*line):
    with open("seen.jsonl", "a") as file:
        file.write(json.dumps([*line, os.getpid()]) + "\\n")


class Watch:
    '''Writes down what it is told.'''

    def run_started(self, config):
        write("started", config["algo"]["name"], config["id"])
        config["sigma"] = "spoilt"  # a copy: nobody minds

    def run_finished(self, record):
        there = os.path.exists(f"{record['config']['output_dir']}/cells/{record['id']}/record.json")
        write(record["status"], record["config"]["algo"]["name"], record["id"], there)
        record.clear()


@hookimpl
def ncbench_observers():
    return {"watch": Watch}
"""


@pytest.fixture
def seen(tmp_path: Path) -> Callable[[], list[list[Any]]]:
    (tmp_path / "watch.py").write_text(WATCH)
    log = tmp_path / "seen.jsonl"

    def read() -> list[list[Any]]:
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return [json.loads(line) for line in lines]

    return read


def test_an_observer_is_told_of_every_cell_whatever_becomes_of_it(
    ncbench: Callable, seen: Callable
) -> None:
    watched = (f"plugins_from=[watch.py,{SLOW_AND_BAD}]", "observers=[watch]", *QUICK)
    argv = ("-m", *watched, "algo=cpe_argmax,ncbs,raises,killed")
    assert ncbench(*argv).code == 1
    told = seen()
    assert [line[:2] for line in told] == [
        *(["started", "cpe_argmax"], ["done", "cpe_argmax"]),
        ["skipped", "ncbs"],  # it does not optimise h_mean, and never starts
        *(["started", "raises"], ["failed", "raises"]),
        *(["started", "killed"], ["failed", "killed"]),
    ]
    # Both times in the cell's own process, with the record in place at the end; the process that
    # notices a kill says so in its stead.
    first, killed = told[0][-1], told[5][-1]
    assert len({first, killed, os.getpid()}) == 3
    assert told[1][2:] == [told[0][2], True, first]
    assert told[6][2:] == [told[5][2], True, os.getpid()]
    # Found finished: nothing ran, nobody is told.
    assert ncbench("-m", *watched, "algo=cpe_argmax,ncbs").code == 0
    assert seen() == []


def test_a_cell_alone_that_raises_is_finished_for_its_observers(
    ncbench: Callable, seen: Callable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    argv = [f"plugins_from=[watch.py,{SLOW_AND_BAD}]", "observers=watch", *QUICK, "algo=raises"]
    monkeypatch.setattr(sys, "argv", ["ncbench", *argv])
    with pytest.raises(RuntimeError, match="no luck"):
        main()
    assert [line[0] for line in seen()] == ["started", "failed"]
    assert not list(tmp_path.rglob("record.json"))


def test_observing_changes_neither_id_nor_numbers(
    ncbench: Callable, seen: Callable, tmp_path: Path
) -> None:
    assert ncbench("plugins_from=watch.py", *QUICK, "algo=cpe_argmax").code == 0
    assert seen() == []  # who was not asked for is not called
    (path,) = tmp_path.rglob("record.json")
    before = json.loads(path.read_text())
    watched = ("plugins_from=watch.py", "observers=watch", "force=true")
    assert ncbench(*QUICK, "algo=cpe_argmax", *watched).code == 0
    (again,) = tmp_path.rglob("record.json")
    after = json.loads(again.read_text())
    assert after["trials"][0]["losses"] == before["trials"][0]["losses"]
    assert after["config"]["sigma"] == before["config"]["sigma"]
    assert len(seen()) == 2
    assert ncbench("rerun", "outputs", before["id"], "--plugins-from", "watch.py").code == 0
    assert seen() == []  # a rerun is no run


def test_an_observer_that_raises_is_a_warning(ncbench: Callable, tmp_path: Path) -> None:
    (tmp_path / "moody.py").write_text(
        "from ncbench import hookimpl\n\n"
        "class Moody:\n"
        "    def run_started(self, config):\n        raise OSError('disk full')\n"
        "    def run_finished(self, record):\n        raise SystemExit(3)\n\n"
        "@hookimpl\ndef ncbench_observers():\n    return {'moody': Moody, 'idle': object}\n"
    )
    outcome = ncbench("plugins_from=moody.py", "observers=moody", *QUICK, "algo=cpe_argmax")
    assert outcome.code == 0
    assert outcome.out.startswith("done ")
    assert outcome.err.splitlines() == [
        "ncbench: warning: observer 'moody' failed in run_started: OSError: disk full",
        "ncbench: warning: observer 'moody' failed in run_finished: SystemExit: 3",
    ]
    idle = ncbench("plugins_from=moody.py", "observers=idle", *QUICK, "algo=cpe_argmax")
    assert idle.code == 2
    assert "observers=[idle] has no method; write one of run_started, trial_fin" in idle.err


def test_observers_are_listed(ncbench: Callable, seen: Callable) -> None:
    listing = json.loads(ncbench("plugins", "--json", "--plugins-from", "watch.py").out)
    assert [(o["name"], o["distribution"]) for o in listing["observers"]] == [
        ("mlflow", "ncbench"),
        ("watch", "watch.py"),
    ]
    assert (
        "  watch           Writes down what it is told."
        in ncbench("plugins", "--plugins-from", "watch.py").out
    )


def test_what_an_observer_needs_is_missed_before_the_first_cell(
    ncbench: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for mode in ([], ["-m"]):
        monkeypatch.setattr("ncbench_plugins.observers.mlflow.find_spec", lambda name: None)
        refused = ncbench(*mode, *QUICK, "observers=[mlflow]")
        assert refused.code == 2
        assert refused.err == (
            "ncbench: observers=[mlflow]: mlflow is not installed: pip install 'ncbench[mlflow]'\n"
        )
        assert list(tmp_path.iterdir()) == []


# MLflow, for real, into a folder


@pytest.fixture
def mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "mlruns").as_uri())
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # MLflow 3 would rather have a server
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "noise")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    forkserver._forkserver._stop()  # one that an earlier test started has another environment
    from mlflow.tracking import MlflowClient

    return MlflowClient()


@pytest.mark.slow(reason="whole sweeps that are observed")
def test_mlflow_follows_a_sweep(
    ncbench: Callable, seen: Callable, mlflow: Any, tmp_path: Path
) -> None:
    argv = ("dataset=iris", "trials=2", f"plugins_from={SLOW_AND_BAD}", "algo.max_iter=20")
    assert ncbench(*argv, "observers=mlflow").code == 0
    argv = (*argv[:3], "algo=ncbs,killed")
    assert ncbench("-m", *argv, "observers=[mlflow]").code == 1
    records = {
        record["config"]["algo"]["name"]: record
        for path in tmp_path.rglob("cells/*/record.json")
        for record in [json.loads(path.read_text())]
    }
    experiment = mlflow.get_experiment_by_name("noise").experiment_id
    runs = {run.data.params["algo"]: run for run in mlflow.search_runs([experiment])}
    assert len(mlflow.search_runs([experiment])) == len(runs) == len(records) == 3
    status = {name: (r.info.status, r.data.tags["ncbench.status"]) for name, r in runs.items()}
    assert status == {
        "ncfw": ("FINISHED", "done"),
        "ncbs": ("FINISHED", "skipped"),
        "killed": ("FAILED", "failed"),  # begun by a process that is gone, ended by another
    }
    run, record = runs["ncfw"], records["ncfw"]
    assert run.data.tags["ncbench.id"] == record["id"]
    assert run.data.tags["ncbench.algo"] == "ncbench 0.1.0"
    assert run.data.params["algo.max_iter"] == "20"
    losses = [trial["losses"]["h_mean"] for trial in record["trials"]]
    assert run.data.metrics["h_mean"] == pytest.approx(sum(losses) / 2)
    history = mlflow.get_metric_history(run.info.run_id, "trial.h_mean")
    assert {m.step: m.value for m in history} == dict(enumerate(losses))
    kept = Path(mlflow.download_artifacts(run.info.run_id, "record.json", str(tmp_path)))
    del record["checksum"]  # of the file
    assert json.loads(kept.read_text()) == record


FOLLOWS = """
import json
from ncbench import hookimpl


class Follows:
    '''Writes down trials and sweeps.'''

    def __init__(self, path: str, steps: tuple[int, ...] = (1, 2)):
        self.path, self.steps = path, steps

    def write(self, *line):
        with open(self.path, "a") as file:
            file.write(json.dumps([*line, self.steps]) + "\\n")

    def trial_finished(self, config, trial):
        self.write("trial", config["id"], trial["trial"], trial["losses"]["h_mean"])

    def sweep_finished(self, sweep):
        self.write("sweep", sweep["cells"])


@hookimpl
def ncbench_observers():
    return {"follows": Follows}
"""


@pytest.mark.slow(reason="whole sweeps that are observed")
def test_an_observer_has_parameters_and_hears_of_trials_and_of_the_end(
    ncbench: Callable, tmp_path: Path
) -> None:
    (tmp_path / "follows.py").write_text(FOLLOWS)
    observed = ("plugins_from=follows.py", "observers=[{follows:{path:log,steps:[3]}}]")
    cell = (*observed, *QUICK, "trials=2")
    assert ncbench("-m", *cell, "algo=cpe_argmax,ncbs").code == 0
    *trials, sweep = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    found = [json.loads(path.read_text()) for path in tmp_path.rglob("record.json")]
    (done,) = (record for record in found if record["status"] == "done")
    assert trials == [
        ["trial", done["id"], t["trial"], t["losses"]["h_mean"], [3]] for t in done["trials"]
    ]
    assert sweep == ["sweep", {record["id"]: record["status"] for record in found}, [3]]


def test_observers_and_their_parameters_are_checked(ncbench: Callable, tmp_path: Path) -> None:
    (tmp_path / "follows.py").write_text(FOLLOWS)
    for observers, fragment in {
        "[mlfow]": "observer 'mlfow' is not known; did you mean 'mlflow'?",
        "[1]": "observers=[1]; expected a list of names: observers=[NAME,NAME]",
        "null": "observers=None",
        "[follows]": "observers=follows needs {follows:{path:...}} (str)",
        "[{follows:{path:[1]}}]": "observers.path=[1]; expected str",
        "[{follows:{paht:x}}]": "observers=follows: parameter 'paht' is not known; did you mean",
        "[{follows:3}]": "with parameters observers=[{NAME:{KEY:VALUE}}]",
        "[{mlflow:{experiment:[]}}]": "observers.experiment=[]; expected str",
    }.items():
        outcome = ncbench("plugins_from=follows.py", f"observers={observers}", *QUICK)
        assert (outcome.code, outcome.out) == (2, "")
        assert fragment in outcome.err
    assert {path.name for path in tmp_path.iterdir()} <= {"follows.py", "__pycache__"}
