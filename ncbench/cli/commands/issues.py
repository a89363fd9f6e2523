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

    from ncbench.data import UNKNOWN
    from ncbench.errors import NcbenchError, printable_lines
    from ncbench.own_labels import cheap_doubts, cheap_verdict, rank_labels, uncertainty
    from ncbench.report import as_csv, write
    from ncbench.report.own_labels import issues_text, ranked
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
        ranking = rank_labels(
            data.X,
            data.labels,
            noise_matrix=noise,
            cpe=args.cpe,
            clean=data.clean_labels,
            annotations=data.said,
            random_state=args.seed,
        )
    found, noise = ranking.issues, ranking.noise
    low, high, share = uncertainty(noise, ranking.counts)
    if data.table_rows is not None:
        found["row"] = data.table_rows
    if data.lines is not None:
        found["line"] = data.lines
    if data.said is not None:
        found["agree"] = data.said.eq(found["label"], axis=0).sum(axis=1)
        found["labels"] = data.said.notna().sum(axis=1)
    if data.clean is not None:
        found["checked"] = data.clean != UNKNOWN
    verdict = cheap_verdict(noise, share, len(found))
    shown = issues_text(found, share, args.show, args.noise_matrix is None, verdict)
    print(printable_lines(shown))
    for doubt in cheap_doubts(noise, ranking.counts, ranking.classes, share, low, high):
        print(printable_lines(f"Note: {doubt}"), file=sys.stderr)
    if args.out:
        write(as_csv(ranked(found)).rstrip("\n"), Path(args.out))
        print(f"written: {args.out}, with all {len(found)} rows", file=sys.stderr)
    return 0
