"""report DIR...          write one page with tables, figures, failures and provenance."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ncbench.cli.arguments import read_into_memory


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench report",
        description="Write one HTML page about the records below some folders.",
    )
    parser.add_argument("folders", metavar="DIR", nargs="+")
    parser.add_argument(
        "--out", metavar="FILE", default="report.html", help="the page (default: report.html)"
    )
    args = parser.parse_args(argv)

    from ncbench.report.figures import require

    require("matplotlib")
    from ncbench.report.html.page import write_report

    found = read_into_memory(args.folders)
    write_report(found, args.folders, Path(args.out))
    print(f"written: {args.out}", file=sys.stderr)
    return 0
