"""What algorithms share: the measure they are told, by name or as an object."""

from __future__ import annotations

import pytest

from ncbench.core.measure import Measure
from ncbench.errors import NotApplicable, UnknownName
from ncbench.learning.classifier import resolve_measure


class Ratio(Measure):
    family = "ratio_of_linear"

    def __call__(self, C):
        return 0.0


class Reported(Ratio):
    family = None


class OnlyConvex:
    measure_families = frozenset({"monotonic_convex", "linear"})


class Anything:
    measure_families = None


def test_resolve_measure_by_name_and_as_object() -> None:
    psi = resolve_measure("h_mean", OnlyConvex())
    assert psi.family == "monotonic_convex"
    assert resolve_measure(psi, OnlyConvex()) is psi
    ratio = Ratio()
    assert resolve_measure(ratio, Anything()) is ratio


def test_resolve_measure_refuses_with_both_names_and_families() -> None:
    message = "OnlyConvex optimizes linear and monotonic_convex measures; Ratio is ratio_of_linear"
    with pytest.raises(NotApplicable, match=message):
        resolve_measure(Ratio(), OnlyConvex())
    with pytest.raises(NotApplicable, match="Reported is reported only, not optimized"):
        resolve_measure(Reported(), OnlyConvex())
    with pytest.raises(UnknownName, match="did you mean 'h_mean'"):
        resolve_measure("h_maen", OnlyConvex())
