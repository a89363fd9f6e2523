"""bayes [DATASET]        print the lowest loss any classifier can reach (dataset=synthetic)."""

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
        "--size", type=int, default=200_000, help="population size, at least 1000 points"
    )
    args = parser.parse_args(argv)

    from ncbench.report import print_sections
    from ncbench.report.comparisons import optima_section
    from ncbench.results.series import optima

    print_sections([optima_section(optima(args.dataset, args.size))])
    return 0
