"""evaluate MODEL FILE    estimate how good a model that fit wrote is on clean labels."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ncbench.cli.arguments import (
    Parser,
    add_background,
    add_noise_matrix,
    names,
    require_background,
    require_measures,
)


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = Parser(
        prog="ncbench evaluate",
        description="Estimate how good a model is on rows that it was not fitted to. "
        "Noisy labels are corrected for noise; checked labels are compared as they are.",
    )
    parser.add_argument("model", metavar="MODEL", help="a file that `ncbench fit` wrote")
    parser.add_argument("data", metavar="FILE", help="CSV, TSV, Parquet, Excel or ARFF file")
    labels = parser.add_mutually_exclusive_group(required=True)
    labels.add_argument("--target", metavar="COLUMN", help="noisy labels")
    labels.add_argument(
        "--clean-column", metavar="COLUMN", help="checked labels; rows without one are left out"
    )
    parser.add_argument(
        "--measure",
        metavar="NAMES",
        type=names,
        help="losses, as a,b,c; default: that of the model, and with --clean-column all",
    )
    add_background(parser, default="that of the model, or its first class")
    add_noise_matrix(parser)
    args = parser.parse_args(argv)

    from threadpoolctl import threadpool_limits

    from ncbench.data import read_table
    from ncbench.errors import NcbenchError, printable_lines
    from ncbench.own_labels import (
        has_background,
        hold_out,
        named_measure,
        read_model,
        read_noise_matrix,
    )
    from ncbench.own_labels.text import checked_text, noisy_text
    from ncbench.plugin import get_registry
    from ncbench.run import working

    if args.clean_column and args.noise_matrix:
        raise NcbenchError("--noise-matrix is for noisy labels; leave it out with --clean-column")
    column = args.target or args.clean_column
    require_measures(args.measure or [])
    model = read_model(args.model)
    require_background(args.background, model.classes)
    if args.target and model.about.get("people") and not args.noise_matrix:
        raise NcbenchError(
            f"--target {args.target}: the noise matrix of the model is that of the most probable "
            "label of several people, which is wrong less often than that of one; give "
            "--clean-column with checked labels, or --noise-matrix with that of this column"
        )
    wanted = args.measure or [model.about["measure"]]
    if args.clean_column and not args.measure:
        wanted = [name for name, _ in get_registry().each_built("measure")]
    background = args.background or model.about.get("background") or model.classes[0]
    measures = {name: named_measure(name, background) for name in wanted}
    noise: Any = None if args.clean_column else model.classifier.noise_matrix_
    if args.noise_matrix:
        noise = read_noise_matrix(args.noise_matrix)
    with working(f"Reading {args.data}"):
        table = read_table(Path(args.data))
    with threadpool_limits(1), working(f"Predicting {len(table):,} rows"):
        X, y = model.labeled(table, column, f"file {args.data!r}")
        model.notice_missing(table, f"file {args.data!r}")
        held_out, classes = hold_out(model.classifier, X, y, noise)
        found = [
            held_out.performance(name, psi.for_classes(classes), classes)
            for name, psi in measures.items()
        ]
        if args.clean_column:
            text = checked_text(args.clean_column, model.about, held_out.confusion, found)
        else:
            text = noisy_text(args.target, model.about, args.noise_matrix, found)
    # A model and a table may come from others, with any names.
    print(printable_lines(f"{args.model} on {args.data}, {len(y)} rows\n{text}"))
    for name in filter(has_background, measures):
        print(printable_lines(f"{name} leaves out the background class: {background}"))
    seen = model.share_seen(X)
    if seen > 0.1:
        print(
            f"Warning: about {seen:.0%} of these rows equal rows that the model was fitted to, "
            "beyond those that repeat anyway, which flatters it; evaluate it on other rows",
            file=sys.stderr,
        )
    repeated = model.share_repeated(X)
    if repeated > 0.1:
        print(
            f"Warning: about {repeated:.0%} of these rows equal another of them, beyond those that "
            "repeat anyway; if they are copies, intervals are too narrow: leave them out",
            file=sys.stderr,
        )
    return 0
