"""status DIR             print the progress of a sweep, from any terminal."""

from __future__ import annotations

import argparse


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench status", description="Print the progress of a sweep, from any terminal."
    )
    parser.add_argument("folder", metavar="DIR", help="the output_dir of the sweep")
    parser.add_argument("--all", action="store_true", help="print all sweeps, not only the newest")
    args = parser.parse_args(argv)

    from ncbench.cli.status_text import print_status

    print_status(args.folder, every=args.all)
    return 0
