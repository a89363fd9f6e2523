"""Dispatch the command line to a subcommand, to help, or to a run."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from pkgutil import iter_modules

from ncbench import __version__
from ncbench.cli import commands
from ncbench.errors import NcbenchError, UnknownName, printable


def main() -> None:
    """Run the command line and exit."""
    argv = sys.argv[1:]
    subcommands = {
        module.name.replace("_", "-"): module.name for module in iter_modules(commands.__path__)
    }
    try:
        if argv and argv[0] in subcommands:
            module = import_module(f"ncbench.cli.commands.{subcommands[argv[0]]}")
            code = module.main(_use_files(argv[1:]))
        elif argv == ["--version"]:
            print(f"ncbench {__version__}")
            code = 0
        elif "--help" in argv or "-h" in argv:
            from ncbench.cli.help import print_help

            print_help(argv)
            code = 0
        elif argv and "=" not in argv[0] and argv[0][:1] not in ("-", "~"):
            error = UnknownName.among("subcommand", argv[0], subcommands)
            error.add("other arguments are KEY=VALUE; see --help")
            raise error
        else:
            from ncbench.cli.run import main as run

            code = run(argv)
    except NcbenchError as error:
        message = "\n".join(map(printable, str(error).split("\n")))
        print(f"ncbench: {message}", file=sys.stderr)
        code = 2
    except KeyboardInterrupt:
        print("ncbench: interrupted", file=sys.stderr)
        code = 130
    except BrokenPipeError:  # the reader of a pipe, such as head, has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


def _use_files(argv: list[str]) -> list[str]:
    """Load the files of ``--plugins-from``, and return the other arguments."""
    from ncbench.plugin import use_files

    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--plugins-from", metavar="FILE", action="append", default=[])
    args, others = parser.parse_known_args(argv)
    use_files(args.plugins_from)
    return others
