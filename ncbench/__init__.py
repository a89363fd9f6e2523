"""ncbench: learning from noisy labels for non-linear measures of the confusion matrix."""

from __future__ import annotations

__version__ = "0.1.0"  # before the imports, because some of them read it

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ncbench.errors import NcbenchError
from ncbench.plugin import hookimpl

if TYPE_CHECKING:
    from ncbench.core import Measure, Mixture, NoiseMatrix, RecallMeasure
    from ncbench.data import Dataset, MatrixNoise, NoisyLabels, identified_by
    from ncbench.learning import NoisyLabelClassifier, PosteriorClassifier, scorer
    from ncbench.noise_estimation import NoisySample
    from ncbench.own_labels import (
        NoiseCorrectedClassifier,
        estimate_noise,
        estimate_performance,
        find_label_issues,
    )

# Imported on first use: ``--help`` must not wait for numpy and scikit-learn.
_ROOMS = {
    "core": ("Measure", "Mixture", "NoiseMatrix", "RecallMeasure"),
    "data": ("Dataset", "MatrixNoise", "NoisyLabels", "identified_by"),
    "learning": ("NoisyLabelClassifier", "PosteriorClassifier", "scorer"),
    "noise_estimation": ("NoisySample",),
    "own_labels": (
        "NoiseCorrectedClassifier",
        "estimate_noise",
        "estimate_performance",
        "find_label_issues",
    ),
}

_MEASURES = (
    "balanced_error", "g_mean", "h_mean", "macro_f1", "micro_f1", "q_mean", "worst_class",
    "zero_one",
)  # fmt: skip

__all__ = [
    "Dataset", "MatrixNoise", "Measure", "Mixture", "NcbenchError",
    "NoiseCorrectedClassifier", "NoiseMatrix", "NoisyLabelClassifier", "NoisyLabels", "NoisySample",
    "PosteriorClassifier", "RecallMeasure", "estimate_noise", "estimate_performance",
    "find_label_issues", "hookimpl", "identified_by", "load", "scorer",
]  # fmt: skip


def load(kind: str, name: str) -> Any:
    """Return the class or function that a plug-in registered under a name.

    Parameters
    ----------
    kind : {"algo", "measure", "dataset", "noise", "cpe", "t_estimator"}
    name : str

    Examples
    --------
    >>> load("measure", "h_mean").__name__
    'HMean'
    """
    from ncbench.plugin import get_registry

    return get_registry().target(kind, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MEASURES})


def __getattr__(name: str) -> Any:
    for room, names in _ROOMS.items():
        if name in names:
            return getattr(import_module(f"ncbench.{room}"), name)
    if name in _MEASURES:
        return load("measure", name)().of_labels
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
