"""Turn the command line into a checked configuration; all use of Hydra is here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncbench.imports import lazy

if TYPE_CHECKING:
    from ncbench.config.compose import (
        compose_cell as compose_cell,
        compose_sweep as compose_sweep,
        use_plugin_files as use_plugin_files,
    )
    from ncbench.config.defaults import (
        not_default as not_default,
        shipped_choices as shipped_choices,
        short as short,
    )
    from ncbench.config.hydra_session import (
        HydraSession as HydraSession,
        answer as answer,
        open_session as open_session,
        parse_arguments as parse_arguments,
    )
    from ncbench.config.overrides import quoted as quoted, readable as readable
    from ncbench.config.schema import register as register
    from ncbench.config.settings import SETTINGS as SETTINGS

__getattr__, __all__ = lazy(
    __name__,
    {
        "ncbench.config.compose": ["compose_cell", "compose_sweep", "use_plugin_files"],
        "ncbench.config.defaults": ["not_default", "shipped_choices", "short"],
        "ncbench.config.hydra_session": [
            "HydraSession",
            "answer",
            "open_session",
            "parse_arguments",
        ],
        "ncbench.config.overrides": ["quoted", "readable"],
        "ncbench.config.schema": ["register"],
        "ncbench.config.settings": ["SETTINGS"],
    },
)
