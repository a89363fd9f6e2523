"""figures DIR...         draw figures of the records below folders, as SVG and PNG."""

from __future__ import annotations

import argparse
from pathlib import Path

from ncbench.cli.arguments import add_where, read_into_memory


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench figures",
        description="Draw all figures that the records below some folders allow.",
    )
    parser.add_argument("folders", metavar="DIR", nargs="+")
    add_where(parser)
    parser.add_argument(
        "--out", metavar="FOLDER", required=True, help="created if it does not exist"
    )
    parser.add_argument("--format", choices=["svg", "png"], nargs="+", default=["svg", "png"])
    parser.add_argument(
        "--sigma",
        type=float,
        help="sigma of the confusion matrices and Frank-Wolfe paths (default: the largest)",
    )
    args = parser.parse_args(argv)

    from ncbench.report.figures import require

    require("matplotlib")
    from ncbench.report.figures.files import write_figures

    found = read_into_memory(args.folders, args.where)
    write_figures(found.records, Path(args.out), args.format, args.sigma)
    return 0
