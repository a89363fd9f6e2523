"""The plug-in door: one hook per kind of thing that can be plugged in, and two for observers.

A plug-in is a module with functions of these names, marked with ``ncbench.hookimpl`` and named
by an entry point of group ``ncbench``, or a file named by ``plugins_from``. It may say which
version of this page it was written for, ``NCBENCH_API = 1``; one for a newer version than
``API_VERSION`` is refused with a message that says so. Each of the first six functions returns
a mapping from name to a class or function. Its keyword arguments, with their type hints and
defaults, are its configuration; arguments in the table below are not configuration: the core
supplies them.

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

    from ncbench.core import Measure, NoiseMatrix
    from ncbench.data import Dataset, NoisyLabels
    from ncbench.noise_estimation import NoisySample

    class NoiseModel(Protocol):
        """Makes noisy labels."""

        def corrupt(self, dataset: Dataset, sigma: float, rng: np.random.Generator) -> NoisyLabels:
            """Return noisy labels for the whole data set and the matrix that made them."""

    class TEstimator(Protocol):
        """Estimates the noise matrix."""

        def estimate(self, sample: NoisySample) -> NoiseMatrix:
            """Return the estimated noise matrix, as made by ``repair_estimate``."""


API_VERSION = 1
"""Goes up by one when a hook is added, or when something else is asked of what hooks return."""

hookspec = pluggy.HookspecMarker("ncbench")
hookimpl = pluggy.HookimplMarker("ncbench")


# What can be named in a configuration


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


# Observers: modules that follow a sweep. A run asks for them by the names of their entry points
# (of a file: its name without .py), ``observers=[mlflow]``; no other is called.


@hookspec
def ncbench_run_started(config: Mapping[str, Any]) -> None:
    """Take note that a cell is about to run its trials.

    Called in the process that runs the cell; not for a cell that is found finished, is skipped,
    or fails before its first trial. ``config`` is a copy of its resolved configuration and its
    ``id``. What an observer raises becomes a warning on standard error; the cell runs on.
    """
    raise NotImplementedError


@hookspec
def ncbench_run_finished(record: Mapping[str, Any]) -> None:
    """Take note of a cell's record: done, skipped or failed.

    Called after the record is written, in the process that ran the cell; if that was killed, in
    the one that noticed. A cell run alone that raises has no record in the end, but a failed
    one is passed here. ``record`` is a copy. What an observer raises becomes a warning on
    standard error, no more.
    """
    raise NotImplementedError
