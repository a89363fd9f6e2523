"""Import moved modules by their old paths, and warn about renamed names, for one release."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_ROOMS = {
    "core": "argmin_path:argmin caratheodory:mixture confusion measure mixture noise_matrix "
    "seeds:random_streams",
    "plugin": "hookspecs:spec signature plugin_file:file catalogue:signature_cache registry "
    "registry:current observers new_plugin:scaffold",
    "data": "dataset noise_model data_files:npz table_files:tables tabular:encoding",
    "learning": "estimator:classifier posterior_classifier cpe:class_probabilities linear_softmax "
    "linear_softmax:noisy_losses penalty_path:penalty_search learnt_noise:joint_noise scoring "
    "registry:classifier",
    "noise_estimation": "t_estimation:sample finalise:repair own_noise:audit",
    "theory": "theory.terms:bounds",
    "config": "settings:schema configs:schema keys:unknown_keys overrides defaults",
    "run": "experiment:trial experiment:problem cell records:record provenance cpe_cache sweep "
    "worker rerun",
    "results": "reading:read configuration:config_key values:trial_value aggregate:frame "
    "aggregate:config_key marks:best statistics statistics:ranks rank_tests significance "
    "compare:reference theory.summary:regret figures.results:series figures.sources:read versions",
    "report": "grid layout export failures figures paper",
    "report.figures": "theory.figures:regret figures.confusion_matrices:confusion_matrices "
    "figures.critical_difference:critical_difference figures.frank_wolfe_path:frank_wolfe_path "
    "figures.loss_against_sample_size:loss_against_sample_size "
    "figures.loss_against_sigma:loss_against_sigma figures.stage_times:stage_times "
    "figures.style:style figures.curves:curves figures.files:files",
}


def _new_homes() -> dict[str, list[str]]:
    homes: dict[str, list[str]] = {}
    for room, names in _ROOMS.items():
        for name in names.split():
            old, _, new = name.partition(":")
            homes.setdefault(f"ncbench.{old}", []).append(f"ncbench.{room}.{new or old}")
    return homes


NEW_HOMES = _new_homes()
"""The new paths of each moved module, by its old path."""


class _MovedModules(MetaPathFinder, Loader):
    """Import a moved module by its old path, with a warning."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname not in NEW_HOMES:
            return None
        return ModuleSpec(fullname, self, is_package=f"{fullname}." in " ".join(NEW_HOMES))

    def exec_module(self, module: ModuleType) -> None:
        homes = [import_module(home) for home in NEW_HOMES[module.__name__]]
        renamed(module.__name__, " and ".join(NEW_HOMES[module.__name__]))

        def __getattr__(name: str) -> Any:  # noqa: N807
            for home in homes:
                if hasattr(home, name):
                    return getattr(home, name)
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

        module.__dict__["__getattr__"] = __getattr__


def find_moved_modules() -> None:
    """Let plug-ins and scripts import moved modules by their old paths."""
    sys.meta_path.insert(0, _MovedModules())  # first, because some old packages still have files


def notice_renamed(old: str, new: str) -> None:
    """Print, once per process, that a key or command has a new name."""
    if (old, new) not in _NOTICED:
        _NOTICED.add((old, new))
        print(f"ncbench: {old} is now {new}; the old name works until 0.3", file=sys.stderr)


_NOTICED: set[tuple[str, str]] = set()


def renamed(old: str, new: str) -> None:
    """Warn that a name in the caller's code has changed; the old name works for one release."""
    warnings.warn(f"{old} is now {new}; the old name works until ncbench 0.3", FutureWarning, 3)
