"""Hook specifications: one hook for each kind of plug-in, and four for observers.

A plug-in is a module with functions of these names, marked with ``ncbench.hookimpl``. It is named
by an entry point of the group ``ncbench``, or it is a file named by ``plugins_from``. It may
declare the version of the hooks it was written for, ``NCBENCH_API = 2``; a version above
``API_VERSION`` is an error. Each of the first six hooks returns a mapping from name to a class or
function. The keyword arguments of that class or function, with type hints and defaults, are its
configuration, except for the arguments that the core supplies:

================= ============================ =================================================
kind              supplied by the core         what the class or function returns
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
        """Draws noisy labels."""

        def corrupt(self, dataset: Dataset, sigma: float, rng: np.random.Generator) -> NoisyLabels:
            """Return noisy labels of the whole data set and the noise matrix."""

    class TEstimator(Protocol):
        """Estimates the noise matrix."""

        def estimate(self, sample: NoisySample) -> NoiseMatrix:
            """Return the estimated noise matrix, usually from ``repair_estimate``."""


API_VERSION = 2
"""Incremented when a hook is added or the contract of its return value changes."""

hookspec = pluggy.HookspecMarker("ncbench")
hookimpl = pluggy.HookimplMarker("ncbench")


# Plug-ins that a configuration can name


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


# Observers: modules that follow a sweep. ``observers=[mlflow]`` names them by entry point, or by
# file name without .py. Other observers are not called. A module may declare its parameters:
# ``NCBENCH_SETTINGS`` is a class or function whose keyword arguments they are, and what it returns
# is the argument ``settings`` of its hooks. An implementation takes only the arguments it needs.


@hookspec
def ncbench_run_started(config: Mapping[str, Any], settings: Any) -> None:
    """Handle the start of a cell's trials.

    Called in the process that runs the cell. Not called if the cell is already finished, is
    skipped, or fails before its first trial. ``config`` is a copy of the resolved configuration
    with the cell's ``id``. An exception in an observer becomes a warning on standard error.
    """
    raise NotImplementedError


@hookspec
def ncbench_trial_finished(
    config: Mapping[str, Any], trial: Mapping[str, Any], settings: Any
) -> None:
    """Handle a trial that has just been run, as it will be in the record.

    Called in the process that runs the cell, once the trial is stored. Not called for trials that
    an earlier run has left.
    """
    raise NotImplementedError


@hookspec
def ncbench_run_finished(record: Mapping[str, Any], settings: Any) -> None:
    """Handle a cell's record: done, skipped or failed.

    Called after the record is written, in the process that ran the cell, or in the process that
    noticed that it was killed. A single run that raises writes no record, but a failed record is
    passed here. ``record`` is a copy. An exception in an observer becomes a warning on standard
    error.
    """
    raise NotImplementedError


@hookspec
def ncbench_sweep_finished(sweep: Mapping[str, Any], settings: Any) -> None:
    """Handle the end of a sweep: its folder, its command, and the status of each cell by id.

    Called once, in the process of the command, after the table is printed. Not called for a sweep
    that was stopped.
    """
    raise NotImplementedError
