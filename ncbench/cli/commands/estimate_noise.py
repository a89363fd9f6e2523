"""estimate-noise FILE    estimate the noise matrix of the labels in your own file."""

from __future__ import annotations

import json
from pathlib import Path

from ncbench.cli.arguments import (
    Parser,
    add_columns,
    add_labels,
    add_seed,
    read_labeled,
    require_buildable,
)

_DRAWN = (".png", ".pdf", ".svg")
_DEFAULT, _OF_PEOPLE = "held_out_map", "dawid_skene"  # a test compares them with the package's


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = Parser(
        prog="ncbench estimate-noise",
        description="Estimate how often each class of your file is labeled as each other class, "
        "and check whether the estimate is reliable.",
    )
    file = parser.add_mutually_exclusive_group(required=True)
    file.add_argument(
        "file", nargs="?", metavar="FILE", help="CSV, TSV, Parquet, Excel, ARFF or npz file"
    )
    file.add_argument("--data", metavar="FILE", help="the same as FILE, for older scripts")
    add_labels(
        parser,
        "checked labels of a random part of the rows, empty elsewhere; they are used in the "
        "estimate",
    )
    parser.add_argument(
        "--plan",
        type=float,
        metavar="WIDTH",
        help="say how many labels to check, and which rows, for an interval of the share of wrong "
        "labels that is at most so wide, for example 0.05",
    )
    parser.add_argument(
        "--t-estimator",
        metavar="NAME",
        help=f"estimator; default: {_DEFAULT}, with several annotators {_OF_PEOPLE}; `ncbench "
        "plugins` lists all",
    )
    parser.add_argument(
        "--cpe",
        default="logistic",
        metavar="NAME",
        help="class probability learner of some estimators and of the verdict; default: logistic; "
        "`ncbench plugins` lists all",
    )
    parser.add_argument(
        "--bootstrap",
        type=int,
        default=20,
        metavar="N",
        help=f"resamples for the intervals of estimators other than {_DEFAULT}; default: 20; 0: no "
        "intervals",
    )
    add_seed(parser)
    parser.add_argument("--plot", metavar="FILE", help=f"draw the matrix: {', '.join(_DRAWN)}")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_columns(parser)
    args = parser.parse_args(argv)
    args.data = args.data or args.file

    from ncbench.errors import NcbenchError, printable_lines
    from ncbench.files import writes
    from ncbench.plugin import get_registry
    from ncbench.report import figures

    registry = get_registry()
    t_estimator = args.t_estimator or (_DEFAULT if args.target else _OF_PEOPLE)
    require_buildable("--t-estimator", "t_estimator", t_estimator)
    require_buildable("--cpe", "cpe", args.cpe)
    made = {
        "t_estimator": registry.build("t_estimator", t_estimator),
        "cpe": registry.build("cpe", args.cpe, random_state=0),
    }
    if args.bootstrap < 0:
        raise NcbenchError(f"--bootstrap {args.bootstrap}: expected 0 or more resamples")
    if args.plan is not None and not 0 < args.plan < 1:
        raise NcbenchError(f"--plan {args.plan}: expected a width between 0 and 1, such as 0.05")
    if args.plot and Path(args.plot).suffix.lower() not in _DRAWN:
        raise NcbenchError(f"--plot {args.plot}: expected a name that ends in {', '.join(_DRAWN)}")
    if args.plot and not Path(args.plot).absolute().parent.is_dir():
        raise NcbenchError(f"--plot {args.plot}: no such folder")
    if args.plot:
        figures.require("matplotlib")
        writes(args.plot, "--plot")

    from threadpoolctl import threadpool_limits

    from ncbench.own_labels import estimate_own_noise, plan
    from ncbench.own_labels.estimate_text import estimate_text, plan_text
    from ncbench.run import working

    data = read_labeled(args, one_each=False)
    rows = f"{len(data.y):,} labels"
    with threadpool_limits(1), working(f"Estimating the noise of {rows} by {t_estimator}"):
        noise = estimate_own_noise(
            data,
            made["t_estimator"],
            made["cpe"],
            name=t_estimator,
            bootstrap=args.bootstrap,
            seed=args.seed,
        )
    to_check = None if args.plan is None else plan(noise, data, args.plan, args.seed)
    if args.json:
        answer = noise.as_json()
        if to_check is not None:
            answer["plan"] = {"width": args.plan, "rows": to_check.tolist()}
        print(json.dumps(answer, indent=2))
    else:
        print(printable_lines(estimate_text(noise)))
        if to_check is not None:
            print(plan_text(noise, to_check, args.plan))
    if args.plot:
        noise.plot(args.plot)
    return 0
