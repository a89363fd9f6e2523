"""Turn numbers into tables, figures and pages.

Import ``audit_text``, ``diagnosis_text``, ``issues_text``, ``model_text``, ``predictions`` and
``regret_text`` by their paths: some need scikit-learn. ``figures``, ``html.page`` and ``paper``
need matplotlib, the extra ``report``.
"""

from ncbench.report.comparisons import (
    Conclusions,
    comparison_sections,
    leaderboard_json,
    leaderboard_sections,
)
from ncbench.report.export import (
    TABLE_FORMATS,
    Results,
    as_csv,
    as_json,
    print_or_write,
    print_or_write_sections,
    write,
)
from ncbench.report.tables import markdown_of, print_failures, print_sections

__all__ = [
    "TABLE_FORMATS", "Conclusions", "Results", "as_csv", "as_json", "comparison_sections",
    "leaderboard_json", "leaderboard_sections", "markdown_of", "print_failures", "print_or_write",
    "print_or_write_sections", "print_sections", "write",
]  # fmt: skip
