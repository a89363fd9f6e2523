"""aggregate DIR          the table again, from the records."""

from __future__ import annotations

import argparse


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench aggregate", description="Print the table of the records below a folder."
    )
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--format", choices=["table", "csv", "json"], default="table")
    args = parser.parse_args(argv)

    from ncbench.reading import print_records

    print_records(args.folder, args.format)
    return 0
