"""plugins                list plug-ins, their distributions, and what could not be loaded."""

from __future__ import annotations

import argparse


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench plugins", description="List plug-ins, and those that could not be loaded."
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args(argv)

    from ncbench.cli.main import as_json, print_listing

    print(as_json()) if args.json else print_listing()
    return 0
