"""significance DIR...    test differences: pairs over splits, ranks over data sets."""

from __future__ import annotations

import argparse

from ncbench.cli.arguments import add_level, add_output, add_reading, read_losses


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench significance",
        description="Compare two algorithms over the same splits, and rank all algorithms over "
        "data sets.",
    )
    add_reading(parser)
    parser.add_argument(
        "--pair", metavar="ALGO", nargs=2, help="compare the first with the second, cell by cell"
    )
    parser.add_argument(
        "--over",
        metavar="KEY",
        nargs="+",
        default=["dataset"],
        help="rank over these keys; cells with the same values are averaged first "
        "(default: dataset)",
    )
    add_level(parser)
    add_output(parser, ["table", "md", "json"])
    args = parser.parse_args(argv)

    from ncbench.errors import NcbenchError
    from ncbench.report import Conclusions, print_or_write_sections
    from ncbench.results import Pair, rankings

    cells = read_losses(args)
    frame = cells.frame(level=args.level)
    if not frame["n"].any():
        raise NcbenchError("no cell is done, so there is nothing to compare")
    pair = Pair.of(frame, args.pair[0], args.pair[1], args.level) if args.pair else None
    conclusions = Conclusions(pair, rankings(frame, args.over, args.level), args.over)
    print_or_write_sections(conclusions.sections(), args.format, args.out, json=conclusions.json)
    return 0
