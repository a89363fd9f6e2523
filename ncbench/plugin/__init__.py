"""Plug-ins: hooks, signatures, the registry, and templates for new packages."""

from ncbench.plugin.current import files_in_use, get_registry, use_files, using
from ncbench.plugin.description import Plugin, Problem
from ncbench.plugin.needs import Withheld, needs_of
from ncbench.plugin.observers import check_observer
from ncbench.plugin.registry import KINDS, Registry, short_name
from ncbench.plugin.scaffold import TEMPLATES, write_package
from ncbench.plugin.signature import Parameter, annotation_of, as_arguments, as_list, parameters_of
from ncbench.plugin.signature_cache import source_files
from ncbench.plugin.spec import hookimpl

__all__ = [
    "KINDS", "TEMPLATES", "Parameter", "Plugin", "Problem", "Registry", "Withheld",
    "annotation_of", "as_arguments", "as_list", "check_observer", "files_in_use", "get_registry",
    "hookimpl", "needs_of", "parameters_of", "short_name", "source_files", "use_files", "using",
    "write_package",
]  # fmt: skip
