"""``python -m ncbench check`` and ``parametrize_with_checks``: what an author sees."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path

import pytest
from made_up_files import install

from ncbench.plugin import Registry
from ncbench.testing import (
    ContractError,
    checks_for,
    parametrize_with_checks,
    run_checks,
    select,
)
from ncbench.testing.contract import run_check

MEASURES = """
    import numpy as np
    from ncbench import Measure, NcbenchError, hookimpl

    class Errors(Measure):
        '''The share of errors.'''
        family = "linear"

        def __init__(self, factor: float = 1.0):
            if factor <= 0:
                raise NcbenchError(f"measure.factor={factor}; expected a positive number")
            self.factor = factor

        def __call__(self, C):
            return float(self.factor * (C.sum() - np.trace(C)))

        def gradient(self, C):
            return self.factor * (1 - np.eye(len(C)))

    class Hits(Errors):
        '''A score, by mistake.'''
        def __call__(self, C):
            return float(np.trace(C))

    class Named(Errors):
        '''Needs a name.'''
        def __init__(self, title: str):
            super().__init__()

    @hookimpl
    def ncbench_measures():
        return MEASURES
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make up distributions of one module each."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(**sources: str) -> None:
        for name, source in sources.items():
            install(tmp_path, f"check-{name}", source)
            monkeypatch.delitem(sys.modules, f"check_{name}", raising=False)
        found = [p for d in distributions(path=[str(tmp_path)]) for p in d.entry_points]
        registry = Registry(found)
        monkeypatch.setattr("ncbench.testing.contract.get_registry", lambda: registry)

    return write


def measures(mapping: str) -> str:
    return MEASURES.replace("return MEASURES", f"return {mapping}")


def test_a_good_plugin_is_ok_in_every_check(ncbench: Callable) -> None:
    outcome = ncbench("check", "measure=zero_one")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "measure=zero_one"
    assert "  ok      gradient: Its gradient agrees with finite differences" in lines
    assert "  ok      trial: A run with it completes a trial and writes its record" in lines
    # Checks of another family than its own would hold of anything.
    assert lines[lines.index("          not applicable: its family is linear") - 1].startswith(
        "  -  "
    )
    assert lines[-1] == "9 ok, 4 not applicable"


def test_a_broken_plugin_fails_with_the_sentence(installed: Callable, ncbench: Callable) -> None:
    installed(mine=measures('{"hits": Hits}'))
    outcome = ncbench("check", "hits")
    assert outcome.code == 1
    assert "  FAILED  is_a_loss: Its value is finite, between 0 and its largest" in outcome.out
    assert "psi = 1 where every prediction is right and 0." in outcome.out
    assert "To fix it: a measure is a loss; if this one is a score, return 1 - sc" in outcome.out
    assert (
        outcome.out.splitlines()[-1] == "6 ok, 3 failed, 4 not applicable"
    )  # the value, the gradient, <L, C>


def test_a_distribution_is_checked_as_a_whole(installed: Callable, ncbench: Callable) -> None:
    installed(mine=measures('{"errors": Errors, "named": Named}'), other=measures('{"hits": Hits}'))
    outcome = ncbench("check", "Check_Mine")  # names of distributions are compared as pip does
    assert outcome.code == 0
    assert "measure=errors\n  ok" in outcome.out
    assert "not checked: measure=named needs measure.title=... (str)" in outcome.out
    assert "It takes measure.title: python -m ncbench check measure=named measu" in outcome.out
    assert "measure=hits" not in outcome.out
    assert outcome.out.splitlines()[-1] == "9 ok, 4 not applicable, 1 not checked"


def test_a_distribution_that_cannot_be_loaded_fails(installed: Callable, ncbench: Callable) -> None:
    installed(mine="import a_module_that_is_not_there")
    outcome = ncbench("check", "check-mine")
    assert outcome.code == 1
    assert "FAILED  loads" in outcome.out
    assert "No module named 'a_module_that_is_not_there'" in outcome.out


def test_parameters_are_given_as_in_a_run(installed: Callable, ncbench: Callable) -> None:
    installed(mine=measures('{"errors": Errors, "named": Named}'))
    assert ncbench("check", "named", "measure.title=x").out.splitlines()[-1] == (
        "9 ok, 4 not applicable"
    )
    outcome = ncbench("check", "errors", "measure.factor=3")  # beyond the largest loss
    assert outcome.code == 1
    assert "but losses lie in [0, 1]" in outcome.out


def test_bad_input_is_refused_in_one_message(ncbench: Callable) -> None:
    for argv, message in (
        (["h_maen"], "plug-in or distribution 'h_maen' is not known; did you mean 'h_mean'"),
        (["measure=h_maen"], "measure 'h_maen' is not known; did you mean 'h_mean'"),
        (["mesure=h_mean"], "kind of plug-in 'mesure' is not known; did you mean 'measure'?"),
        (["ncfw", "algo.max_itr=3"], "'algo.max_itr' is not known; did you mean 'algo.max_iter'"),
        (["ncfw", "algo.max_iter=many"], "algo.max_iter=many; expected int"),
        (["ncfw", "algo.max_iter=1,2"], "algo.max_iter=1,2: give one value"),
        (["ncfw", "algo.max_iter"], "expected KEY=VALUE"),
        (["ncfw", "algo.sample_split=third"], "expected one of none, half, crossfit"),
        (["ncfw", "data_dir=here"], "'data_dir' is not known"),
    ):
        outcome = ncbench("check", *argv)
        assert outcome.code == 2
        assert message in outcome.err
        assert outcome.out == ""


def test_nothing_that_could_be_checked_is_bad_input_too(ncbench: Callable) -> None:
    for argv, reason in (
        (["measure=cost"], "give either measure.matrix="),
        (["noise=matrix", "noise.path=no.csv"], "noise.path=no.csv: no such file"),
        (["dataset=file"], "dataset=file needs dataset.path=... (str)"),
    ):
        outcome = ncbench("check", *argv)
        assert outcome.code == 2
        assert reason in outcome.out


def test_errors_do_not_wait_for_scikit_learn() -> None:
    code = (
        "import sys; sys.argv = ['ncbench', 'check', 'h_maen']\n"
        "from ncbench.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: print([m for m in ('sklearn', 'pandas') if m in sys.modules])"
    )
    for _ in range(2):  # the first may have to make the catalogue of plug-ins
        command = [sys.executable, "-c", code]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


@pytest.mark.parametrize(
    ("code", "error"),
    [("return self.colour", "AttributeError: .* no attribute 'colour'"), ("exit(3)", "SystemExit")],
)
def test_what_a_plugin_raises_is_a_failure_with_its_place(
    installed: Callable, code: str, error: str
) -> None:
    source = measures('{"errors": Errors}')
    source = source.replace("return float(self.factor * (C.sum() - np.trace(C)))", code)
    installed(mine=source)
    (build,) = select("errors")
    result = run_check(checks_for("measure")[0], build)
    assert result.status == "failed"
    line = source[: source.index(code)].count("\n") + 1
    assert re.search(rf"it raised {error}.* \(.*check_mine\.py, line {line}\)", result.message)


def test_run_checks_takes_parameters() -> None:
    results = {r.check: r for r in run_checks("measure", "cost", matrix=[[0.0, 3.0], [1.0, 0.0]])}
    assert {result.status for result in results.values()} == {"ok", "not applicable"}
    assert {r.status for r in run_checks("measure", "cost")} == {"not checked"}


def test_parametrize_with_checks_makes_a_test_of_each_check(installed: Callable) -> None:
    installed(mine=measures('{"errors": Errors, "hits": Hits, "named": Named}'))
    mark = parametrize_with_checks("check-mine", arguments={"measure=errors": {"factor": 0.5}})
    cases = {case.id: case.values[0] for case in mark.args[1]}
    assert len(cases) == 39
    cases["measure=errors-is_a_loss"]()
    with pytest.raises(pytest.skip.Exception, match="not applicable: its family is linear"):
        cases["measure=errors-convex"]()
    with pytest.raises(ContractError, match="psi = 1 where every prediction is right"):
        cases["measure=hits-is_a_loss"]()
    with pytest.raises(pytest.skip.Exception, match=r"measure=named needs measure\.title"):
        cases["measure=named-is_a_loss"]()
