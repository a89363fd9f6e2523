"""From records to numbers: a tidy frame, what is best, statistics, comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncbench.imports import lazy

if TYPE_CHECKING:
    from ncbench.results.best import BEST as BEST, TIED as TIED, marked as marked, rule as rule
    from ncbench.results.config_key import written as written
    from ncbench.results.frame import (
        LEADING as LEADING,
        NUMBERS as NUMBERS,
        FrameBuilder as FrameBuilder,
        as_text as as_text,
        in_order as in_order,
        keys_of as keys_of,
    )
    from ncbench.results.read import (
        Records as Records,
        collect as collect,
        each_record as each_record,
        no_records as no_records,
        parse_where as parse_where,
        read_records as read_records,
    )
    from ncbench.results.reference import (
        AHEAD as AHEAD,
        COMPARED as COMPARED,
        ERRORS as ERRORS,
        NOT_PRESENT as NOT_PRESENT,
        Comparison as Comparison,
        read_reference as read_reference,
    )
    from ncbench.results.regret import (
        CURVE as CURVE,
        curve_keys as curve_keys,
        optima as optima,
        slopes as slopes,
        terms as terms,
    )
    from ncbench.results.series import (
        at_sigma as at_sigma,
        bayes_remarks as bayes_remarks,
        each_series as each_series,
        panels as panels,
        plain as plain,
        results as results,
    )
    from ncbench.results.significance import Pair as Pair, Ranking as Ranking, rankings as rankings
    from ncbench.results.trial_value import LOSS as LOSS, Value as Value

__getattr__, __all__ = lazy(
    __name__,
    {
        "ncbench.results.best": ["BEST", "TIED", "marked", "rule"],
        "ncbench.results.config_key": ["written"],
        "ncbench.results.frame": [
            "FrameBuilder",
            "LEADING",
            "NUMBERS",
            "as_text",
            "in_order",
            "keys_of",
        ],
        "ncbench.results.read": [
            "Records",
            "collect",
            "each_record",
            "no_records",
            "parse_where",
            "read_records",
        ],
        "ncbench.results.reference": [
            "AHEAD",
            "COMPARED",
            "Comparison",
            "ERRORS",
            "NOT_PRESENT",
            "read_reference",
        ],
        "ncbench.results.regret": ["CURVE", "curve_keys", "optima", "slopes", "terms"],
        "ncbench.results.series": [
            "at_sigma",
            "bayes_remarks",
            "each_series",
            "panels",
            "plain",
            "results",
        ],
        "ncbench.results.significance": ["Pair", "Ranking", "rankings"],
        "ncbench.results.trial_value": ["LOSS", "Value"],
    },
)
