"""plugins                what can be named, with who brought it, and what could not be loaded."""

from __future__ import annotations

import argparse


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(prog="ncbench plugins", description="List what can be named.")
    parser.add_argument("--json", action="store_true", help="for machines")
    args = parser.parse_args(argv)

    from ncbench.cli.help import as_json, print_listing

    print(as_json()) if args.json else print_listing()
    return 0
