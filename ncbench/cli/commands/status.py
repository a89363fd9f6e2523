"""status DIR             how a sweep into DIR goes, from another terminal."""

from __future__ import annotations

import argparse


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench status", description="Say how a sweep goes, from another terminal."
    )
    parser.add_argument("folder", metavar="DIR", help="the sweep's output_dir")
    parser.add_argument("--all", action="store_true", help="every sweep, not just the newest")
    args = parser.parse_args(argv)

    from ncbench.cli.status_text import print_status

    print_status(args.folder, every=args.all)
    return 0
