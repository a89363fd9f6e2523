"""Turn the command line into a checked configuration; all use of Hydra is here.

Import ``compose``, ``config_files``, ``hydra_session`` and ``schema`` by their paths: they need
Hydra, which takes 0.2 s to import.
"""

from ncbench.config.settings import SETTINGS, not_default, shipped_choices

__all__ = [
    "SETTINGS", "not_default", "shipped_choices",
]  # fmt: skip
