"""ncbench: learning from noisy labels for non-linear measures of the confusion matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncbench.errors import NcbenchError
from ncbench.moved import find_moved_modules
from ncbench.plugin.spec import hookimpl

if TYPE_CHECKING:
    from ncbench.core.measure import Measure, RecallMeasure
    from ncbench.core.mixture import Mixture
    from ncbench.core.noise_matrix import NoiseMatrix
    from ncbench.data.dataset import Dataset, NoisyLabels, identified_by
    from ncbench.data.noise_model import MatrixNoise
    from ncbench.learning.classifier import NoisyLabelClassifier
    from ncbench.learning.posterior_classifier import PosteriorClassifier
    from ncbench.learning.scorer import scorer
    from ncbench.noise_estimation.audit import estimate_noise
    from ncbench.noise_estimation.sample import NoisySample

__version__ = "0.1.0"

find_moved_modules()

# Loaded on first use: the command line's --help must not pay for numpy and scikit-learn.
_LAZY = {
    "Dataset": "ncbench.data.dataset",
    "NoisyLabels": "ncbench.data.dataset",
    "identified_by": "ncbench.data.dataset",
    "NoisyLabelClassifier": "ncbench.learning.classifier",
    "Measure": "ncbench.core.measure",
    "RecallMeasure": "ncbench.core.measure",
    "Mixture": "ncbench.core.mixture",
    "NoiseMatrix": "ncbench.core.noise_matrix",
    "MatrixNoise": "ncbench.data.noise_model",
    "estimate_noise": "ncbench.noise_estimation.audit",
    "PosteriorClassifier": "ncbench.learning.posterior_classifier",
    "scorer": "ncbench.learning.scorer",
    "NoisySample": "ncbench.noise_estimation.sample",
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
    from ncbench.plugin.registry import get_registry

    return get_registry().target(kind, name)


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
