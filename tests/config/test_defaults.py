"""Default settings, and the cells that deviate from them."""

from __future__ import annotations

from ncbench.config.settings import not_default, shipped_choices, short
from ncbench.plugin import KINDS, get_registry


def test_there_is_a_shipped_choice_of_every_kind() -> None:
    for kind in KINDS:
        assert shipped_choices()[kind] in get_registry().names(kind)


def test_long_values_keep_their_end() -> None:
    for value, text in (
        ("iris", "iris"),
        (0.5, "0.5"),
        ([1, 2], "[1, 2]"),
        (None, "null"),
        ("x" * 24, "x" * 24),
        ("a" * 10 + "b" * 20, "..." + "a" + "b" * 20),
    ):
        assert short(value, 24) == text
        assert len(short(value, 24)) <= 24


def test_only_what_is_neither_shown_nor_default_is_said() -> None:
    usual = {**shipped_choices(), "sigma": 0.1, "seed": 0, "trials": 3, "output_dir": "outputs"}
    assert not_default([usual], []) == []
    assert not_default([{**usual, "seed": 1}], []) == ["seed=1"]
    assert not_default([{**usual, "seed": 1}], ["seed"]) == []
    assert not_default([{**usual, "cpe": "anchored"}], []) == ["cpe=anchored"]


def test_a_parameter_is_said_of_those_that_deviate() -> None:
    cells = [{"algo": "ncfw", "algo.max_iter": 7}, {"algo": "fw", "algo.max_iter": 7}]
    assert not_default(cells, ["algo"]) == ["algo.max_iter=7"]
    cells[1]["algo.max_iter"] = 5000
    assert not_default(cells, ["algo"]) == ["algo.max_iter=7 (ncfw)"]
    # A plug-in that is not installed here: its default is not known, and nothing is claimed.
    assert not_default([{"algo": "gone", "algo.max_iter": 7}], ["algo"]) == []
