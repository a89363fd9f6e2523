"""diagnose FILE          write a page about the labels of your own file."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from ncbench.cli.arguments import (
    Parser,
    add_background,
    add_own_data,
    add_seed,
    read_labeled,
    require_background,
    require_out,
)

_RESAMPLES = 20  # for the intervals of an estimator that has none of its own


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = Parser(
        prog="ncbench diagnose",
        description="Write a page about the labels of a file: how many are wrong, how sure that "
        "is, what correcting for the noise gains, and which labels to look at again.",
    )
    add_own_data(parser)
    parser.add_argument(
        "--out", metavar="FILE", default="diagnosis.html", help="the page (default: diagnosis.html)"
    )
    add_background(parser)
    add_seed(parser)
    args = parser.parse_args(argv)

    from threadpoolctl import threadpool_limits

    from ncbench.doubtful_labels import correction_gains, labels_to_look_at
    from ncbench.noise_estimation import DEFAULT_T_ESTIMATOR, PEOPLE_T_ESTIMATOR, examine
    from ncbench.plugin import get_registry
    from ncbench.report.diagnosis_text import summary
    from ncbench.report.html.diagnosis import write_diagnosis
    from ncbench.run import working

    require_out(args.out, ".html", args.data)
    data = read_labeled(args)
    require_background(args.background, data.classes)
    build = get_registry().build
    t_estimator = DEFAULT_T_ESTIMATOR if args.target else PEOPLE_T_ESTIMATOR
    rows = f"{len(data.y):,} labels"
    with threadpool_limits(1):
        with working(f"1 of 3: estimating the noise of {rows}"):
            noise = examine(
                data,
                build("t_estimator", t_estimator),
                build("cpe", "logistic", random_state=0),
                name=t_estimator,
                bootstrap=_RESAMPLES,
                seed=args.seed,
            )
        with working(f"2 of 3: ranking {rows}"):
            issues = labels_to_look_at(data, noise, args.seed)
        with working("3 of 3: comparing classifiers with and without a correction"):
            gains = correction_gains(data, noise, seed=args.seed, background=args.background)
    command = shlex.join(["python", "-m", "ncbench", "diagnose", *argv])
    write_diagnosis(Path(args.out), data, noise, issues, gains, command, args.background)
    print(summary(noise, issues, gains))
    print(f"written: {args.out}", file=sys.stderr)
    return 0
