"""Old module paths, kept for one release: they import the module's new home, with a notice.

Plug-ins and scripts written before ncbench had rooms import ``ncbench.aggregate`` or
``ncbench.noise_matrix``. Delete this module, and its one call in ``ncbench/__init__.py``, with the
release after 0.2.
"""

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
    "observers new_plugin:scaffold",
    "data": "dataset noise_model data_files:npz table_files:tables tabular:encoding",
    "learning": "estimator:classifier posterior_classifier cpe:class_probabilities linear_softmax "
    "penalty_path:penalty_search learnt_noise:joint_noise scoring:scorer",
    "noise_estimation": "t_estimation:sample finalise:repair own_noise:audit",
    "theory": "theory.terms:bounds",
    "config": "settings:schema configs:schema keys:unknown_keys overrides defaults",
    "run": "experiment:trial cell records:record provenance cpe_cache sweep worker rerun:verify",
    "results": "reading:read configuration:config_key values:trial_value aggregate:frame "
    "marks:best statistics rank_tests significance compare:reference theory.summary:regret",
    "report": "grid layout export failures figures paper",
    "report.figures": "theory.figures:regret "
    + " ".join(
        f"figures.{name}:{name}"
        for name in (
            "confusion_matrices critical_difference curves files frank_wolfe_path "
            "loss_against_sample_size loss_against_sigma results stage_times style"
        ).split()
    ),
}


def _new_homes() -> dict[str, str]:
    homes = {}
    for room, names in _ROOMS.items():
        for name in names.split():
            old, _, new = name.partition(":")
            homes[f"ncbench.{old}"] = f"ncbench.{room}.{new or old}"
    return homes


NEW_HOMES = _new_homes()
"""By old path, the new one."""


class _MovedModules(MetaPathFinder, Loader):
    """Finds modules by their old paths."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in NEW_HOMES else None

    def exec_module(self, module: ModuleType) -> None:
        old = module.__name__
        new = NEW_HOMES[old]
        warnings.warn(
            f"{old} has moved to {new}; the old path works until ncbench 0.3",
            FutureWarning,
            stacklevel=2,
        )
        sys.modules[old] = import_module(new)  # the import system takes what is here now


def find_moved_modules() -> None:
    """Have imports of old paths find the new ones."""
    sys.meta_path.insert(0, _MovedModules())  # first: a moved package still has its files
