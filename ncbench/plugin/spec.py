"""Hook specifications: one hook for each kind of plug-in.

A plug-in is a module with functions of these names, marked with ``ncbench.hookimpl``. It is named
by an entry point of the group ``ncbench``, or it is a file named by ``plugins_from``. Each hook
returns a mapping from name to a class or function. The keyword arguments of that class or function,
with type hints and defaults, are its configuration, except for the arguments that the core
supplies:

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
observer                                       an ``Observer``
================= ============================ =================================================

A plug-in may import what is public: ``ncbench``, its rooms ``core``, ``data``, ``learning`` and
``noise_estimation``, ``errors`` and ``types``; its tests also ``ncbench.testing``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import pluggy

from ncbench.errors import NcbenchError, UnknownName

# What a plug-in declares that it needs besides features and noisy labels.

NEEDS = {
    "noise_matrix": "the true noise matrix",
    "clean_labels": "clean labels of training examples",
    "annotations": "the labels of several people",
    "unlabeled": "training examples without a label",
}
"""What can be needed, and what it is."""


def needs_of(plugin: Any) -> frozenset[str]:
    """Return the names in the ``needs`` of a plug-in; raise if one of them does not exist.

    Examples
    --------
    >>> class Oracle:
    ...     needs = ("noise_matrix",)
    >>> sorted(needs_of(Oracle())), sorted(needs_of(object()))
    (['noise_matrix'], [])
    """
    where = f"{type(plugin).__name__}.needs"
    declared = getattr(plugin, "needs", ())
    if isinstance(declared, str) or not hasattr(declared, "__iter__"):
        raise NcbenchError(f'{where} is {declared!r}; expected a tuple such as ("noise_matrix",)')
    needs = set(declared)
    for name in needs - NEEDS.keys():
        raise UnknownName.among(where, name, NEEDS)
    return frozenset(needs)


class Withheld:
    """Stands for a part of the truth that a plug-in has not declared; any use of it raises.

    Examples
    --------
    >>> Withheld("noise_matrix", "Mine").matrix
    Traceback (most recent call last):
    ...
    ncbench.errors.NcbenchError: Mine uses the true noise matrix, but does not declare \
this; give it the attribute needs = ("noise_matrix",)
    """

    def __init__(self, name: str, plugin: str) -> None:
        self._name = name
        self._plugin = plugin

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # such as __deepcopy__, which copies look for
            raise AttributeError(name)
        self._refuse()

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise NcbenchError(
            f"{self._plugin} uses {NEEDS[self._name]}, but does not declare this; give it the "
            f'attribute needs = ("{self._name}",)'
        )


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

    class Observer(Protocol):
        """Follows a sweep, if ``observers=[NAME]`` asks for it.

        It has one or more of these methods. Their arguments are copies. An exception becomes a
        warning on standard error.
        """

        def run_started(self, config: Mapping[str, Any]) -> None:
            """Handle the start of a cell's trials.

            Called in the process that runs the cell. Not called if the cell is already finished, is
            skipped, or fails before its first trial. ``config`` is the resolved configuration with
            the cell's ``id``.
            """

        def trial_finished(self, config: Mapping[str, Any], trial: Mapping[str, Any]) -> None:
            """Handle a trial that has just been run, as it will be in the record.

            Called in the process that runs the cell, once the trial is stored. Not called for
            trials that an earlier run has left.
            """

        def run_finished(self, record: Mapping[str, Any]) -> None:
            """Handle a cell's record: done, skipped or failed.

            Called after the record is written, in the process that ran the cell, or in the process
            that noticed that it was killed. A single run that raises writes no record, but a failed
            record is passed here.
            """

        def sweep_finished(self, sweep: Mapping[str, Any]) -> None:
            """Handle the end of a sweep: its folder, its command, and each cell's status by id.

            Called once, in the process of the command, after the table is printed. Not called for a
            sweep that was stopped.
            """


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


@hookspec
def ncbench_observers() -> Mapping[str, Callable[..., Observer]]:
    """Observers of a sweep by name. Called when the registry is built.

    A name taken twice is an error.
    """
    raise NotImplementedError
