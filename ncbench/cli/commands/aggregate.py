"""aggregate DIR...       make a table from records: any rows, columns, measure, format."""

from __future__ import annotations

import argparse

from ncbench.cli.arguments import add_ddof, add_level, add_output, add_reading, read


def main(argv: list[str]) -> int:
    """Run the subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="ncbench aggregate", description="Make a table of the records below some folders."
    )
    add_reading(parser)
    parser.add_argument(
        "--rows", metavar="KEY", nargs="+", help="keys for the rows (default: all but sigma)"
    )
    parser.add_argument(
        "--cols", metavar="KEY", nargs="*", help="keys for the columns (default: sigma)"
    )
    add_ddof(parser)
    add_level(parser)
    add_output(parser, ["table", "csv", "parquet", "json", "md", "tex"])
    args = parser.parse_args(argv)

    from ncbench.report import TABLE_FORMATS, Results, print_or_write

    results = Results.of(read(args), args.rows, args.cols, args.ddof, args.level)
    if args.format == "table" and args.out is None:
        results.grid().print()  # in bold, as wide as the terminal
    else:
        print_or_write(TABLE_FORMATS[args.format](results), args.out)
    return 0
