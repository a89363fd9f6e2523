"""What ``ncbench --help`` and ``ncbench plugins`` print: commands, keys, plug-ins and problems."""

from __future__ import annotations

import json
from dataclasses import asdict

from ncbench.cli.command import commands, usage
from ncbench.config import SETTINGS
from ncbench.plugin import KINDS, get_registry

_USAGE = """ncbench: learning from noisy labels for non-linear measures of the confusion matrix

  python -m ncbench KEY=VALUE ...          run one cell, write its record, print its loss
  python -m ncbench -m KEY=A,B ...         run a sweep over all combinations, print a table"""

_HYDRA = """
Subcommands load plug-ins from files with --plugins-from FILE, which may be repeated.
Hydra's options (--cfg job, --config-dir, ...) work too; --hydra-help lists them.
"""


def print_help(argv: list[str]) -> None:
    """Print usage, keys and plug-ins, including those of files that ``argv`` names."""
    if any("plugins_from=" in text for text in argv):
        from ncbench.config.compose import use_plugin_files

        use_plugin_files(argv)
    print(_USAGE)
    for name, command in commands().items():
        line, summary = usage(name, command)
        print(f"  python -m ncbench {line:<22} {summary}")
    print(_HYDRA)
    print("Keys")
    for key, setting in SETTINGS.items():
        print(f"  {key}={setting.metadata['default']}".ljust(24) + setting.metadata["help"])
    _print_plugins()


def print_listing() -> None:
    """Print all plug-ins by kind, with their distributions, then problems."""
    _print_plugins(owners=True)
    for problem in get_registry().problems:
        print(
            f"\nproblem: {problem.distribution} {problem.version}, entry point "
            f"{problem.entry_point}: {problem.error}"
        )


def as_json() -> str:
    """Return every plug-in and every problem as one JSON object."""
    registry = get_registry()
    return json.dumps(
        {
            "plugins": [asdict(plugin) for plugin in registry.plugins()],
            "observers": [asdict(observer) for observer in registry.plugins("observers")],
            "problems": [asdict(problem) for problem in registry.problems],
        },
        indent=2,
    )


def _print_plugins(owners: bool = False) -> None:
    headings = {kind.group: f"{kind.title} ({kind.group}=NAME)" for kind in KINDS.values()}
    for group, heading in {**headings, "observers": "observer (observers=[NAME])"}.items():
        print(f"\n{heading}")
        for plugin in get_registry().plugins(group):
            owner = f"  [{plugin.distribution} {plugin.version}]" if owners else ""
            print(f"  {plugin.name:<15} {plugin.summary}{owner}")
            for parameter in plugin.parameters:
                print(f"      {parameter}" if group not in KINDS else f"      {group}.{parameter}")
