"""Dispatch the command line to a subcommand, to help, or to a run."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from dataclasses import asdict
from importlib import import_module

from ncbench import __version__
from ncbench.cli.commands import subcommands
from ncbench.config import SETTINGS
from ncbench.errors import NcbenchError, UnknownName, printable_lines
from ncbench.files import is_full, keeping_inputs
from ncbench.plugin import KINDS, get_registry

# ``ncbench --help`` and ``ncbench plugins``: list keys, plug-ins and problems.


def as_json() -> str:
    """Return every plug-in and every problem as one JSON object."""
    registry = get_registry()
    return json.dumps(
        {
            "plugins": [asdict(plugin) for plugin in registry.plugins()],
            "observers": [asdict(observer) for observer in registry.observers()],
            "problems": [asdict(problem) for problem in registry.problems],
        },
        indent=2,
    )


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
    for module in subcommands().values():
        about = import_module(module).__doc__ or ""
        print(f"  python -m ncbench {about.splitlines()[0].rstrip('.')}")
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


def _print_plugins(owners: bool = False) -> None:
    for kind in KINDS.values():
        print(f"\n{kind.title} ({kind.group}=NAME)")
        for plugin in get_registry().plugins():
            if plugin.kind == kind.group:
                owner = f"  [{plugin.distribution} {plugin.version}]" if owners else ""
                print(f"  {plugin.name:<15} {plugin.summary}{owner}")
                for parameter in plugin.parameters:
                    print(f"      {kind.group}.{parameter}")
    print("\nobserver (observers=[NAME])")
    for observer in get_registry().observers():
        owner = f"  [{observer.distribution} {observer.version}]" if owners else ""
        print(f"  {observer.name:<15} {observer.summary}{owner}")
        for parameter in observer.parameters:
            print(f"      {parameter}")


def main() -> None:
    """Run the command line and exit."""
    argv = sys.argv[1:]
    known = subcommands()
    try:
        _require_streams()
        if argv and argv[0] in known:
            with keeping_inputs():
                code = import_module(known[argv[0]]).main(_use_files(argv[1:]))
        elif argv == ["--version"]:
            print(f"ncbench {__version__}")
            code = 0
        elif "--help" in argv or "-h" in argv:
            print_help(argv)
            code = 0
        elif argv and "=" not in argv[0] and argv[0][:1] not in ("-", "~"):
            error = UnknownName.among("subcommand", argv[0], known)
            error.add("other arguments are KEY=VALUE; see --help")
            raise error
        else:
            from ncbench.cli.run import main as run

            code = run(argv)
        sys.stdout.flush()
    except NcbenchError as error:
        print(f"ncbench: {printable_lines(str(error))}", file=sys.stderr)
        code = 2
    except KeyboardInterrupt:
        print("ncbench: interrupted", file=sys.stderr)
        code = 130
    except BrokenPipeError:  # the reader of a pipe, such as head, has closed it
        _discard_output()
        code = 0
    except OSError as error:
        if not is_full(error):
            raise
        where = f"{error.filename}: " if error.filename else ""
        kept = "finished cells and trials are kept; free space, and run the same command again"
        print(f"ncbench: {where}{error.strerror}; {kept}", file=sys.stderr)
        _discard_output()
        code = 1
    sys.exit(code)


def _require_streams() -> None:
    """Raise NcbenchError if standard output is closed; open other streams that are.

    Python then has None instead of a stream, and the next file that is opened gets its number: what
    is printed would end up in that file.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115
    if sys.stdout is None:
        raise NcbenchError(
            "standard output is closed, so nothing can be printed; to discard it, use > /dev/null"
        )


def _discard_output() -> None:
    """Let the end of the process flush the rest of its output to nowhere."""
    with contextlib.suppress(ValueError):  # not a file, in a program that captures it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _use_files(argv: list[str]) -> list[str]:
    """Load the files of ``--plugins-from``, and return the other arguments."""
    from ncbench.plugin import use_files

    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--plugins-from", metavar="FILE", action="append", default=[])
    args, others = parser.parse_known_args(argv)
    use_files(args.plugins_from)
    return others
