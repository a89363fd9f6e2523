"""theory DIR             regret and the terms of its bounds, where eta is known."""

from __future__ import annotations

import argparse


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench theory",
        description="Print the regret of every run whose data set knows its distribution, the "
        "terms of the paper's bounds, and how the regret falls with the sample size.",
    )
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--format", choices=["table", "csv", "md"], default="table")
    parser.add_argument(
        "--figures", metavar="FOLDER", help="draw regret_<measure>_<algo>.svg there"
    )
    args = parser.parse_args(argv)

    from ncbench.results.regret import print_theory

    print_theory(args.folder, args.format, args.figures)
    return 0
