"""report DIR             one page with tables, figures, failures and provenance."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench report", description="Write the records below some folders as one HTML page."
    )
    parser.add_argument("folders", metavar="DIR", nargs="+")
    parser.add_argument("--out", metavar="FILE", default="report.html", help="the page")
    args = parser.parse_args(argv)

    from ncbench.report.figures import require
    from ncbench.report.figures.sources import read_sources

    require("matplotlib", "jinja2")
    from ncbench.report.html.page import write_report

    sources = read_sources(args.folders)
    for remark in sources.remarks:
        print(remark, file=sys.stderr)
    write_report(sources, args.folders, Path(args.out))
    print(f"written: {args.out}", file=sys.stderr)
    return 0
