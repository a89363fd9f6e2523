"""``ncbench plugins``: what is registered, by whom, and what could not be."""

from __future__ import annotations

import json
from dataclasses import asdict

from ncbench.registry import KINDS, get_registry


def as_json() -> str:
    """Return every plug-in and every problem as one JSON object."""
    registry = get_registry()
    return json.dumps(
        {
            "plugins": [asdict(plugin) for plugin in registry.plugins()],
            "problems": [asdict(problem) for problem in registry.problems],
        },
        indent=2,
    )


def print_listing() -> None:
    """Print plug-ins by kind, then problems."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    registry = get_registry()
    for kind in KINDS.values():
        console.print(Text(f"{kind.title} ({kind.group}=...)", style="bold"))
        for plugin in registry.plugins():
            if plugin.kind == kind.group:
                owner = f"{plugin.distribution} {plugin.version}"
                console.print(Text(f"  {plugin.name:<15} {plugin.summary}  [{owner}]"))
                for parameter in plugin.parameters:
                    console.print(Text(f"      {kind.group}.{parameter}", style="dim"))
    for problem in registry.problems:
        console.print(
            Text(
                f"problem: {problem.distribution} {problem.version}, entry point "
                f"{problem.entry_point}: {problem.error}",
                style="red",
            )
        )
