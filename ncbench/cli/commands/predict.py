"""predict MODEL FILE     predict the classes of a table with a model that fit wrote."""

from __future__ import annotations

import sys
from pathlib import Path

from ncbench.cli.arguments import Parser, require_out


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = Parser(
        prog="ncbench predict",
        description="Predict the class of each row of a table, with the probabilities of the clean "
        "classes. Columns that are not features, such as ids, are copied as they are written.",
    )
    parser.add_argument("model", metavar="MODEL", help="a file that `ncbench fit` wrote")
    parser.add_argument("data", metavar="FILE", help="CSV, TSV, Parquet, Excel or ARFF file")
    parser.add_argument("--out", required=True, metavar="FILE", help="the predictions, NAME.csv")
    args = parser.parse_args(argv)

    from threadpoolctl import threadpool_limits

    from ncbench.data import as_written, lines_of, read_table
    from ncbench.errors import counted
    from ncbench.files import write_output
    from ncbench.own_labels import read_model
    from ncbench.own_labels.predictions import predictions_csv
    from ncbench.run import working

    require_out(args.out, ".csv")
    model = read_model(args.model)
    with working(f"Reading {args.data}"):
        table = read_table(Path(args.data))
    with threadpool_limits(1), working(f"Predicting {len(table):,} rows"):
        predicted, probabilities = model.predict(table, f"file {args.data!r}")
        model.notice_missing(table, f"file {args.data!r}")
    with working(f"Writing {args.out}"):
        found = lines_of(table), model.classes, predicted, probabilities
        others = as_written(model.other_columns(table))
        write_output(Path(args.out), predictions_csv(others, *found))
    print(f"written: {args.out}, {counted(len(table), 'row')}", file=sys.stderr)
    return 0
