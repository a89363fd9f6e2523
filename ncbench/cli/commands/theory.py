"""theory DIR             print regret and the terms of its bounds, from runs with theory=true."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench theory",
        description="Print the regret of every run on a data set with a known distribution, the "
        "terms of the paper's bounds, and how the regret falls with the sample size.",
    )
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--format", choices=["table", "csv", "md"], default="table")
    parser.add_argument(
        "--figures", metavar="FOLDER", help="draw regret_<measure>_<algo>.svg there"
    )
    args = parser.parse_args(argv)

    from ncbench.report import as_csv, markdown_of, print_sections
    from ncbench.report.comparisons import regret_sections
    from ncbench.results import each_record
    from ncbench.results.series import terms

    frame = terms(each_record([args.folder]))
    if args.figures is not None:
        from ncbench.report.figures.ranks import draw

        for path in draw(frame, Path(args.figures)):
            print(f"drawn: {path}", file=sys.stderr)  # a CSV may go into a file
    if args.format == "csv":
        print(as_csv(frame), end="")
    elif args.format == "md":
        print(markdown_of(regret_sections(frame, ".4g")))
    else:
        print_sections(regret_sections(frame, ".4f"))
    return 0
