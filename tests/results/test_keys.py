"""Keys of configurations: which vary, and when two are the same."""

from __future__ import annotations

import pytest
from made_up import other_keys, record, table, tidy
from made_up_files import typed

from ncbench.errors import NcbenchError
from ncbench.results.frame import FrameBuilder
from ncbench.results.significance import Pair
from ncbench.results.value import Value


def test_only_keys_that_vary_within_a_plugin_are_shown() -> None:
    other = {"name": "ncbs", "max_iter": 200, "sample_split": "crossfit"}
    assert other_keys(tidy([record([0.1]), record([0.2], algo=other)])) == []
    varied = {"name": "ncfw", "max_iter": 10}
    assert other_keys(tidy([record([0.1]), record([0.2], algo=varied)])) == ["algo.max_iter"]
    assert other_keys(tidy([record([0.1]), record([0.2], seed=1)])) == ["seed"]
    assert other_keys(tidy([record([0.1]), record([0.2], output_dir="y")])) == []


def test_numbers_that_differ_by_rounding_do_not_hide_each_other() -> None:
    # As records written before sigma was rounded have it: other noise, so another problem.
    fw = {"algo": {"name": "fw", "max_iter": 9}}
    records = [record([0.1, 0.3], sigma=0.3), record([0.8, 0.9], sigma=0.1 + 0.2, **fw)]
    text = table(records)
    assert "sigma=0.3 " in text
    assert "sigma=0.30000000000000004" in text
    assert "0.200 (0.100)" in text
    assert "0.850 (0.050)" in text
    with pytest.raises(NcbenchError, match="no cell that both have solved"):
        Pair.of(tidy(records), "ncfw", "fw")


def test_a_whole_number_is_the_same_configuration_as_int_and_float() -> None:
    cells = FrameBuilder(Value())
    for k in (1, 1.0):
        cells.add(typed(record([k / 4], algo={"name": "ncfw", "k": k})))
    assert (len(cells), cells.left_out) == (1, 1)
