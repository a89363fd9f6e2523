"""compare DIR...         compare records with a published table, and what is beyond chance."""

from __future__ import annotations

import argparse
import sys

from ncbench.cli.arguments import (
    add_ddof,
    add_errors,
    add_level,
    add_output,
    add_reading,
    positive,
    read_losses,
)


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench compare",
        description="Compare the records below some folders with published numbers, such as "
        "those of +experiment=paper/all with the tables of the paper.",
    )
    add_reading(parser)
    parser.add_argument(
        "--reference",
        metavar="FILE.csv|paper",
        required=True,
        help="the published table, with columns measure, dataset, algo, sigma, mean, sem; other "
        "configuration keys may be columns too; `paper`: Tables 2, 3, 5 and 6 of the paper",
    )
    add_errors(parser)
    parser.add_argument("--within", type=positive, help=argparse.SUPPRESS)
    add_ddof(parser)
    add_level(parser)
    add_output(parser, ["table", "csv", "json", "md", "tex"])
    args = parser.parse_args(argv)
    if args.within is not None:
        print("notice: --within has no effect; --level decides on verdicts", file=sys.stderr)

    from ncbench.report import as_csv, as_json, comparison_sections, print_or_write_sections
    from ncbench.results import Comparison, parse_where, read_reference

    reference = read_reference(args.reference, parse_where(args.where))
    cells = read_losses(args)
    # Keep keys that were not swept too: boosting must not be compared with logistic regression.
    keep = [column for column in reference.columns if column in cells.keys]
    frame = cells.frame(args.ddof, keep=keep)
    comparison = Comparison.of(frame, reference, args.errors, args.level, args.ddof)
    print_or_write_sections(
        comparison_sections(comparison),
        args.format,
        args.out,
        csv=lambda: as_csv(comparison.cells).rstrip("\n"),
        json=lambda: as_json(comparison.cells),
    )
    return 0
