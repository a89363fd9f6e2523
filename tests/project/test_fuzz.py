"""Generated input raises ncbench's own errors only: a short run of ``benchmarks/fuzz.py``."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ncbench.config.schema import resolve_parameters
from ncbench.errors import NcbenchError
from ncbench.plugin import get_registry


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "fuzz.py"
    spec = importlib.util.spec_from_file_location("benchmarks_fuzz", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("target", ["config values", "tables", "records", "noise matrices"])
def test_generated_input_is_accepted_or_refused_in_words(fuzz: ModuleType, target: str) -> None:
    assert fuzz.fuzz(target, seconds=60, seed=0, rounds=200) == (200, [])


def test_an_unhandled_error_is_found(fuzz: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(fuzz.TARGETS, "tables", lambda rng, folder: {}["missing"])
    assert fuzz.fuzz("tables", 1.0, 0, rounds=2)[1][0].startswith("tables, round 0: KeyError")


def test_a_parameter_that_cannot_be_converted_is_refused() -> None:
    for value in (10**400, "${x}"):
        with pytest.raises(NcbenchError, match=r"algo\.tol=.*; expected float"):
            resolve_parameters(get_registry().plugin("algo", "ncfw"), {"tol": value})
