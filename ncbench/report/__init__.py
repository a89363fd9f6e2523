"""Turn numbers into tables, figures and pages.

Import ``audit_text``, ``diagnosis_text``, ``issues_text``, ``model_text``, ``predictions`` and
``regret_text`` by their paths: some need scikit-learn. ``figures``, ``html.page`` and ``paper``
need matplotlib, the extra ``report``.
"""

from ncbench.report.export import TABLE_FORMATS, Results, as_csv, print_or_write, write
from ncbench.report.failures import print_failures
from ncbench.report.grid import markdown_of, print_sections
from ncbench.report.leaderboard_text import LEADERBOARD_FORMATS, leaderboard_sections
from ncbench.report.reference_text import COMPARISON_FORMATS, comparison_sections
from ncbench.report.significance_text import SIGNIFICANCE_FORMATS, Conclusions

__all__ = [
    "COMPARISON_FORMATS", "LEADERBOARD_FORMATS", "SIGNIFICANCE_FORMATS", "TABLE_FORMATS",
    "Conclusions", "Results", "as_csv", "comparison_sections", "leaderboard_sections",
    "markdown_of", "print_failures", "print_or_write", "print_sections", "write",
]  # fmt: skip
