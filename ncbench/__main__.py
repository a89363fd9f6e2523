"""``python -m ncbench``, which is also the console script ``ncbench``."""

from __future__ import annotations

import argparse
import os
import sys

from ncbench.errors import NcbenchError


def main() -> None:
    """Run the command line and exit."""
    argv = sys.argv[1:]
    try:
        if argv[:1] == ["plugins"]:
            code = _plugins(argv[1:])
        elif argv[:1] == ["aggregate"]:
            code = _aggregate(argv[1:])
        elif argv[:1] == ["status"]:
            code = _status(argv[1:])
        elif argv[:1] == ["rerun"]:
            code = _rerun(argv[1:])
        elif "--help" in argv or "-h" in argv:
            from ncbench.listing import print_help

            print_help()
            code = 0
        else:
            from ncbench.app import main as run

            code = run(argv)
    except NcbenchError as error:
        print(f"ncbench: {error}", file=sys.stderr)
        code = 2
    except BrokenPipeError:  # the reader of a pipe, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


def _plugins(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="ncbench plugins", description="List what can be named.")
    parser.add_argument("--json", action="store_true", help="for machines")
    args = parser.parse_args(argv)

    from ncbench.listing import as_json, print_listing

    print(as_json()) if args.json else print_listing()
    return 0


def _aggregate(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="ncbench aggregate", description="Print the table of the records below a folder."
    )
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--format", choices=["table", "csv", "json"], default="table")
    args = parser.parse_args(argv)

    from ncbench.reading import print_records

    print_records(args.folder, args.format)
    return 0


def _status(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="ncbench status", description="Say how a sweep goes, from another terminal."
    )
    parser.add_argument("folder", metavar="DIR", help="the sweep's output_dir")
    parser.add_argument("--all", action="store_true", help="every sweep, not just the newest")
    args = parser.parse_args(argv)

    from ncbench.status import print_status

    print_status(args.folder, every=args.all)
    return 0


def _rerun(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="ncbench rerun", description="Repeat a cell from its record and compare every number."
    )
    parser.add_argument("folder", metavar="DIR", help="the output_dir that holds the record")
    parser.add_argument("id", metavar="ID", help="of the cell; its beginning is enough")
    parser.add_argument("--data-dir", help="where the data is now, if it was elsewhere")
    parser.add_argument("--threads", type=int, help="of BLAS and OpenMP; by default as recorded")
    args = parser.parse_args(argv)

    from ncbench.rerun import rerun

    return rerun(args.folder, args.id, data_dir=args.data_dir, threads=args.threads)


if __name__ == "__main__":
    main()
