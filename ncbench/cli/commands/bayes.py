"""bayes [DATASET]        the least loss any classifier can have, where eta is known."""

from __future__ import annotations

import argparse


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench bayes",
        description="Print the Bayes-optimal value of each measure on a data set whose "
        "distribution is known, with a bound on its error.",
    )
    parser.add_argument("dataset", metavar="DATASET", nargs="?", default="synthetic")
    parser.add_argument(
        "--size", type=int, default=200_000, help="points of the population, 1000 or more"
    )
    args = parser.parse_args(argv)

    from ncbench.report import print_sections
    from ncbench.report.regret_text import optima_section
    from ncbench.results.regret import optima

    print_sections([optima_section(optima(args.dataset, args.size))])
    return 0
