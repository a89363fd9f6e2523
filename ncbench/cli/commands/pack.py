"""pack DIR...            put records into one compressed file, to publish or to send."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench pack",
        description="Put the records below some folders into one compressed file, which aggregate, "
        "significance, report and leaderboard read. The name of the machine, commands and paths "
        "are left out.",
    )
    parser.add_argument("folders", metavar="DIR", nargs="+", help="folders with records")
    parser.add_argument("--out", metavar="FILE", required=True, help="the file, *.jsonl.gz")
    args = parser.parse_args(argv)

    from ncbench.errors import NcbenchError, counted
    from ncbench.files import write_output
    from ncbench.results import find_records, no_records
    from ncbench.run import is_archive, pack

    if not is_archive(args.out):
        raise NcbenchError(f"--out {args.out}: expected a name that ends in .jsonl.gz")
    found = find_records(args.folders, lambda said: print(said, file=sys.stderr))
    records = [record for _, record in found]
    if not records:
        raise no_records(args.folders)
    content = pack(records)
    write_output(Path(args.out), content)
    print(f"{args.out}: {counted(len(records), 'record')}, {len(content) / 1e3:,.0f} kB")
    return 0
