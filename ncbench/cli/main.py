"""Dispatch the command line to a subcommand, to help, or to a run."""

from __future__ import annotations

import contextlib
import os
import sys

from ncbench import __version__
from ncbench.cli.command import Parser, commands, run
from ncbench.errors import NcbenchError, UnknownName, printable_lines
from ncbench.files import is_full, keeping_inputs


def main() -> None:
    """Run the command line and exit."""
    argv = sys.argv[1:]
    try:
        _require_streams()
        known = commands()
        if argv and argv[0] in known:
            with keeping_inputs():
                code = run(argv[0], known[argv[0]], _use_files(argv[1:]))
        elif argv == ["--version"]:
            print(f"ncbench {__version__}")
            code = 0
        elif "--help" in argv or "-h" in argv:
            from ncbench.cli.listing import print_help

            print_help(argv)
            code = 0
        elif argv and "=" not in argv[0] and argv[0][:1] not in ("-", "~"):
            error = UnknownName.among("subcommand", argv[0], known)
            error.add("other arguments are KEY=VALUE; see --help")
            raise error
        else:
            from ncbench.cli.run import main as run_cells

            code = run_cells(argv)
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

    parser = Parser(prog="ncbench", add_help=False, allow_abbrev=False)
    parser.add_argument("--plugins-from", metavar="FILE", action="append", default=[])
    args, others = parser.parse_known_args(argv)
    use_files(args.plugins_from)
    return others
