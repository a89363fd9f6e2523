"""Every registered plug-in keeps its contract: a new one is tested by being there."""

from __future__ import annotations

from collections.abc import Callable

from ncbench.registry import get_registry
from ncbench.testing import parametrize_with_checks

# Parameters for plug-ins that need some, and fewer steps where the checks fit hundreds of times.
ARGUMENTS = {
    "measure=cost": {"matrix": [[0.0, 1.0, 2.0], [5.0, 0.0, 1.0], [9.0, 4.0, 0.0]]},
    "noise=matrix": {"matrix": [[0.9, 0.2], [0.1, 0.8]]},
    "cpe=sklearn": {"estimator": "GaussianNB"},
    "cpe=boosting": {"max_iter": 5},
    "algo=ncfw": {"max_iter": 100},
    "algo=fw": {"max_iter": 100},
}
SHIPPED = [f"{p.kind}={p.name}" for p in get_registry().plugins() if p.distribution == "ncbench"]
ELSEWHERE = {"dataset=file", "dataset=openml", "dataset=covtype"}


@parametrize_with_checks(*sorted(set(SHIPPED) - ELSEWHERE), arguments=ARGUMENTS)
def test_contract(check: Callable[[], None]) -> None:
    check()
