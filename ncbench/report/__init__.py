"""Turn numbers into tables, figures and pages.

``figures`` and ``html.page`` need matplotlib, the extra ``report``.
"""

from ncbench.report.comparisons import (
    Conclusions,
    comparison_sections,
    leaderboard_json,
    leaderboard_sections,
)
from ncbench.report.export import TABLE_FORMATS, Results, print_failures
from ncbench.report.output import (
    as_csv,
    as_json,
    markdown_of,
    print_or_write,
    print_or_write_sections,
    print_sections,
    write,
)

__all__ = [
    "TABLE_FORMATS", "Conclusions", "Results", "as_csv", "as_json", "comparison_sections",
    "leaderboard_json", "leaderboard_sections", "markdown_of", "print_failures", "print_or_write",
    "print_or_write_sections", "print_sections", "write",
]  # fmt: skip
