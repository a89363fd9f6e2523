"""The plug-in door: one hook per kind of thing that can be plugged in.

A plug-in is a module with functions of these names, marked with ``ncbench.hookimpl`` and named
by an entry point of group ``ncbench``. Each function returns a mapping from name to a class or
function. Its keyword arguments, with their type hints and defaults, are its configuration;
arguments in the table below are not configuration: the core supplies them.

================= ============================ =================================================
kind              supplied by the core         what the class or function gives
================= ============================ =================================================
data set          data_dir, rng                a ``Dataset``
noise model                                    ``corrupt(dataset, sigma, rng)``
CPE learner       random_state                 a scikit-learn classifier with ``predict_proba``
T estimator                                    ``estimate(sample)``, a ``NoiseMatrix``
measure                                        a ``Measure``
algorithm         measure, cpe, random_state   a scikit-learn classifier whose ``fit`` takes
                                               ``noise_matrix``
================= ============================ =================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import pluggy

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from ncbench.dataset import Dataset, NoisyLabels
    from ncbench.measure import Measure
    from ncbench.noise_matrix import NoiseMatrix
    from ncbench.t_estimation import NoisySample

    class NoiseModel(Protocol):
        """Makes noisy labels."""

        def corrupt(self, dataset: Dataset, sigma: float, rng: np.random.Generator) -> NoisyLabels:
            """Return noisy labels for the whole data set and the matrix that made them."""

    class TEstimator(Protocol):
        """Estimates the noise matrix."""

        def estimate(self, sample: NoisySample) -> NoiseMatrix:
            """Return the estimated noise matrix, as made by ``ncbench.finalise.finalise``."""


hookspec = pluggy.HookspecMarker("ncbench")
hookimpl = pluggy.HookimplMarker("ncbench")


@hookspec
def ncbench_datasets() -> Mapping[str, Callable[..., Dataset]]:
    """Data sets by name. Called when the registry is built; a name taken twice is an error."""
    raise NotImplementedError


@hookspec
def ncbench_noise_models() -> Mapping[str, Callable[..., NoiseModel]]:
    """Noise models by name. Called when the registry is built; a name taken twice is an error."""
    raise NotImplementedError


@hookspec
def ncbench_cpe_learners() -> Mapping[str, Callable[..., Any]]:
    """Class probability learners by name: scikit-learn classifiers with ``predict_proba``.

    Called when the registry is built; a name taken twice is an error.
    """
    raise NotImplementedError


@hookspec
def ncbench_t_estimators() -> Mapping[str, Callable[..., TEstimator]]:
    """Estimators of the noise matrix by name. Called when the registry is built.

    A name taken twice is an error.
    """
    raise NotImplementedError


@hookspec
def ncbench_measures() -> Mapping[str, Callable[..., Measure]]:
    """Measures by name. Called when the registry is built; a name taken twice is an error."""
    raise NotImplementedError


@hookspec
def ncbench_algorithms() -> Mapping[str, Callable[..., Any]]:
    """Algorithms by name: scikit-learn classifiers whose ``fit`` takes ``noise_matrix``.

    Called when the registry is built; a name taken twice is an error.
    """
    raise NotImplementedError
