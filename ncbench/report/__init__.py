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

__all__ = [
    "TABLE_FORMATS", "Conclusions", "Results", "comparison_sections", "leaderboard_json",
    "leaderboard_sections", "print_failures",
]  # fmt: skip
