"""Count the verdicts of the attacks."""

from __future__ import annotations

from collections import Counter
from typing import Any


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print how many attacks had each verdict, and how many of these were expected."""
    counts: Counter[str] = Counter()
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, []):
            verdict = dict(report.user_properties).get("verdict")
            if verdict:
                counts[f"{verdict}" if outcome == "passed" else f"{verdict} (WRONG)"] += 1
    if counts:
        terminalreporter.section("attacks")
        total = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
        terminalreporter.line(f"{sum(counts.values())} attacks: {total}")
