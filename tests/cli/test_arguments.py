"""Options shared by several subcommands."""

from __future__ import annotations

import argparse

import pytest

from ncbench.cli.arguments import add_level, add_reading, between_0_and_1, positive


@pytest.mark.parametrize("text", ["0", "1", "-0.5", "1.5", "nan", "inf"])
def test_a_level_lies_strictly_between_0_and_1(text: str) -> None:
    assert between_0_and_1("0.9") == 0.9
    with pytest.raises(argparse.ArgumentTypeError, match="expected a number between 0 and 1"):
        between_0_and_1(text)


@pytest.mark.parametrize("text", ["0", "-1", "inf", "nan"])
def test_a_positive_number_is_finite(text: str) -> None:
    assert positive("2.5") == 2.5
    with pytest.raises(argparse.ArgumentTypeError, match="expected a number above 0"):
        positive(text)


def test_filters_and_parameters_add_up(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    add_reading(parser)
    add_level(parser)
    words = [
        "outputs",
        "more",
        "--where",
        "sigma=0.1",
        "algo=fw",
        "--set",
        "a=1",
        "--where",
        "seed=0",
        "--level",
        "0.9",
    ]
    args = parser.parse_args(words)
    assert (args.folders, args.value, args.level) == (["outputs", "more"], "loss", 0.9)
    assert (args.where, args.set) == (["sigma=0.1", "algo=fw", "seed=0"], ["a=1"])
    with pytest.raises(SystemExit):
        parser.parse_args(["outputs", "--level", "2"])
    assert "2: expected a number between 0 and 1" in capsys.readouterr().err
