"""paper DIR...           make the paper's tables and figure, with the published numbers."""

from __future__ import annotations

import argparse
from pathlib import Path

from ncbench.cli.arguments import add_ddof, add_errors


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench paper",
        description="Compare records of the paper's experiments (+experiment=paper/all, "
        "paper/beyond, paper/figure1_q_mean, paper/figure1_micro_f1) with its numbers, in the "
        "paper's layout.",
    )
    parser.add_argument(
        "folders", metavar="DIR", nargs="+", help="folders to search for records, recursively"
    )
    parser.add_argument("--out", metavar="FILE", required=True, help="ends in .html, .md or .tex")
    add_errors(parser)
    add_ddof(parser)
    args = parser.parse_args(argv)

    from ncbench.report.figures import require

    require("matplotlib")
    from ncbench.report.paper.page import write_paper

    write_paper(args.folders, Path(args.out), args.errors, args.ddof)
    print(args.out)
    return 0
