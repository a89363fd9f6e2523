"""issues FILE            list the labels of your own file that are probably wrong."""

from __future__ import annotations

import argparse
import sys


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench issues",
        description="Rank the labels of a file by the probability that they are wrong.",
    )
    parser.add_argument("data", metavar="FILE", help="CSV, TSV, Parquet, ARFF or npz file")
    parser.add_argument("--target", required=True, metavar="COLUMN", help="the noisy labels")
    parser.add_argument(
        "--clean-column", metavar="COLUMN", help="checked labels; rows without one are left empty"
    )
    parser.add_argument("--out", metavar="FILE", help="write all rows to a CSV file")
    parser.add_argument(
        "--show", type=int, default=20, metavar="N", help="rows to print (default: 20)"
    )
    parser.add_argument(
        "--t-estimator", default="estimate", metavar="NAME", help="estimator of the noise matrix"
    )
    parser.add_argument("--cpe", metavar="NAME", help="class probability learner")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)

    from pathlib import Path

    from threadpoolctl import threadpool_limits

    from ncbench.doubtful_labels import find_label_issues
    from ncbench.errors import NcbenchError
    from ncbench.noise_estimation import read_own_data
    from ncbench.report import as_csv, write
    from ncbench.report.issues_text import ranked, text

    if args.out and not Path(args.out).absolute().parent.is_dir():
        raise NcbenchError(f"--out {args.out}: no such folder")
    data = read_own_data(args.data, args.target, args.clean_column)
    with threadpool_limits(1):
        found = find_label_issues(
            data.X,
            data.y,
            noise_matrix=args.t_estimator,
            cpe=args.cpe,
            clean=data.clean,
            random_state=args.seed,
        )
    for column in ("label", "likeliest"):
        found[column] = [data.classes[k] for k in found[column]]
    print(text(found, args.show))
    if args.out:
        write(as_csv(ranked(found)).rstrip("\n"), Path(args.out))
        print(f"written: {args.out}, with all {len(found)} rows", file=sys.stderr)
    return 0
