"""Options shared by several subcommands."""

from __future__ import annotations

import argparse
from collections.abc import Callable

import pytest

from ncbench.cli.arguments import (
    Parser,
    add_level,
    add_reading,
    add_seed,
    between_0_and_1,
    positive,
    require_out,
)
from ncbench.errors import NcbenchError


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


@pytest.mark.parametrize("text", ["-1", "4294967296", "1.5", "x"])
def test_a_seed_is_one_that_every_learner_takes(text: str) -> None:
    parser = Parser(prog="ncbench fit")
    add_seed(parser)
    assert parser.parse_args(["--seed", "4294967295"]).seed == 2**32 - 1
    with pytest.raises(NcbenchError) as refusal:
        parser.parse_args(["--seed", text])
    assert str(refusal.value) == (
        f"--seed {text}: expected a whole number from 0 to 4294967295; see `ncbench fit --help`"
    )


def test_a_name_that_misleads_about_the_format_is_refused() -> None:
    for out in ("p.csv", "P.CSV", "p", None):
        require_out(out, ".csv")
    with pytest.raises(NcbenchError, match=r"--out p\.xlsx: expected a name that ends in \.csv"):
        require_out("p.xlsx", ".csv")


@pytest.mark.parametrize("command", ["fit", "issues", "diagnose", "estimate-noise"])
def test_what_is_wrong_with_an_option_is_said_in_one_line(ncbench: Callable, command: str) -> None:
    files = ["--data", "no.csv"] if command == "estimate-noise" else ["no.csv", "--out", "m"]
    done = ncbench(command, *files, "--target", "label", "--seed", "-1")
    assert done.code == 2
    assert done.err.startswith("ncbench: --seed -1: expected a whole number from 0")
    assert done.err.count("\n") == 1
    done = ncbench("issues", "no.csv", "--target", "label", "--show", "-3")
    assert "--show -3: expected a whole number, 0 or more" in done.err


def test_an_option_that_is_not_known_is_named_with_the_closest_one() -> None:
    parser = Parser(prog="ncbench fit")
    add_seed(parser)
    for words in (["--sead", "3"], ["--sead=3"]):
        with pytest.raises(NcbenchError) as error:
            parser.parse_args(words)
        expected = "option --sead is not known; did you mean '--seed'? see `ncbench fit --help`"
        assert str(error.value) == expected
    with pytest.raises(NcbenchError, match=r"^option --zzz is not known; see"):
        parser.parse_args(["--zzz"])
