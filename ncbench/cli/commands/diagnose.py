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

    from ncbench.errors import printable_lines
    from ncbench.noise_estimation.share import CANNOT_TELL
    from ncbench.own_labels import (
        DEFAULT_T_ESTIMATOR,
        PEOPLE_T_ESTIMATOR,
        AsRanked,
        correction_gains,
        estimate_own_noise,
        labels_to_look_at,
    )
    from ncbench.own_labels.page import summary, write_diagnosis
    from ncbench.plugin import get_registry
    from ncbench.run import working

    require_out(args.out, ".html")
    data = read_labeled(args)
    require_background(args.background, data.classes)
    cpe = get_registry().build("cpe", "logistic", random_state=0)
    rows = f"{len(data.y):,} labels"
    with threadpool_limits(1):
        if args.target:
            with working(f"1 of 3: estimating the noise of {rows}"):
                estimator = get_registry().build("t_estimator", DEFAULT_T_ESTIMATOR)
                noise = estimate_own_noise(
                    data, estimator, cpe, name=DEFAULT_T_ESTIMATOR, seed=args.seed
                )
            with working(f"2 of 3: ranking {rows}"):
                issues, _ = labels_to_look_at(data, noise, args.seed)
        else:
            with working(f"1 of 3: ranking {rows}"):
                issues, found = labels_to_look_at(data, seed=args.seed)
            with working(f"2 of 3: judging the noise of {rows}"):
                name = f"{PEOPLE_T_ESTIMATOR} and the features"
                noise = estimate_own_noise(data, AsRanked(found), cpe, name=name, seed=args.seed)
        with working("3 of 3: comparing classifiers with and without a correction"):
            gains = (
                []
                if noise.level == CANNOT_TELL
                else correction_gains(data, noise, seed=args.seed, background=args.background)
            )
    command = shlex.join(["python", "-m", "ncbench", "diagnose", *argv])
    write_diagnosis(Path(args.out), data, noise, issues, gains, command, args.background)
    print(printable_lines(summary(noise, issues, gains)))
    print(f"written: {args.out}", file=sys.stderr)
    return 0
