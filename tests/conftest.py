"""Fixtures shared by the tests."""

from __future__ import annotations

import gc
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from commands import Outcome
from hypothesis import settings
from made_up_files import confusion_of, write_sweep
from needs import shared, unavailable

from ncbench.cli.main import main
from ncbench.errors import already_said
from ncbench.plugin import use_files

# On a busy machine, too.
settings.register_profile("tests", max_examples=50, deadline=None)
settings.load_profile("tests")

BROWSER_FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
LEFT_OUT = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="run the tests marked slow too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out slow tests, unless all are asked for, or some by marker or by name."""
    named = any("::" in argument for argument in config.args)
    slow = [item for item in items if item.get_closest_marker("slow")]
    bare = {item.nodeid.partition("[")[0] for item in slow if not _says_why(item)}
    if bare:
        raise pytest.UsageError(f'{", ".join(sorted(bare))}: @pytest.mark.slow(reason="...")')
    if config.option.all or config.option.markexpr or named:
        # The longest first: at the end, one process would wait for the other.
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)
        return
    left_out = set(slow)
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=slow)
    config.stash[LEFT_OUT] = len(slow)


def _says_why(item: pytest.Item) -> bool:
    return all(mark.kwargs.get("reason") for mark in item.iter_markers("slow"))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that reports how many slow tests this one has left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, 0)


class _Workers:
    """Hears from the processes of pytest-xdist; a hook of that plug-in, which need not be here."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        # Every worker collects the same tests.
        self._config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Workers(config))
    # Modules and tests, once imported, stay. Without this, the garbage collector would look at all
    # of them again and again, for a tenth of the time.
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say how many attacks had each verdict, and how many tests were not run, and why."""
    verdicts = Counter(
        dict(report.user_properties).get("verdict", "") + " (WRONG)" * (outcome == "failed")
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        if "verdict" in dict(report.user_properties)
    )
    if verdicts:
        terminalreporter.section("attacks")
        counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
        terminalreporter.line(f"{verdicts.total()} attacks: {counts}")
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ").removeprefix("NOT TESTED: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    )
    left_out = config.stash.get(LEFT_OUT, 0)
    if not reasons and not left_out:
        return
    terminalreporter.section("not run")
    for reason, count in sorted(reasons.items()):
        terminalreporter.line(f"{count} not run: {reason}")
    if left_out:
        terminalreporter.line(f"{left_out} slow not run: python3 dev.py test --all runs them")


@pytest.fixture(scope="session", autouse=True)
def warm_plugin_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep the cache of plug-in signatures in one folder for the session.

    The first test that needs it fills it. A cold one costs every process the import of all
    plug-ins, so tests set ``NCBENCH_CACHE_HOME`` themselves only if they are about the cache or
    install other plug-ins.
    """
    # Processes of pytest-xdist share the parent of their folders.
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "plugin-cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NCBENCH_CACHE_HOME", str(folder))
        # Where algo=slow of plugin_packages counts its fits: in the folder a command is run from.
        patch.setenv("FITS", "fits")
        yield folder


@pytest.fixture
def ncbench(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Outcome]]:
    """Run ``python -m ncbench ...`` from an empty folder, in this process."""
    monkeypatch.chdir(tmp_path)

    def run(*argv: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["ncbench", *argv])
        already_said.clear()  # a command has a process of its own
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        return Outcome(int(stop.value.code or 0), captured.out, captured.err)

    yield run
    use_files([])  # what a command took from files is not for the next test
    executor = getattr(
        sys.modules.get("joblib.externals.loky.reusable_executor"), "_executor", None
    )
    if executor is not None:  # its processes would stay in this test's folder
        executor.shutdown(kill_workers=True)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder with the paper's real data and noise; skip where there is none."""
    return shared("data/vehicle.npz").parent


@pytest.fixture(scope="session")
def make_record() -> Callable[..., dict[str, Any]]:
    """Return a function that makes up the record of a cell with two classes."""

    def make(
        algo: str = "fw", dataset: str = "iris", sigma: float = 0.1, losses: Sequence[float] = (),
        measure: str = "h_mean", train_size: int = 100, **more: Any,
    ) -> dict[str, Any]:  # fmt: skip
        config = {
            "measure": {"name": measure}, "dataset": {"name": dataset}, "algo": {"name": algo},
            "sigma": sigma, "output_dir": "outputs",
        }  # fmt: skip
        config.update(more.pop("config", {}))
        T = [[1 - sigma, sigma], [sigma, 1 - sigma]]
        trials = [
            {
                "trial": k, "train_size": train_size, "test_size": 50,
                "losses": {measure: loss},
                "confusion": confusion_of(loss),
                "noise_matrix_estimate": T,
                "diagnostics": {
                    "path": {
                        "step": [1, 10, 100], "objective": [0.9, 0.5, loss],
                        "gap": [0.5, 0.1, -0.01],
                    }
                },
                "seconds": {
                    "t_estimate": 0.1, "fit": 1.0, "evaluate": 0.2, "cpe": 0.3, "optimise": 0.6,
                },
            }
            for k, loss in enumerate(losses)
        ]  # fmt: skip
        identity = hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:16]
        return {
            "schema": 1, "id": identity, "status": "done", "config": config,
            "plugins": {"algo": "ncbench 0.1.0"},
            "dataset": {"name": dataset, "classes": ["no", "yes"], "examples": train_size + 50},
            "noise_matrix": T, "trials": trials, "seconds": 1.0,
            "provenance": {
                "time": "2026-01-01T00:00:00+0000", "command": ["-m", f"dataset={dataset}"],
                "python": "3.11.0", "packages": {"ncbench": "0.1.0", "numpy": "2.0.0"},
                "host": "somewhere", "git_commit": "0123456789abcdef", "git_dirty": False,
            },
            **more,
        }  # fmt: skip

    return make


@pytest.fixture
def records(tmp_path: Path) -> list[dict[str, Any]]:
    """Write the records of a sweep, and return those that have trials."""
    return write_sweep(tmp_path)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start a Chromium that is there already; skip or fail where there is none."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        unavailable("playwright is not installed: pip install 'ncbench[browser]'")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next((found for name in names if (found := shutil.which(name))), None)
    if path is None:
        unavailable(f"none of {', '.join(names)} is on the PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(BROWSER_FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def pdflatex() -> Callable[[Path], None]:
    """Return a function that compiles a LaTeX file and fails if that does."""

    def compiles(path: Path) -> None:
        if shutil.which("pdflatex") is None:
            unavailable("pdflatex is not installed")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", path.name]
        done = subprocess.run(
            command, cwd=path.parent, capture_output=True, text=True, errors="replace", check=False
        )
        assert done.returncode == 0, done.stdout[-2000:]
        assert path.with_suffix(".pdf").stat().st_size > 10_000

    return compiles
