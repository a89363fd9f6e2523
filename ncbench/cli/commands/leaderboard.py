"""leaderboard            rank methods for each measure, from published or own records."""

from __future__ import annotations

import argparse
from pathlib import Path

from ncbench.cli.arguments import add_level, add_output, add_where


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench leaderboard",
        description="Rank methods over data sets for each measure, with the critical difference of "
        "their ranks, their mean losses and their cost.",
    )
    parser.add_argument(
        "sources",
        metavar="DIR",
        nargs="*",
        help="folders or *.jsonl.gz files with records (default: the published results)",
    )
    parser.add_argument(
        "--add", metavar="DIR", nargs="+", default=[], help="your records, to put beside them"
    )
    parser.add_argument(
        "--measure", metavar="NAME", nargs="+", default=[], help="only these (default: all)"
    )
    parser.add_argument("--by-noise", action="store_true", help="rank for each kind of noise apart")
    parser.add_argument(
        "--figures", metavar="FOLDER", help="draw each table there, as SVG (needs matplotlib)"
    )
    add_where(parser)
    add_level(parser)
    add_output(parser, ["table", "md", "json"])
    args = parser.parse_args(argv)

    from ncbench.errors import NcbenchError
    from ncbench.report import leaderboard_json, leaderboard_sections, print_or_write_sections
    from ncbench.results import (
        FrameBuilder,
        addable,
        boards,
        each_record,
        parse_where,
        solutions_of,
    )
    from ncbench.run import published

    builder = FrameBuilder(where=parse_where(args.where))
    solutions = solutions_of(each_record(args.sources or [published()]), builder)
    own, reasons = addable(solutions, solutions_of(each_record(args.add), builder))
    builder.check()
    found = boards([*solutions, *own], args.measure, by_noise=args.by_noise, level=args.level)
    if not found:
        raise NcbenchError("no two methods have solved the same problem, so nothing can be ranked")
    if args.figures:
        from ncbench.report.figures import require

        require("matplotlib")
        from ncbench.report.figures.files import write_boards

        write_boards(found, Path(args.figures))
    print_or_write_sections(
        leaderboard_sections(found, reasons),
        args.format,
        args.out,
        json=lambda: leaderboard_json(found, reasons),
    )
    return 0
