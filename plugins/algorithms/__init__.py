"""Algorithms: scikit-learn classifiers that learn from noisy labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ncbench import hookimpl

from .bisection import Bisection, NoiseCorrectedBisection
from .frank_wolfe import FrankWolfe, NoiseCorrectedFrankWolfe
from .nclr import CPEArgmax, NCLRBackward, NCLRForward, NCLRPlugIn
from .peers import CleanLab, WeightedBoosting, WeightedLogistic
from .selection import NoiseCorrectedSelection
from .soft_frank_wolfe import SoftFrankWolfe


@hookimpl
def ncbench_algorithms() -> Mapping[str, Callable[..., Any]]:
    """Return algorithms by name."""
    return {
        "ncfw": NoiseCorrectedFrankWolfe,
        "fw": FrankWolfe,
        "ncbs": NoiseCorrectedBisection,
        "bs": Bisection,
        "nc_selected": NoiseCorrectedSelection,
        "soft_fw": SoftFrankWolfe,
        "nclr_backward": NCLRBackward,
        "nclr_forward": NCLRForward,
        "nclr_plugin": NCLRPlugIn,
        "cpe_argmax": CPEArgmax,
        "cleanlab": CleanLab,
        "weighted_boosting": WeightedBoosting,
        "weighted_logistic": WeightedLogistic,
    }
