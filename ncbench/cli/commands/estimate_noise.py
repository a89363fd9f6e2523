"""estimate-noise         estimate the noise matrix of the labels in your own file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ncbench.cli.arguments import add_columns, columns

_DRAWN = (".png", ".pdf", ".svg")


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench estimate-noise",
        description="Estimate how often each class of your file is labeled as each other class, "
        "and check whether the estimate is reliable.",
    )
    parser.add_argument(
        "--data", required=True, metavar="FILE", help="CSV, TSV, Parquet, Excel, ARFF or npz file"
    )
    labels = parser.add_mutually_exclusive_group(required=True)
    labels.add_argument("--target", metavar="COLUMN", help="the noisy labels")
    labels.add_argument(
        "--annotators", metavar="COLUMNS", help="a column for each annotator, as a,b,c"
    )
    labels.add_argument(
        "--annotations",
        metavar="FILE",
        help="a row for each label: row of the example, from 1; annotator; label",
    )
    parser.add_argument(
        "--clean-column", metavar="COLUMN", help="clean labels; rows without one are left empty"
    )
    parser.add_argument(
        "--t-estimator", metavar="NAME", help="cautious_map, or dawid_skene for several annotators"
    )
    parser.add_argument("--cpe", default="logistic", metavar="NAME")
    parser.add_argument(
        "--bootstrap", type=int, default=20, metavar="N", help="resamples; 0: no intervals"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", metavar="FILE", help=f"draw the matrix: {', '.join(_DRAWN)}")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_columns(parser)
    args = parser.parse_args(argv)

    from ncbench.errors import NcbenchError
    from ncbench.plugin import get_registry

    t_estimator = args.t_estimator or ("cautious_map" if args.target else "dawid_skene")
    get_registry().plugin("t_estimator", t_estimator)
    get_registry().plugin("cpe", args.cpe)
    if args.bootstrap < 0:
        raise NcbenchError(f"--bootstrap {args.bootstrap}: expected 0 or more resamples")
    if args.plot and Path(args.plot).suffix.lower() not in _DRAWN:
        raise NcbenchError(f"--plot {args.plot}: expected a name that ends in {', '.join(_DRAWN)}")
    if args.plot and not Path(args.plot).absolute().parent.is_dir():
        raise NcbenchError(f"--plot {args.plot}: no such folder")

    from threadpoolctl import threadpool_limits

    from ncbench.noise_estimation import examine, read_annotations, read_own_data
    from ncbench.report.audit_text import draw, text
    from ncbench.run import with_bar

    if args.target:
        data = read_own_data(args.data, args.target, args.clean_column, **columns(args))
    else:
        people = [name.strip() for name in (args.annotators or "").split(",") if name.strip()]
        data = read_annotations(
            args.data, people, args.annotations, args.clean_column, **columns(args)
        )
    with threadpool_limits(1):
        finding = examine(
            data,
            t_estimator=t_estimator,
            cpe=args.cpe,
            bootstrap=args.bootstrap,
            seed=args.seed,
            progress=lambda resamples: with_bar(resamples, "Resampling"),
        )
    print(json.dumps(finding.as_json(), indent=2) if args.json else text(finding))
    if args.plot:
        draw(finding, args.plot)
    return 0
