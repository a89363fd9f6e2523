"""Measures: losses of the confusion matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ncbench import Measure, hookimpl

from .f1 import MacroF1, MicroF1
from .linear import Cost, ZeroOne
from .recall_means import BalancedError, GMean, HMean, QMean, WorstClass


@hookimpl
def ncbench_measures() -> Mapping[str, Callable[..., Measure]]:
    """Return measures by name."""
    return {
        "h_mean": HMean,
        "q_mean": QMean,
        "g_mean": GMean,
        "balanced_error": BalancedError,
        "worst_class": WorstClass,
        "micro_f1": MicroF1,
        "macro_f1": MacroF1,
        "zero_one": ZeroOne,
        "cost": Cost,
    }
