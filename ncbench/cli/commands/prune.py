"""prune DIR              remove cells of older code, and cells that newer records replace."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench prune",
        description="Remove the cells whose plug-ins were edited since, and those that a newer "
        "record of the same configuration replaces. They are listed first.",
    )
    parser.add_argument("folder", metavar="DIR", help="the output_dir of runs")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(  # read by cli.main, for every subcommand
        "--plugins-from", metavar="FILE", help="look at the plug-ins of this file, too"
    )
    args = parser.parse_args(argv)

    from ncbench.errors import NcbenchError, counted
    from ncbench.files import locked
    from ncbench.results.read import find_records, outdated

    found = find_records([args.folder], lambda said: print(said, file=sys.stderr))
    # Only folders that a run has made: others may hold more than a record.
    made = (one for one in found if one.path.parent.parent == Path(args.folder) / "cells")
    cells = [*outdated(made)]
    for cell in cells:
        print(f"{cell.folder}: {cell.cell}: {cell.why}")
    if not cells:
        print(
            f"{args.folder}: nothing to remove; to look at plug-ins of a file, give "
            "--plugins-from FILE"
        )
        return 0
    what = counted(len(cells), "cell")
    if not args.yes:
        if not sys.stdin.isatty():
            raise NcbenchError(f"{what} to remove; nobody can be asked here, so give --yes")
        if input(f"Remove {what}? [y/N] ").strip().lower() not in ("y", "yes"):
            return 0
    removed = 0
    for cell in cells:
        with locked(cell.folder / ".lock", wait=False) as held:
            if held:
                shutil.rmtree(cell.folder)
                removed += 1
            else:
                print(f"{cell.folder}: in use, kept", file=sys.stderr)
    print(f"removed: {counted(removed, 'cell')}")
    return 0
