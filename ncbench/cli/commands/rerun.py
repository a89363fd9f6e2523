"""rerun DIR ID           run a cell again from its record, and compare every number."""

from __future__ import annotations

import argparse


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench rerun", description="Repeat a cell from its record and compare every number."
    )
    parser.add_argument(
        "folder", metavar="DIR", help="the output_dir or the *.jsonl.gz file that holds the record"
    )
    parser.add_argument("id", metavar="ID", help="the id of the cell, or its first characters")
    parser.add_argument("--data-dir", help="the data folder, if it has moved")
    parser.add_argument(
        "--threads", type=int, help="number of BLAS and OpenMP threads (default: as recorded)"
    )
    args = parser.parse_args(argv)

    from ncbench.run.rerun import rerun

    return rerun(args.folder, args.id, data_dir=args.data_dir, threads=args.threads)
