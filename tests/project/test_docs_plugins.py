"""docs/plugins.md says what the hooks are, and its examples work as they stand there."""

from __future__ import annotations

import builtins
import inspect
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from pages import blocks, read

import ncbench
from ncbench.plugin import KINDS, Registry, get_registry, spec, use_files
from ncbench.plugin.registry import OBSERVERS
from ncbench.plugin.signature import TYPES, parameters_of
from ncbench.testing import checks_for, run_checks

PAGE = read("docs/plugins.md")
BLOCKS = blocks("docs/plugins.md", "python")
HOOKS = {
    name: function for name, function in vars(spec).items() if hasattr(function, "ncbench_spec")
}


def signature(function: Callable[..., object]) -> str:
    """Write a signature as the page has it: annotations without quotes."""
    return f"{function.__name__}{inspect.signature(function)}".replace("'", "")


def sections() -> dict[str, str]:
    """Return the text below each heading that names a hook."""
    parts = re.split(r"^##+ (.*)$", PAGE, flags=re.MULTILINE)
    return {
        title.strip("`"): text
        for title, text in zip(parts[1::2], parts[2::2], strict=True)
        if title.startswith("`ncbench_")
    }


def examples() -> Iterator[tuple[str, str]]:
    """Yield the examples that are plug-ins, by the last hook each of them has."""
    for source in BLOCKS:
        hooks = re.findall(r"@hookimpl\ndef (\w+)", source)
        if hooks:
            yield hooks[-1], source


@pytest.fixture
def files(tmp_path: Path) -> Iterator[dict[str, Path]]:
    written = {}
    for hook, source in examples():
        written[hook] = tmp_path / f"{hook}_example.py"
        written[hook].write_text(source)
    yield written
    use_files([])


def test_every_hook_is_there_with_its_signature() -> None:
    assert set(sections()) == {signature(function) for function in HOOKS.values()}
    assert {kind.hook for kind in (*KINDS.values(), OBSERVERS)} == HOOKS.keys()
    assert all("Called" in (inspect.getdoc(function) or "") for function in HOOKS.values())


def test_plugins_are_built_as_often_as_the_page_says(
    ncbench: Callable, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A section says "for each cell" or "for each trial": with more trials, only those grow."""
    said = {
        title.partition("(")[0]: re.search(
            r"(?i)(?:built|called)(?: once)? for\s+each\s(\w+)", text
        )
        for title, text in sections().items()
    }
    built: Counter[str] = Counter()
    build = Registry.build

    def counted(self: Registry, kind: str, *args: Any, **arguments: Any) -> Any:
        built[{**KINDS, "observers": OBSERVERS}[kind].hook] += 1
        return build(self, kind, *args, **arguments)

    monkeypatch.setattr(Registry, "build", counted)
    names = ",".join(path.name for hook, path in files.items() if hook != OBSERVERS.hook)
    chosen = "algo=centroids measure=absolute_error noise=pairs cpe=forest t_estimator=votes"
    counts = []
    for trials in (1, 3):
        built.clear()
        cell = (*chosen.split(), "dataset=moons", "dataset.examples=100", f"trials={trials}")
        assert ncbench(f"plugins_from=[{names}]", *cell).code == 0
        counts.append(dict(built))
    for kind in KINDS.values():
        claim = said[kind.hook]
        assert claim is not None, f"the section of {kind.hook} does not say when it is called"
        more = {"cell": 0, "trial": 2}[claim[1]]
        assert counts[1][kind.hook] - counts[0][kind.hook] == more, kind.hook


def test_there_is_an_example_for_every_kind_and_for_observers(files: dict[str, Path]) -> None:
    assert files.keys() == HOOKS.keys()


@pytest.mark.slow(reason="every check of every kind; that they work together is tested always")
def test_the_examples_keep_the_contract(files: dict[str, Path]) -> None:
    use_files(files.values())
    mine = [p for p in get_registry().plugins() if p.distribution.endswith("_example.py")]
    assert {plugin.kind for plugin in mine} == set(KINDS)
    for plugin in mine:
        assert plugin.summary.endswith(".")
        for result in run_checks(plugin.kind, plugin.name):
            assert result.status in ("ok", "not applicable"), result


def test_the_examples_work_together(
    ncbench: Callable, files: dict[str, Path], tmp_path: Path
) -> None:
    names = ",".join(path.name for path in files.values())
    chosen = "algo=centroids measure=absolute_error noise=pairs cpe=forest t_estimator=votes"
    outcome = ncbench(
        *(f"plugins_from=[{names}]", *chosen.split(), "dataset=moons", "trials=1"),
        "observers=[log]",
    )
    assert outcome.code == 0, outcome.err
    assert outcome.err == ""
    (path,) = tmp_path.rglob("record.json")
    record = json.loads(path.read_text())
    assert all(owner.startswith("ncbench_") for owner in record["plugins"].values())
    log = (tmp_path / "sweep.log").read_text().splitlines()
    assert [line.split()[-2:] for line in log] == [
        ["started:", "centroids"],
        [record["id"], "done"],
    ]


@pytest.mark.slow(reason="a process for each command")
def test_the_commands_work_with_the_examples_saved_under_the_names_they_use(
    ncbench: Callable, tmp_path: Path
) -> None:
    """A file has the name of the plug-in in it."""
    for _, source in examples():
        for name in re.findall(r'return {"(\w+)"', source):
            (tmp_path / f"{name}.py").write_text(source)
    commands = re.findall(r"python -m ncbench ([^`\n]*plugins.from[ =]\w+\.py[^`\n#]*)", PAGE)
    assert len(commands) == 4
    commands.sort(key=lambda command: command.startswith("aggregate"))  # it needs results
    for command in commands:
        words = command.replace("ncfw", "cpe_argmax").split()  # which is faster
        fewer = ["dataset=wine", "trials=1", "cpe=logistic"] if words[0] == "-m" else []
        outcome = ncbench(*words, *fewer)
        assert outcome.code == 0, outcome.err


def test_the_types_of_the_page_are_the_types_there_are() -> None:
    (bullet,) = re.findall(r"- Types: (.*?); each also `\| None`", " ".join(PAGE.split()))
    plain, rest = bullet.split("`list` of ")
    of_lists, rest = rest.split(", `dict")
    listed = re.findall(r"`([^`]+)`", plain)
    listed += [f"list[{name}]" for name in re.findall(r"`([^`]+)`", of_lists)]
    listed += re.findall(r"`([^`]+)`", "`dict" + rest)
    assert sorted(listed) == sorted([*TYPES, "Literal"])
    for name in listed:
        hint = 'Literal["a", "b"]' if name == "Literal" else name
        scope: dict[str, Any] = {"Any": Any, "Literal": Literal}
        exec(f"def plugin(required: {hint}, optional: {hint} | None = None): ...", scope)
        required, optional = parameters_of(scope["plugin"])
        assert (required.required, required.optional) == (True, False), name
        assert (optional.required, optional.optional) == (False, True), name


def test_what_the_page_says_is_supplied_is() -> None:
    (bullet,) = re.findall(r"^- [^\n]*suppli.*?: (.*?)\.$", PAGE, re.DOTALL | re.M)
    listed = {}
    for names, whom in re.findall(r"((?:`\w+`(?:, | and\s+)?)+) (?:for|to) ([\w ]+)", bullet):
        listed[whom] = set(re.findall(r"`(\w+)`", names))
    assert listed == {
        "algorithms": set(KINDS["algo"].supplied),
        "CPE learners": set(KINDS["cpe"].supplied),
        "data sets": set(KINDS["dataset"].supplied),
    }
    others = KINDS.keys() - {"algo", "cpe", "dataset"}
    assert not any(KINDS[kind].supplied for kind in others)


def test_what_the_page_calls_by_name_is_public() -> None:
    named = set(re.findall(r"`@?((?:[A-Z][a-z]+){2,}|TEstimator|[a-z]+_by)\b", PAGE))
    assert {"NoisyLabelClassifier", "MatrixNoise", "NoisySample", "identified_by"} <= named
    assert named - set(dir(builtins)) <= set(ncbench.__all__)


def test_the_python_blocks_that_are_not_plugins_run() -> None:
    (checks,) = (block for block in BLOCKS if "@hookimpl" not in block)
    scope: dict[str, Any] = {}
    exec(checks.replace("my-distribution", "measure=h_mean"), scope)
    (mark,) = scope["test_contract"].pytestmark
    assert [case.id for case in mark.args[1]] == [
        f"measure=h_mean-{check.name}" for check in checks_for("measure")
    ]
