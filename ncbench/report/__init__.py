"""From numbers to text and pictures: tables, figures, pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncbench.imports import lazy

if TYPE_CHECKING:
    from ncbench.report.audit_text import draw as draw, text as text
    from ncbench.report.export import (
        TABLE_FORMATS as TABLE_FORMATS,
        Results as Results,
        print_or_write as print_or_write,
        write as write,
    )
    from ncbench.report.failures import print_failures as print_failures
    from ncbench.report.grid import markdown_of as markdown_of, print_sections as print_sections
    from ncbench.report.reference_text import (
        COMPARISON_FORMATS as COMPARISON_FORMATS,
        comparison_sections as comparison_sections,
    )
    from ncbench.report.regret_text import (
        optima_section as optima_section,
        regret_sections as regret_sections,
    )
    from ncbench.report.significance_text import (
        SIGNIFICANCE_FORMATS as SIGNIFICANCE_FORMATS,
        Conclusions as Conclusions,
    )

__getattr__, __all__ = lazy(
    __name__,
    {
        "ncbench.report.audit_text": ["draw", "text"],
        "ncbench.report.export": ["Results", "TABLE_FORMATS", "print_or_write", "write"],
        "ncbench.report.failures": ["print_failures"],
        "ncbench.report.grid": ["markdown_of", "print_sections"],
        "ncbench.report.reference_text": ["COMPARISON_FORMATS", "comparison_sections"],
        "ncbench.report.regret_text": ["optima_section", "regret_sections"],
        "ncbench.report.significance_text": ["Conclusions", "SIGNIFICANCE_FORMATS"],
    },
)
