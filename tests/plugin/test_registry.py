"""The registry against distributions made up for the test: a broken one harms no other."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import EntryPoint, distributions
from pathlib import Path

import numpy as np
import pytest
from made_up_files import install

from ncbench.errors import NcbenchError, UnknownName
from ncbench.plugin import KINDS, Plugin, Problem, Registry, Withheld, get_registry, needs_of

GOOD = """
    import ncbench

    class Mine:
        '''The good measure.

        More about it.
        '''
        def __init__(self, alpha: float = 1.0, depth: int | None = None):
            self.alpha, self.depth = alpha, depth

    @ncbench.hookimpl
    def ncbench_measures():
        return {"good": Mine}
"""


class Site:
    """A folder of made-up distributions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.modules: list[str] = []

    def install(self, distribution: str, source: str, *, version: str = "1.0") -> None:
        """Write a module, and a distribution with one entry point ``main`` that names it."""
        module = f"made_up_{distribution}"
        self.modules.append(module)
        install(self.folder, distribution, source, version, module)

    def points(self) -> list[EntryPoint]:
        found = [p for d in distributions(path=[str(self.folder)]) for p in d.entry_points]
        return sorted(found, key=lambda point: point.dist.name)

    def registry(self) -> Registry:
        return Registry(self.points())


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.syspath_prepend(str(tmp_path))
    site = Site(tmp_path)
    yield site
    for module in site.modules:
        sys.modules.pop(module, None)


def measure_source(body: str) -> str:
    return f"import ncbench\n\n@ncbench.hookimpl\ndef ncbench_measures():\n    {body}\n"


BROKEN = {
    "import": ("import a_module_that_does_not_exist", "ModuleNotFoundError"),
    "newer": ("from ncbench import something_new", "this is ncbench 0.1.0: another version may"),
    "syntax": ("def (:", "SyntaxError"),
    "exit": ("raise SystemExit('needs a newer Python')", "needs a newer Python"),
    "misspelt": (
        "import ncbench\n\n@ncbench.hookimpl\ndef ncbench_mesures():\n    return {}\n",
        "ncbench_mesures",
    ),
    "argument": (
        "import ncbench\n\n@ncbench.hookimpl\ndef ncbench_measures(config):\n    return {}\n",
        "config",
    ),
    "misspelt_and_argument": (
        "import ncbench\n\n"
        "@ncbench.hookimpl\ndef ncbench_algoritms():\n    return {}\n\n"
        "@ncbench.hookimpl\ndef ncbench_measures(config):\n    return {}\n",
        "ncbench_",
    ),
    "raises": (measure_source("raise RuntimeError('no licence')"), "RuntimeError: no licence"),
    "none": (measure_source("return None"), "ncbench_measures() returned None; expected a mapping"),
    "list": (measure_source("return [int]"), "expected a mapping from name to a class or function"),
    "number": (measure_source("return {'five': 5}"), "ncbench_measures() returned {'five': 5}"),
    "key": (measure_source("return {5: int}"), "expected a mapping"),
    "no_hint": (
        measure_source("return {'mine': mine}") + "\ndef mine(alpha=1): ...\n",
        "parameter 'alpha' of made_up_no_hint.mine has no type hint",
    ),
    "bad_type": (
        measure_source("return {'mine': mine}") + "\ndef mine(alpha: complex = 1): ...\n",
        "parameter 'alpha' of made_up_bad_type.mine has type",
    ),
    "bad_default": (  # Hydra refuses to store it, and then no run could start
        measure_source("return {'mine': mine}") + "\ndef mine(alpha: int = None): ...\n",
        "parameter 'alpha' of made_up_bad_default.mine",
    ),
    "no_hook": ("x = 1", "made_up_no_hook has no hook; mark one of ncbench_datasets"),
    "unmarked": (
        "def ncbench_measures():\n    return {}\n",
        "has no hook; mark ncbench_measures with",
    ),
}


def test_broken_plugins_are_problems_with_their_owners_and_harm_no_other(site: Site) -> None:
    # One good distribution comes before the broken ones, and one after.
    site.install("a_good", GOOD.replace('"good"', '"first"'))
    for fault, (source, _) in BROKEN.items():
        site.install(fault, source, version="2.5")
    site.install("z_good", GOOD.replace('"good"', '"last"'))
    registry = site.registry()
    problems = {problem.distribution: problem for problem in registry.problems}
    assert len(registry.problems) == len(problems)
    assert problems.keys() == BROKEN.keys()
    for fault, (_, message) in BROKEN.items():
        assert (problems[fault].version, problems[fault].entry_point) == ("2.5", "main")
        assert message in problems[fault].error
        assert "\n" not in problems[fault].error
    assert registry.names("measure") == ["first", "last"]
    assert [plugin.name for plugin in registry.plugins()] == ["first", "last"]
    assert registry.build("measure", "last", alpha=2.0).alpha == 2.0


def test_name_taken_twice_names_both_owners_and_harms_no_other_name(site: Site) -> None:
    site.install("one", GOOD, version="1.1")
    two = GOOD.replace('{"good": Mine}', '{"good": Mine, "better": Mine}')
    site.install("two", two, version="2.2")
    registry = site.registry()

    assert {problem.distribution for problem in registry.problems} == {"one", "two"}
    for problem in registry.problems:
        assert "measure 'good' is registered by one 1.1 and two 2.2" in problem.error
    for use in (registry.plugin, registry.target, registry.build):
        with pytest.raises(
            NcbenchError, match=r"by one 1\.1 and two 2\.2; unins.*measure=good@one"
        ):
            use("measure", "good")
    assert registry.names("measure") == ["better", "good@one", "good@two"]
    assert registry.plugin("measure", "good@two").version == "2.2"
    assert registry.target("measure", "good@one") is not registry.target("measure", "good@two")
    assert registry.plugin("measure", "better@two") == registry.plugin("measure", "better")
    with pytest.raises(NcbenchError, match="'good@three' is not known; did you mean 'good@t"):
        registry.plugin("measure", "good@three")
    assert registry.build("measure", "better").alpha == 1.0


def test_same_name_for_two_kinds_is_no_clash_and_one_module_may_offer_several(site: Site) -> None:
    more = """
    @ncbench.hookimpl
    def ncbench_datasets():
        return {"data": lambda: None, "more_data": lambda: None}
"""
    site.install("one", GOOD + more, version="3.4")
    site.install("two", GOOD.replace("ncbench_measures", "ncbench_noise_models"))
    registry = site.registry()
    assert registry.problems == []
    assert [(p.kind, p.name) for p in registry.plugins()] == [
        *(("dataset", "data"), ("dataset", "more_data")),
        *(("noise", "good"), ("measure", "good")),
    ]
    plugin = registry.plugin("measure", "good")
    assert plugin.summary == "The good measure."
    assert (plugin.distribution, plugin.version, plugin.entry_point) == ("one", "3.4", "main")
    assert [str(p) for p in plugin.parameters] == ["alpha: float = 1.0", "depth: int | None = None"]


def test_unknown_name_suggests_the_nearest(site: Site) -> None:
    site.install("one", GOOD)
    registry = site.registry()
    for use in (registry.plugin, registry.target, registry.build):
        with pytest.raises(
            UnknownName, match=r"measure 'godo' .*did you mean 'good'\? Known: good"
        ):
            use("measure", "godo")
    with pytest.raises(UnknownName, match=r"algorithm 'x' is not known\. Known: none"):
        registry.plugin("algo", "x")
    with pytest.raises(UnknownName, match=r"plug-in 'algoo' .*did you mean 'algo'\? Known: algo,"):
        registry.target("algoo", "good")


ALGORITHMS = """
    import ncbench

    class Everything:
        def __init__(self, measure=None, cpe=None, random_state=None, alpha: float = 1.0):
            self.given = (measure, cpe, random_state, alpha)

    class Nothing:
        def __init__(self, alpha: float = 1.0):
            self.given = (alpha,)

    def function(cpe, alpha: float = 1.0):
        return (cpe, alpha)

    class Bare:
        pass

    @ncbench.hookimpl
    def ncbench_algorithms():
        return {"everything": Everything, "nothing": Nothing, "function": function, "bare": Bare}
"""


def test_build_leaves_out_supplied_arguments_that_the_signature_does_not_take(site: Site) -> None:
    site.install("one", ALGORITHMS)
    registry = site.registry()
    assert registry.problems == []
    supplied = {"measure": "m", "cpe": "c", "random_state": 3}

    assert registry.build("algo", "everything", alpha=2.0, **supplied).given == ("m", "c", 3, 2.0)
    assert registry.build("algo", "nothing", alpha=2.0, **supplied).given == (2.0,)
    assert registry.build("algo", "function", alpha=2.0, **supplied) == ("c", 2.0)
    assert type(registry.build("algo", "bare", **supplied)).__name__ == "Bare"
    for name in ("everything", "nothing", "function"):
        names = [parameter.name for parameter in registry.plugin("algo", name).parameters]
        assert names == ["alpha"]


def test_build_does_not_leave_out_anything_else(site: Site) -> None:
    site.install("one", ALGORITHMS)
    registry = site.registry()
    with pytest.raises(TypeError, match="beta"):
        registry.build("algo", "nothing", beta=1)
    with pytest.raises(TypeError, match="rng"):  # supplied to data sets, not to algorithms
        registry.build("algo", "nothing", rng=1)


def test_entry_points_without_distribution_or_module() -> None:
    registry = Registry([EntryPoint("main", "made_up_nowhere", "ncbench")])
    said = "ModuleNotFoundError: No module named 'made_up_nowhere'"
    assert registry.problems == [Problem("unknown", "unknown", "main", said)]


def test_shipped_plugins_have_no_problem_and_describe_themselves() -> None:
    registry = get_registry()
    shipped = [plugin for plugin in registry.plugins() if plugin.distribution == "ncbench"]
    assert {plugin.kind for plugin in shipped} == set(KINDS)
    assert [p for p in registry.problems if p.distribution == "ncbench"] == []
    for plugin in shipped:
        assert plugin.summary.endswith((".", "!")) or ":" in plugin.summary, plugin
        assert Plugin.from_json(json.loads(json.dumps(asdict(plugin)))) == plugin
    assert any(parameter.choices for plugin in shipped for parameter in plugin.parameters)


# Measures for algorithms


def test_plug_ins_that_their_defaults_build() -> None:
    registry = get_registry()
    built = dict(registry.each_built("measure"))
    assert built["h_mean"].family == "monotonic_convex"
    assert "cost" not in built  # its matrix has no default
    with pytest.raises(NcbenchError, match="matrix"):
        dict(registry.each_built("measure", leave_out=ZeroDivisionError))
    assert registry.takes("algo", "ncfw", "measure")
    assert not registry.takes("algo", "nclr_forward", "measure")


# What plug-ins declare that they need


def test_needs_that_are_not_a_tuple_are_refused() -> None:
    for needs in ("noise_matrix", 3):
        with pytest.raises(NcbenchError, match=r"Mine\.needs is .* expected a tuple such as"):
            needs_of(type("Mine", (), {"needs": needs})())


def test_any_use_of_what_is_withheld_raises_but_it_can_be_copied() -> None:
    withheld = copy.deepcopy(pickle.loads(pickle.dumps(Withheld("noise_matrix", "Mine"))))
    for use in (
        lambda: withheld.matrix,
        lambda: np.asarray(withheld),
        lambda: withheld.of_share(1),
    ):
        with pytest.raises(NcbenchError, match=r'needs = \("noise_matrix",\)'):
            use()
