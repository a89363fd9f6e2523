"""Errors in words: counts with their noun, and the closest known names."""

from __future__ import annotations

import pytest

from ncbench.errors import NcbenchError, NotApplicable, UnknownName, counted, did_you_mean, require


@pytest.mark.parametrize(("number", "text"), [(0, "0 cells"), (1, "1 cell"), (12, "12 cells")])
def test_a_number_has_the_right_noun(number: int, text: str) -> None:
    assert counted(number, "cell") == text
    assert counted(number, "class", "classes").endswith("class" if number == 1 else "classes")


def test_suggestions_are_close_and_few() -> None:
    known = ["ncfw", "ncbs", "nclr_forward", "h_mean"]
    assert did_you_mean("ncwf", known) == "did you mean 'ncfw'? "
    assert did_you_mean("ncb", known, most=3).count("'") <= 6
    assert did_you_mean("quite_something_else", known) == ""


def test_an_unknown_name_says_what_is_known_and_takes_a_hint() -> None:
    error = UnknownName.among("measure", "h_maen", ["zero_one", "h_mean"])
    assert str(error) == (
        "measure 'h_maen' is not known; did you mean 'h_mean'? Known: h_mean, zero_one"
    )
    error.add("see --help")
    assert str(error).endswith("zero_one; see --help")
    assert "Known: none" in str(UnknownName.among("measure", "x", []))


def test_what_a_user_can_put_right_is_one_kind_of_error() -> None:
    assert issubclass(UnknownName, NcbenchError)
    assert issubclass(NotApplicable, NcbenchError)
    require(True, "cpe.folds", 2, "at least 2")
    with pytest.raises(NcbenchError, match=r"^cpe.folds=1; expected at least 2$"):
        require(False, "cpe.folds", 1, "at least 2")
