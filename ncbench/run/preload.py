"""What all cells need, imported once by the server that their processes are forked from.

Nothing is computed on data, and no plug-in of others is imported: whatever it did to this process,
every cell would inherit.
"""

from __future__ import annotations

import filelock  # noqa: F401
import omegaconf  # noqa: F401
import sklearn.calibration
import sklearn.datasets
import sklearn.ensemble
import sklearn.linear_model
import sklearn.model_selection
import sklearn.pipeline  # noqa: F401

import ncbench.run.cell  # noqa: F401
from ncbench.config import shipped_choices
from ncbench.errors import NcbenchError
from ncbench.plugin import get_registry
from ncbench.run.provenance import provenance

for plugin in get_registry().plugins():
    if plugin.distribution == "ncbench":
        try:
            get_registry().target(plugin.kind, plugin.name)
            get_registry().code(plugin.kind, plugin.name)
        except NcbenchError:  # a cell that needs it says why
            continue
shipped_choices()
provenance([], threads=1)  # asks git, and which versions there are
