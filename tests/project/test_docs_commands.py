"""Every block of the README and the docs is run by a test, here or elsewhere, or says why not.

A command that makes cells runs one of them: the first value of each key, one trial, few steps. What
it needs is put into the folder first: a table, held-out rows, results, a reference.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from needs import ROOT, shared
from pages import FENCED, read
from sklearn.datasets import load_iris

PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*/README.md"))
    if path.name != "CHANGELOG.md"
)

ELSEWHERE = {
    "docs/tutorial.md": "test_tutorial.py::test_every_block_runs_and_prints_what_the_page_says",
}
"""Pages whose blocks another test of this folder runs, all of them."""

NOT_RUN = {
    r"(python -m )?pip install|\. \.venv|pip install pre-commit": "changes the environment",
    r"python3 dev\.py": "continuous integration runs it",
    r"hydra/launcher=submitit_slurm": ".ci/slurm runs such a sweep",
    r"observers=.*mlflow": "plugin/test_observers.py runs it",
    r"ncbench diagnose": "project/test_tutorial.py runs it",
    r"my-method|my_method": ".ci/run and test_third_party.py run new-plugin and what follows",
    r"minimax": "project/test_third_party.py installs this package, runs its checks and sweeps it",
    r"experiment=suite/": "test_suite.py runs the small one",
    r"ncbench leaderboard": "test_suite.py prints the published tables, test_leaderboard.py others",
    r"python benchmarks/": "measures for minutes",
}
"""Commands that no test of this file runs, and why."""

THERE = {
    "my-distribution": "measure=h_mean",
    "algo.max_iter=500,5000": "algo.max_iter=500",
    "t_estimator=forward_map": "t_estimator=known",
}
"""Values of filters that the small results of these tests have instead."""

PRINTED = r"measure +dataset|measure=hits|cli > |ncbench: file|p\(x\) = "
"""Blocks that show what a command prints begin like this."""


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """Yield language and text of what a page sets as code, fenced or indented."""
    text = read(page)
    yield from FENCED.findall(text)
    for indented in re.findall(r"(?<=\n\n)(?: {4}\S.*\n(?: {4}.*\n)*)", FENCED.sub("", text)):
        yield "", re.sub(r"^ {4}", "", indented, flags=re.MULTILINE)


def commands(page: str) -> list[str]:
    """Return the commands of a page, without comments."""
    found = []
    for language, text in blocks(page):
        if language == "" and not re.match(PRINTED, text):
            lines = text.replace("\\\n", " ").splitlines()
            found += [re.sub(r" +# .*", "", line) for line in lines if line.strip()]
    return found


def one_cell(words: list[str]) -> list[str]:
    """Return the command for one cell of a sweep, quick to run."""
    keys: dict[str, str] = {}
    for word in words:
        key, _, value = word.partition("=")
        elsewhere = key == "output_dir" and not value.startswith("outputs")
        if word != "-m" and not key.startswith("hydra") and not elsewhere:
            keys[key] = value if value[:1] in "[{" else value.split(",")[0]
    if "data_dir" in keys:
        keys["data_dir"] = str(shared("data/vehicle.npz").parent)
    if keys.get("dataset") == "covtype":
        keys["dataset"] = "vehicle"  # which is smaller
    if keys.get("+experiment") == "paper/all":
        keys["+experiment"] = "paper/h_mean"  # the first of the files that it sweeps over
    for key, values in _of_file(keys.get("+experiment")).items():
        keys.setdefault(key, values.split(",")[0].strip())
    if "cpe" not in keys and keys.get("t_estimator", "known") != "held_out_map":
        keys["cpe"], keys["cpe.C"] = "logistic", "1.0"
    if keys.get("algo", "ncfw") in ("ncfw", "fw"):
        keys["algo.max_iter"] = "20"
    if "figure1" in keys.get("+experiment", ""):
        keys["dataset.train"] = "500"
    keys["trials"] = "1"
    keys.setdefault("output_dir", "runs")  # commands that read "outputs" find what the folder has
    # A file that sweeps needs -m, even if each key has one value.
    sweep = ["-m"] if "+experiment" in keys else []
    return [*sweep, *(f"{key}={value}" for key, value in keys.items())]


def _of_file(name: str | None) -> dict[str, str]:
    """Return what an experiment file chooses, and what it sweeps over."""
    path = ROOT / "conf" / "experiment" / f"{name}.yaml"
    if not path.exists():
        return {}
    file = yaml.safe_load(path.read_text())
    chosen = {
        key.removeprefix("override /"): value
        for entry in file.get("defaults", [])
        for key, value in entry.items()
    }
    return {**chosen, **{k: str(v) for k, v in file["hydra"]["sweeper"]["params"].items()}}


@pytest.fixture
def folder(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, ncbench: Callable) -> Path:
    """Make a folder with what the pages speak of."""
    made = tmp_path_factory.getbasetemp() / "docs-commands"
    if not made.exists():
        small = ("dataset=iris", "trials=2", "cpe.C=1.0", "algo.max_iter=500")
        outcome = ncbench("-m", "algo=ncfw,fw", "sigma=0.1,0.3", *small, f"output_dir={made}")
        assert outcome.code == 0, outcome.err
    for name in ("outputs", "others"):
        shutil.copytree(made, tmp_path / name)
    for name in ("published", "tables"):
        row = "measure,dataset,algo,sigma,mean,sem\nh_mean,iris,ncfw,0.1,0.1,0.01\n"
        (tmp_path / f"{name}.csv").write_text(row)
    data = load_iris(as_frame=True).frame
    names = np.array(["benign", "malignant", "unclear"])
    rng = np.random.default_rng(0)
    truth = names[data["target"]]
    for column, wrong in {"label": 0.2, "ann": 0.1, "bob": 0.2, "eve": 0.3}.items():
        data[column] = np.where(rng.random(150) < wrong, rng.choice(names, 150), truth)
    data["checked"] = np.where(rng.random(150) < 0.5, truth, None)
    for name in ("mine", "old", "held_out"):
        data.drop(columns="target").to_csv(tmp_path / f"{name}.csv", index=False)
    data.drop(columns=["target", "label"]).to_csv(tmp_path / "new.csv", index=False)
    return tmp_path


def to_run(page: str) -> list[str]:
    """Return the commands of a page that this file runs."""
    return [
        command
        for command in commands(page)
        if not any(re.search(pattern, command) for pattern in NOT_RUN)
    ]


@pytest.mark.slow(reason="runs every command of a page; that each has a test is tested always")
@pytest.mark.parametrize("page", [p for p in PAGES if p not in ELSEWHERE and to_run(p)])
def test_the_commands_of_a_page_work(page: str, folder: Path, ncbench: Callable) -> None:
    for _, text in blocks(page):
        if "class BalancedRule" in text:
            (folder / "balanced_rule.py").write_text(text)
        if '"centroids"' in text:
            (folder / "centroids.py").write_text(text)
        if "# @package _global_" in text:
            (folder / "mine" / "experiment").mkdir(parents=True)
            (folder / "mine" / "experiment" / "short.yaml").write_text(text)
            short = ("-m", "+experiment=short", "sigma=0.1", "trials=1", "cpe.C=1.0")
            assert ncbench("--config-dir", "mine", *short).code == 0
    failed = []
    for command in to_run(page):
        words = shlex.split(re.sub(r"\[(--[^]]*)\]", r"\1", command))
        words = words[3:]
        if words[0] == "-m" or "=" in words[0]:
            words = one_cell(words)
        if words == ["check", "ncfw"]:
            words += ["algo.max_iter=20"]
        if words[0] == "rerun":
            words[-1] = next((folder / "outputs" / "cells").iterdir()).name
        if words[-1] == "paper":  # it reads what a command above it ran
            words = ["runs" if word == "outputs" else word for word in words]
        words = [THERE.get(word, word) for word in words]
        outcome = ncbench(*words)
        if outcome.code != 0:
            failed.append(f"{command}: {' '.join(words)}: {outcome.err}")
    assert failed == []


def test_every_command_is_run_or_says_why_not() -> None:
    for page in PAGES:
        if page in ELSEWHERE:
            file, _, test = ELSEWHERE[page].partition("::")
            assert f"def {test}(" in (ROOT / "tests" / "project" / file).read_text()
            continue
        for command in to_run(page):
            assert re.match(r"python -m ncbench \S|ncbench \S", command), f"who runs {command!r}?"
        languages = {language for language, _ in blocks(page)}
        shown = {
            "python",
            "yaml",
            "toml",
            "text",
            "mermaid",
            "{eval-rst}",
            "{toctree}",
            "{printed}",
        }
        assert languages <= {"", *shown}


def test_lines_of_prose_end_at_120_characters() -> None:
    for page in PAGES:
        prose = FENCED.sub("", read(page)).splitlines()
        assert [line for line in prose if len(line) > 120 and line[0] not in "|<"] == []


def python_blocks(page: str) -> list[str]:
    return [text for language, text in blocks(page) if language == "python"]


PYTHON_ELSEWHERE = {
    "README.md": "project/test_readme.py",
    "docs/api.md": "project/test_readme.py",
    "docs/plugins.md": "project/test_docs_plugins.py",
    "docs/tables.md": "data/test_encoding.py",
    "docs/tutorial.md": "project/test_tutorial.py",
}


def test_every_python_block_is_run() -> None:
    here = {"docs/checks.md", "docs/report.md", "docs/results.md"}
    assert {page for page in PAGES if python_blocks(page)} == here | PYTHON_ELSEWHERE.keys()
    for page, file in PYTHON_ELSEWHERE.items():
        assert Path(page).name in (ROOT / "tests" / file).read_text()


@pytest.mark.slow(reason="writes a figure")
@pytest.mark.parametrize("page", ["docs/report.md", "docs/results.md"])
def test_python_about_results_runs(page: str, folder: Path) -> None:
    for text in python_blocks(page):
        exec(text, {})
    assert page != "docs/report.md" or (folder / "mine.pdf").stat().st_size > 1000


def test_the_contract_checks_of_the_page_run() -> None:
    whole, with_arguments = python_blocks("docs/checks.md")
    names: dict[str, Any] = {}
    exec(whole.replace("my-distribution", "measure=h_mean"), names)
    assert names["test_contract"].pytestmark
    arguments = with_arguments.replace("my-distribution", "algo=ncfw").replace("mine", "ncfw")
    exec(f"{arguments}def test_ncfw(check):\n    check()\n", names)
    assert names["test_ncfw"].pytestmark
