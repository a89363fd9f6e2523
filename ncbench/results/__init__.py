"""Compute numbers from records: a tidy frame, the best cells, statistics, comparisons.

Import ``series``, the numbers of figures, by its path.
"""

from ncbench.results.best import BEST, TIED, marked, rule
from ncbench.results.frame import LEADING, NUMBERS, FrameBuilder, in_order, keys_of, tidy
from ncbench.results.keys import as_text, texts_of
from ncbench.results.leaderboard import Board, addable, boards, solutions_of
from ncbench.results.read import (
    Records,
    collect,
    each_record,
    no_records,
    parse_where,
    read_records,
)
from ncbench.results.reference import (
    AHEAD,
    BEHIND,
    COMPARED,
    NOT_PRESENT,
    TABLE,
    Comparison,
    read_reference,
)
from ncbench.results.significance import Pair, Ranking, Ranks, rankings
from ncbench.results.value import LOSS, Value
from ncbench.run import written

__all__ = [
    "AHEAD", "BEHIND", "BEST", "COMPARED", "LEADING", "LOSS", "NOT_PRESENT", "NUMBERS", "TABLE",
    "TIED", "Board", "Comparison", "FrameBuilder", "Pair", "Ranking", "Ranks", "Records", "Value",
    "addable", "as_text", "boards", "collect", "each_record", "in_order", "keys_of", "marked",
    "no_records", "parse_where", "rankings", "read_records", "read_reference", "rule",
    "solutions_of", "texts_of", "tidy", "written",
]  # fmt: skip
