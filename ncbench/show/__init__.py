"""Show tables and pages: what both wings print and write."""

from ncbench.show.output import (
    as_csv,
    as_json,
    markdown_of,
    no_formula,
    print_or_write,
    print_or_write_sections,
    print_sections,
    write,
)
from ncbench.show.tables import Entry, Format, Grid, one_line

__all__ = [
    "Entry", "Format", "Grid", "as_csv", "as_json", "markdown_of", "no_formula", "one_line",
    "print_or_write", "print_or_write_sections", "print_sections", "write",
]  # fmt: skip
