"""ncbench: learning from noisy labels for non-linear measures of the confusion matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncbench.errors import NcbenchError
from ncbench.hookspecs import hookimpl

if TYPE_CHECKING:
    from ncbench.dataset import Dataset, NoisyLabels, identified_by
    from ncbench.estimator import NoisyLabelClassifier
    from ncbench.measure import Measure, RecallMeasure
    from ncbench.mixture import Mixture
    from ncbench.noise_matrix import NoiseMatrix
    from ncbench.noise_model import MatrixNoise
    from ncbench.own_noise import estimate_noise
    from ncbench.posterior_classifier import PosteriorClassifier
    from ncbench.scoring import scorer
    from ncbench.t_estimation import NoisySample

__version__ = "0.1.0"

# Loaded on first use: the command line's --help must not pay for numpy and scikit-learn.
_LAZY = {
    "Dataset": "ncbench.dataset",
    "NoisyLabels": "ncbench.dataset",
    "identified_by": "ncbench.dataset",
    "NoisyLabelClassifier": "ncbench.estimator",
    "Measure": "ncbench.measure",
    "RecallMeasure": "ncbench.measure",
    "Mixture": "ncbench.mixture",
    "NoiseMatrix": "ncbench.noise_matrix",
    "MatrixNoise": "ncbench.noise_model",
    "estimate_noise": "ncbench.own_noise",
    "PosteriorClassifier": "ncbench.posterior_classifier",
    "scorer": "ncbench.scoring",
    "NoisySample": "ncbench.t_estimation",
}

__all__ = [
    "Dataset",
    "MatrixNoise",
    "Measure",
    "Mixture",
    "NcbenchError",
    "NoiseMatrix",
    "NoisyLabelClassifier",
    "NoisyLabels",
    "NoisySample",
    "PosteriorClassifier",
    "RecallMeasure",
    "estimate_noise",
    "hookimpl",
    "identified_by",
    "load",
    "scorer",
]


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
    from ncbench.registry import get_registry

    return get_registry().target(kind, name)


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
