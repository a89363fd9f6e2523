"""Sweeps that survive: kills, failures, company, and a second start."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ncbench.run.sweep import describe
from ncbench.run.worker import Worker

PACKAGES = Path(__file__).parents[1] / "plugin_packages"
QUICK = ("dataset=iris", "trials=2")
JOBLIB = ("hydra/launcher=joblib", "hydra.launcher.n_jobs=2")


@pytest.fixture(scope="session")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the plug-ins of the tests into a folder of their own."""
    site = tmp_path_factory.mktemp("site")
    source = tmp_path_factory.mktemp("source") / "slow-and-bad"
    shutil.copytree(PACKAGES / "slow-and-bad", source)  # a build leaves files behind
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site)]
    subprocess.run([*pip, str(source)], check=True, capture_output=True)
    return site


class Sweeper:
    """Runs ncbench in processes of its own, in a folder, with the plug-ins of the tests."""

    def __init__(self, folder: Path, plugins: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.fits = folder / "fits"
        cache = {"NCBENCH_CACHE_HOME": str(folder / "cache")}
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(plugins),
            "FITS": str(self.fits),
            **cache,
        }

    def start(self, *argv: str, quiet: bool = False) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "ncbench", *argv],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL if quiet else subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *argv: str, code: int = 0) -> str:
        process = self.start(*argv)
        out, _ = process.communicate(timeout=300)
        assert process.returncode == code, out
        return out

    def records(self, output_dir: str = "outputs") -> dict[str, dict[str, Any]]:
        paths = (self.folder / output_dir / "cells").rglob("record.json")
        return {path.parent.name: json.loads(path.read_text()) for path in paths}

    def done(self) -> int:
        return sum(record["status"] == "done" for record in self.records().values())


@pytest.fixture
def sweeper(tmp_path: Path, plugins: Path) -> Sweeper:
    return Sweeper(tmp_path, plugins)


def numbers(record: dict[str, Any]) -> list[Any]:
    return [{k: v for k, v in trial.items() if k != "seconds"} for trial in record["trials"]]


def _left_behind(sweeper: Sweeper) -> list[str]:
    """Return the processes that still work in the sweep's folder; none can be told off Linux."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if Path(os.readlink(process / "cwd")) == sweeper.folder:
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


def kill_again_and_again(sweeper: Sweeper, launcher: tuple[str, ...], kills: int) -> None:
    """Kill a sweep of 40 cells at random moments, go on each time, and check what is left."""
    cells = ",".join(map(str, range(40)))
    slow = ("algo=slow", f"algo.number={cells}", "algo.seconds=0.4")
    command = ("-m", *QUICK, *slow, *launcher)
    rng = random.Random(0)
    landed = 0
    while landed < kills:
        process = sweeper.start(*command, quiet=True)
        started_with = sweeper.done()
        # Half of the kills come at any moment, half once the first cells of this start are done.
        if landed % 2:
            deadline = time.time() + 30
            while sweeper.done() <= started_with and time.time() < deadline:
                time.sleep(0.05)
            time.sleep(rng.uniform(0, 0.5))
        else:
            time.sleep(rng.uniform(0, 3))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            landed += 1
        process.wait()
        if sweeper.done() == 40:
            break
    assert landed >= kills, f"all cells were done after {landed} kills"
    deadline = time.time() + 20
    while _left_behind(sweeper) and time.time() < deadline:
        time.sleep(0.2)
    assert _left_behind(sweeper) == []
    out = sweeper.run(*command)
    assert "Losses" in out

    records = sweeper.records()
    assert len(records) == 40
    assert {record["status"] for record in records.values()} == {"done"}
    # No cell ran again after it was done.
    finished = {
        record["config"]["algo"]["number"]: path.stat().st_mtime
        for path in (sweeper.folder / "outputs" / "cells").rglob("record.json")
        for record in [json.loads(path.read_text())]
    }
    for entry in sweeper.fits.read_text().splitlines():
        number, _, moment = entry.split()
        assert float(moment) <= finished[int(number)]


def test_a_cell_is_described_by_what_is_not_as_by_default() -> None:
    config: dict[str, Any] = {
        **{"measure": {"name": "h_mean"}, "dataset": {"name": "iris"}, "noise": {"name": "random"}},
        **{"algo": {"name": "ncfw", "max_iter": 5000}, "cpe": {"name": "stacked"}},
        **{"t_estimator": {"name": "known"}, "sigma": 0.1, "test_size": 0.3, "seed": 0},
    }
    usual = "measure=h_mean dataset=iris noise=random sigma=0.1 algo=ncfw"
    assert describe(config) == usual
    assert describe({**config, "cpe": {"name": "boosting"}}) == f"{usual} cpe=boosting"
    assert describe({**config, "t_estimator": {"name": "anchor"}}) == f"{usual} t_estimator=anchor"
    few = {**config, "algo": {"name": "ncfw", "max_iter": 50}, "seed": 1}
    assert describe(few) == f"{usual} algo.max_iter=50 seed=1"
    path = {"name": "file", "path": "/a/very/long/way/to/the/folder/of/mine.csv"}
    assert describe({**config, "dataset": path}).endswith("dataset.path=...he/folder/of/mine.csv")
    gone = {**config, "algo": {"name": "not_installed", "k": 1}}
    assert describe(gone) == usual.replace("ncfw", "not_installed")


def test_a_sweep_survives_forty_kills(tmp_path: Path, plugins: Path) -> None:
    basic = Sweeper(tmp_path / "basic", plugins)
    joblib = Sweeper(tmp_path / "joblib", plugins)
    with ThreadPoolExecutor() as pool:  # one on each core
        first = pool.submit(kill_again_and_again, basic, (), 20)
        second = pool.submit(kill_again_and_again, joblib, JOBLIB, 20)
        first.result()
        second.result()
    undisturbed = Sweeper(tmp_path / "undisturbed", plugins)
    cells = ",".join(map(str, range(40)))
    undisturbed.run("-m", *QUICK, "algo=slow", f"algo.number={cells}", "algo.seconds=0")
    tables = [
        json.loads(s.run("aggregate", "outputs", "--format", "json"))
        for s in (basic, joblib, undisturbed)
    ]
    for row in itertools.chain(*tables):
        del row["id"]  # algo.seconds is not the same
    assert tables[0] == tables[1] == tables[2]
    assert len(tables[0]) == 40


def test_cells_that_raise_exit_or_are_killed_leave_the_others_alone(sweeper: Sweeper) -> None:
    out = sweeper.run("-m", *QUICK, "algo=raises,exits,killed,cpe_argmax,nclr_plugin", code=1)
    by_name = {r["config"]["algo"]["name"]: r for r in sweeper.records().values()}
    assert {name: record["status"] for name, record in by_name.items()} == {
        **dict.fromkeys(["raises", "exits", "killed"], "failed"),
        **dict.fromkeys(["cpe_argmax", "nclr_plugin"], "done"),
    }
    assert "RuntimeError: no luck" in by_name["raises"]["traceback"]
    assert by_name["exits"]["reason"] == "SystemExit: 3"
    assert "SIGKILL" in by_name["killed"]["reason"]
    failures = out[out.index("failed            measure") :]
    for name in ("raises", "exits", "killed"):
        assert by_name[name]["id"] in failures

    # Failed cells run again; finished ones are found.
    out = sweeper.run("-m", *QUICK, "algo=raises,cpe_argmax", code=1)
    assert out.count("(found finished)") == 1
    assert "failed   measure=h_mean dataset=iris noise=random sigma=0.1 algo=raises" in out


def test_on_error_raise_stops_at_the_first(sweeper: Sweeper) -> None:
    command = ("-m", *QUICK, "algo=raises,cpe_argmax", "on_error=raise")
    out = sweeper.run(*command, code=1)
    assert [r["status"] for r in sweeper.records().values()] == ["failed"]
    assert "1 cell was not run. Resume with: python -m ncbench -m dataset=iris" in out


def test_finished_cells_are_found_and_force_runs_them_again(sweeper: Sweeper) -> None:
    command = ("-m", *QUICK, "algo=slow", "algo.seconds=0", "algo.number=0,1")
    sweeper.run(*command)
    before = {name: numbers(record) for name, record in sweeper.records().items()}
    assert sweeper.run(*command).count("(found finished)") == 2
    assert len(sweeper.fits.read_text().splitlines()) == 4
    sweeper.run(*command, "force=true")
    assert len(sweeper.fits.read_text().splitlines()) == 8
    assert {name: numbers(record) for name, record in sweeper.records().items()} == before
    # A cell alone is found too, and the other way round.
    single = (*QUICK, "algo=slow", "algo.seconds=0", "algo.number=1")
    assert "done" in sweeper.run(*single)
    assert len(sweeper.fits.read_text().splitlines()) == 8


def test_trials_finished_before_a_kill_are_kept(sweeper: Sweeper) -> None:
    command = ("dataset=iris", "algo=slow", "trials=5", "algo.seconds=0.3")
    process = sweeper.start(*command)
    deadline = time.time() + 60
    while not list(sweeper.folder.rglob("trial-1.json")) and time.time() < deadline:
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert not sweeper.records()
    fits = len(sweeper.fits.read_text().splitlines())
    assert fits < 5
    sweeper.run(*command)
    kept = Counter(line.split()[1] for line in sweeper.fits.read_text().splitlines())
    assert sum(kept.values()) <= 6  # five trials, and perhaps the one under way again
    (record,) = sweeper.records().values()
    assert [trial["trial"] for trial in record["trials"]] == [0, 1, 2, 3, 4]
    assert not list(sweeper.folder.rglob("trial-*.json"))
    assert not list(sweeper.folder.rglob(".lock"))


def test_a_damaged_record_is_run_again(sweeper: Sweeper) -> None:
    command = (*QUICK, "algo=slow", "algo.seconds=0")
    sweeper.run(*command)
    (path,) = (sweeper.folder / "outputs" / "cells").rglob("record.json")
    whole = json.loads(path.read_text())
    path.write_text(path.read_text()[:100])
    assert "ignored: " in sweeper.run("aggregate", "outputs", code=2)
    sweeper.run(*command)
    assert numbers(json.loads(path.read_text())) == numbers(whole)


def test_two_identical_sweeps_at_once(sweeper: Sweeper) -> None:
    cells = ",".join(map(str, range(8)))
    command = ("-m", *QUICK, "algo=slow", f"algo.number={cells}", "algo.seconds=0.1")
    both = [sweeper.start(*command) for _ in range(2)]
    for process in both:
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0, out
    assert len(list((sweeper.folder / "outputs" / "sweeps").iterdir())) == 2
    records = sweeper.records()
    assert len(records) == 8
    assert {record["status"] for record in records.values()} == {"done"}
    # They waited for each other: every trial was run once.
    assert len(sweeper.fits.read_text().splitlines()) == 16


def test_ctrl_c_ends_at_once_and_says_how_to_go_on(sweeper: Sweeper) -> None:
    command = ("-m", *QUICK, "algo=slow", "algo.number=0,1", "algo.seconds=60")
    process = sweeper.start(*command)
    deadline = time.time() + 60
    while not sweeper.fits.exists() and time.time() < deadline:
        time.sleep(0.05)
    status = sweeper.run("status", "outputs")
    assert "2 cells" in status
    assert "1 running, 2 remaining" in status
    assert "algo=slow" in status
    pressed = time.time()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert time.time() - pressed < 5
    assert process.returncode == 130
    assert f"Resume with: python -m ncbench {' '.join(command)}" in out
    status = sweeper.run("status", "outputs")
    assert "0 running (1 interrupted), 2 remaining\n" in status  # and no time left
    assert "This sweep was stopped" in status


def test_a_worker_is_deaf_to_ctrl_c_from_its_start() -> None:
    worker = Worker()
    worker._start()
    process = worker._process
    assert process is not None
    process.send_signal(signal.SIGINT)  # it is still importing
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=3)
    worker.stop()


def test_cells_can_be_grouped_into_jobs(sweeper: Sweeper) -> None:
    sweeper.run(
        "-m", *QUICK, "algo=slow", "algo.seconds=0", "algo.number=0,1,2,3,4", "cells_per_job=2"
    )
    (groups,) = (sweeper.folder / "outputs" / "sweeps").rglob("groups.json")
    assert json.loads(groups.read_text()) == [[0, 1], [2, 3], [4]]
    assert sweeper.done() == 5


def test_rerun_reproduces_every_number(sweeper: Sweeper) -> None:
    sweeper.run("dataset=wine", "algo.max_iter=200", "cpe=boosting", "cpe.max_iter=5", "trials=2")
    (identity,) = sweeper.records()
    for threads in ("1", "2"):
        out = sweeper.run("rerun", "outputs", identity[:8], "--threads", threads)
        assert f"{identity}: identical" in out
    path = sweeper.folder / "outputs" / "cells" / identity / "record.json"
    record = json.loads(path.read_text())
    older = {**record, "config": {**record["config"], "algo": {**record["config"]["algo"], "k": 1}}}
    path.write_text(json.dumps(older))
    refused = sweeper.run("rerun", "outputs", identity, code=2)
    assert "algo.k=1 is not a parameter of algo=ncfw in ncbench" in refused
    record["trials"][1]["confusion"][0][0] += 1e-16
    record["trials"][1]["losses"]["h_mean"] += 1e-12
    path.write_text(json.dumps(record))
    assert "trials[1].losses.h_mean: was" in sweeper.run("rerun", "outputs", identity, code=1)
    assert "begins with 'zzz'" in sweeper.run("rerun", "outputs", "zzz", code=2)


def test_a_record_says_where_it_came_from(sweeper: Sweeper) -> None:
    sweeper.run(*QUICK, "algo=slow", "algo.seconds=0", "seed=3")
    (record,) = sweeper.records().values()
    provenance = record["provenance"]
    assert provenance["command"] == [*QUICK, "algo=slow", "algo.seconds=0", "seed=3"]
    assert {"host", "cpu", "cores", "threads", "python", "time", "git_commit"} <= set(provenance)
    assert provenance["packages"]["scikit-learn"]
    assert record["plugins"]["algo"] == "slow-and-bad 0.1"
    assert record["config"]["seed"] == 3
