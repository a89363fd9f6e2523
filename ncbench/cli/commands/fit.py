"""fit FILE               fit a classifier to your own file with doubtful labels."""

from __future__ import annotations

import sys
from pathlib import Path

from ncbench.cli.arguments import (
    Parser,
    add_background,
    add_learning,
    add_own_data,
    noise_matrix,
    read_labeled,
    require_background,
    require_measures,
    require_out,
)


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = Parser(
        prog="ncbench fit",
        description="Fit a classifier to the noisy labels of a table, for a measure on clean ones, "
        "and write it to a model file for `ncbench predict` and `ncbench evaluate`.",
    )
    add_own_data(parser)
    parser.add_argument(
        "--measure",
        default="g_mean",
        metavar="NAME",
        help="the loss to minimize, such as h_mean, micro_f1 or zero_one; default: g_mean",
    )
    add_background(parser)
    parser.add_argument("--out", required=True, metavar="FILE", help="the model, NAME.skops")
    add_learning(parser, cpe="blend")
    args = parser.parse_args(argv)

    from threadpoolctl import threadpool_limits

    from ncbench.errors import NcbenchError, printable_lines
    from ncbench.own_labels import (
        DEFAULT_LEARNER,
        TableModel,
        has_background,
        require_storable,
        write_model,
    )
    from ncbench.own_labels.text import fitted_text
    from ncbench.run import working

    require_out(args.out, ".skops")
    require_measures([args.measure], optimized=True)
    noise, cpe = noise_matrix(args), args.cpe or DEFAULT_LEARNER
    require_storable(cpe)
    if args.background is not None and not has_background(args.measure):
        raise NcbenchError(
            f"--background {args.background}: --measure {args.measure} leaves out no class, unlike "
            "micro_f1; leave --background out"
        )
    data = read_labeled(args)
    require_background(args.background, data.classes)
    with threadpool_limits(1), working(f"Fitting {cpe} and {args.measure} to {len(data.y):,} rows"):
        target = args.target or ", ".join(data.annotations.names if data.annotations else ())
        model = TableModel.fit(data, target, args.measure, noise, cpe, args.seed, args.background)
    write_model(Path(args.out), model)
    print(printable_lines(fitted_text(model.about)))
    for doubt in model.about["doubts"]:
        print(printable_lines(f"Note: {doubt}"), file=sys.stderr)
    print(f"written: {args.out}", file=sys.stderr)
    return 0
