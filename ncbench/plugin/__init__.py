"""Plug-ins: hooks, signatures, the registry, and templates for new packages."""

from ncbench.plugin.observers import check_observer
from ncbench.plugin.registry import (
    KINDS,
    Registry,
    files_in_use,
    get_registry,
    short_name,
    use_files,
    using,
)
from ncbench.plugin.scaffold import TEMPLATES, write_package
from ncbench.plugin.signature import (
    Parameter,
    Plugin,
    Problem,
    annotation_of,
    as_arguments,
    as_list,
    parameters_of,
    source_files,
)
from ncbench.plugin.spec import Withheld, hookimpl, needs_of

__all__ = [
    "KINDS", "TEMPLATES", "Parameter", "Plugin", "Problem", "Registry", "Withheld",
    "annotation_of", "as_arguments", "as_list", "check_observer", "files_in_use", "get_registry",
    "hookimpl", "needs_of", "parameters_of", "short_name", "source_files", "use_files", "using",
    "write_package",
]  # fmt: skip
