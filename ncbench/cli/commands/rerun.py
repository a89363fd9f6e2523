"""rerun DIR ID           a cell again from its record, every number compared."""

from __future__ import annotations

import argparse


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench rerun", description="Repeat a cell from its record and compare every number."
    )
    parser.add_argument("folder", metavar="DIR", help="the output_dir that holds the record")
    parser.add_argument("id", metavar="ID", help="of the cell; its beginning is enough")
    parser.add_argument("--data-dir", help="where the data is now, if it was elsewhere")
    parser.add_argument("--threads", type=int, help="of BLAS and OpenMP; by default as recorded")
    args = parser.parse_args(argv)

    from ncbench.run.verify import rerun

    return rerun(args.folder, args.id, data_dir=args.data_dir, threads=args.threads)
