"""issues FILE            list the labels of your own file that are probably wrong."""

from __future__ import annotations

import sys
from pathlib import Path

from ncbench.cli.arguments import (
    Parser,
    add_learning,
    add_own_data,
    noise_matrix,
    number,
    read_labeled,
    require_out,
)


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = Parser(
        prog="ncbench issues",
        description="Rank the labels of a file by the probability that they are wrong.",
    )
    add_own_data(parser)
    parser.add_argument("--out", metavar="FILE", help="write all rows to a CSV file")
    parser.add_argument(
        "--show", type=number, default=20, metavar="N", help="rows to print (default: 20)"
    )
    add_learning(parser, cpe="a linear model and trees")
    args = parser.parse_args(argv)

    from threadpoolctl import threadpool_limits

    from ncbench.errors import NcbenchError, printable_lines
    from ncbench.own_labels import rank_own_labels
    from ncbench.own_labels.text import issues_text, ranked
    from ncbench.report import as_csv, write
    from ncbench.run import working

    require_out(args.out, ".csv")
    noise = noise_matrix(args)
    if not args.target and noise != "estimate":
        raise NcbenchError(
            f"--t-estimator {noise} is for labels of one person; those of several are weighed by "
            "the method of Dawid and Skene: leave it out"
        )
    data = read_labeled(args)
    with threadpool_limits(1), working(f"Looking for wrong labels among {len(data.y):,}"):
        ranking = rank_own_labels(data, noise, args.cpe, args.seed)
    found, known = ranking.issues, ranking.findings
    print(printable_lines(issues_text(found, known, args.show, args.noise_matrix is None)))
    for doubt in known.doubts:
        print(printable_lines(f"Note: {doubt}"), file=sys.stderr)
    if args.out:
        write(as_csv(ranked(found)).rstrip("\n"), Path(args.out))
        print(f"written: {args.out}, with all {len(found)} rows", file=sys.stderr)
    return 0
