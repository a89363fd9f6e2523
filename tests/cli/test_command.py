"""A command's signature and docstring are its command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, is_dataclass
from typing import Annotated, Any, Literal, get_args, get_type_hints

import pytest

from ncbench.cli import own_labels
from ncbench.cli.command import (
    Option,
    _documented,
    commands,
    one_of,
    options,
    parser_of,
    run,
    usage,
)
from ncbench.cli.own_data import require_out
from ncbench.cli.plugins import new_plugin
from ncbench.errors import NcbenchError
from ncbench.plugin import TEMPLATES


@dataclass(frozen=True)
class Group:
    """Options of several commands.

    Parameters
    ----------
    files : FILE
        tables
    """

    files: Sequence[str]
    _: KW_ONLY
    where: Annotated[Sequence[str], Option(metavar="KEY=VALUE", help="which rows")] = ()


GIVEN: dict[str, Any] = {}


@one_of("rows", "share", required=False)
def pick(
    group: Group,
    *,
    rows: int | None = None,
    share: float = 0.5,
    names: Annotated[Sequence[str], Option(lambda text: text.split(","))] = (),
    over: Sequence[str] = ("all",),
    by: Sequence[str] | None = None,
    pair: tuple[str, str] | None = None,
    form: Literal["csv", "md"] = "csv",
    dry_run: bool = False,
    out: str,
) -> None:
    """Pick rows of tables. More of it.

    Parameters
    ----------
    rows : N
        how many
    by : [KEY]
        groups, or none
    """
    GIVEN.update(locals())


def given(*argv: str) -> dict[str, Any]:
    """Return what ``pick`` is called with."""
    GIVEN.clear()
    assert run("pick", pick, argv) == 0
    return dict(GIVEN)


def test_options_that_are_not_given_have_the_defaults_of_the_function() -> None:
    kept = {"rows": None, "share": 0.5, "names": (), "over": ("all",), "by": None, "pair": None}
    kept |= {"form": "csv", "dry_run": False, "out": "o"}
    assert given("a", "b", "--out", "o") == {"group": Group(["a", "b"]), **kept}


def test_a_list_replaces_its_default_and_adds_up() -> None:
    lists = ("--over", "x", "y", "--over", "z", "--names", "c,d", "--names", "e", "--by")
    found = given("a", "--out", "o", *lists, "--where", "k=1", "--where", "l=2", "m=3")
    assert (found["over"], found["names"]) == (["x", "y", "z"], ["c", "d", "e"])
    assert (found["by"], found["group"].where) == ([], ["k=1", "l=2", "m=3"])
    more = given("a", "--out=o", "--rows", "3", "--pair", "u", "v", "--form", "md", "--dry-run")
    assert (more["rows"], [*more["pair"]], more["form"]) == (3, ["u", "v"], "md")
    assert more["dry_run"] is True


def test_what_is_wrong_is_one_line_that_names_the_option() -> None:
    for argv, said in (
        ("--out o", "the following arguments are required: FILE"),
        ("a", "the following arguments are required: --out"),
        ("a --out o --over", "--over expected at least one argument"),
        ("a --out o --rows x", "--rows invalid int value: 'x'"),
        ("a --out o --rows 1 --share 1", "--share not allowed with argument --rows"),
        ("a --out o --form tex", "--form invalid choice: 'tex' (choose from 'csv', 'md')"),
        ("a --out o --rws=3", "option --rws is not known; did you mean '--rows'?"),
        ("a --out o --zzz 3", "option --zzz is not known"),
    ):
        with pytest.raises(NcbenchError) as refusal:
            run("pick", pick, argv.split())
        assert str(refusal.value) in {f"{said}{end} see `ncbench pick --help`" for end in (";", "")}


def test_help_has_the_texts_of_docstring_and_annotation() -> None:
    text = " ".join(parser_of("pick", pick).format_help().split())
    for expected in (
        "Pick rows of tables. More of it.",
        "FILE tables",
        "--where KEY=VALUE [KEY=VALUE ...] which rows",
        "[--rows N | --share SHARE]",
        "--by [KEY ...] groups, or none",
        "(default: 0.5)",
        "(default: all)",
        "--plugins-from FILE",
    ):
        assert expected in text
    assert usage("pick", pick) == ("pick FILE...", "pick rows of tables. More of it")
    assert options(pick)[:4] == ["--help", "--where", "--rows", "--share"]


def test_every_argument_of_a_command_has_a_text_and_every_text_an_argument() -> None:
    for name, command in commands().items():
        for action in parser_of(name, command)._actions:
            assert action.help, f"{name}: {action.dest}"
        groups = [kind for kind in get_type_hints(command).values() if is_dataclass(kind)]
        for target in (command, *groups):
            assert {*_documented(target)[1]} <= {*get_type_hints(target)}, target


def test_the_words_of_a_signature_are_those_of_the_package() -> None:
    from ncbench.own_labels import DEFAULT_LEARNER, DEFAULT_T_ESTIMATOR, PEOPLE_T_ESTIMATOR

    assert get_args(get_type_hints(new_plugin)["kind"]) == tuple(TEMPLATES)
    assert (own_labels._DEFAULT, own_labels._OF_PEOPLE) == (DEFAULT_T_ESTIMATOR, PEOPLE_T_ESTIMATOR)
    assert f"(default: {DEFAULT_LEARNER})" in (own_labels.fit.__doc__ or "")


SEED = "expected a whole number from 0 to 4294967295"


def test_a_value_that_means_nothing_is_one_line(ncbench: Callable) -> None:
    for argv, said in (
        ("fit no.csv --target y --out m --seed -1", f"--seed -1: {SEED}"),
        ("estimate-noise no.csv --target y --seed 4294967296", f"--seed 4294967296: {SEED}"),
        ("issues no.csv --target y --show -3", "--show -3: expected a whole number, 0 or more"),
        (
            "aggregate . --plugins-from",
            "--plugins-from expected one argument; see `ncbench --help`",
        ),
        ("aggregate . --level 1", "--level 1: expected a number between 0 and 1"),
        ("compare . --reference r.csv --level nan", "--level nan: expected a number between 0"),
        ("predict m.skops no.csv --out p.xlsx", "--out p.xlsx: expected a name that ends in .csv"),
    ):
        done = ncbench(*argv.split())
        assert done.code == 2
        assert done.err.startswith(f"ncbench: {said}")
        assert done.err.count("\n") == 1


def test_a_name_that_does_not_mislead_is_taken() -> None:
    for out in ("p.csv", "P.CSV", "p", None):
        require_out(out, ".csv", "")
