"""Tables of people's own labels that ``issues`` and ``estimate-noise`` must refuse, or bear."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from attacks.attack import Attack

IDENTITY = ",u,v\nu,1,0\nv,0,1\n"
TRUE = ("--noise-matrix", "T.csv", "--cpe", "logistic")
ISSUES = ("issues", "in.csv", "--target", "y", "--show", "2", *TRUE)
NOISE = ("estimate-noise", "in.csv", "--target", "y", "--t-estimator", "anchor", "--bootstrap", "0")
PEOPLE = ("estimate-noise", "in.csv", "--annotators", "p,q", "--bootstrap", "0")
LONG = ("estimate-noise", "in.csv", "--annotations", "long.csv", "--bootstrap", "0")


def table(m: int = 40, header: str = "a,b,y", more: str = "", label: str = "uv") -> str:
    rng = np.random.default_rng(0)
    rows = [f"{rng.normal(3 * (k % 2)):.3f},{rng.normal():.3f},{label[k % 2]}" for k in range(m)]
    return "\n".join([header, *(row + more for row in rows)]) + "\n"


def files(content: str = table(), **others: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / "in.csv").write_text(content)
        for name, text in {"T": IDENTITY, **others}.items():
            (folder / f"{name}.csv").write_text(text)

    return write


def refused(
    name: str, argv: tuple[str, ...], says: str, content: str = table(), **others: str
) -> Attack:
    return Attack(name, argv, "refused", says, files(content, **others))


def both(name: str, says: str, content: str) -> list[Attack]:
    """Return a table as an attack on either command."""
    return [refused(f"{name}: {argv[0]}", argv, says, content) for argv in (ISSUES, NOISE)]


TABLES = [
    *both("one class", "expected at least 2 classes", table(label="uu")),
    *both("no rows", "no rows, only the columns a, b, y", "a,b,y\n"),
    *both("no labels", "missing value in column 'y', row 1", "a,b,y\n1,2,\n3,4,\n"),
    *both("no such column", "'y'", table(header="a,b,label")),
    *both("labels only", "no column", "y\n" + "u\nv\n" * 20),
    *both("constant features only", "constant", "a,y\n" + "1,u\n1,v\n" * 20),
    *both("an infinite number", "inf", table() + "inf,1,u\n"),
    *both("a missing label", "y", table() + "1,1,\n"),
    *both("an empty file", "in.csv", ""),
]

ARGUMENTS = [
    refused(
        "T of other classes",
        ISSUES,
        "label 'v' is none of its classes, u, w",
        T=",u,w\nu,1,0\nw,0,1\n",
    ),
    refused("T that is not stochastic", ISSUES, "column 0 sums to 0.5", T=",u,v\nu,0.5,0\nv,0,1\n"),
    refused("T that is singular", ISSUES, "noise matrix", T=",u,v\nu,0.5,0.5\nv,0.5,0.5\n"),
    refused(
        "T that is text", ISSUES, "T.csv: cannot be read (it names no classes)", T="not a matrix\n"
    ),
    refused("T that is negative", ISSUES, "entry [0, 0] is 1.5", T=",u,v\nu,1.5,0\nv,-0.5,1\n"),
    refused("no rows to show", (*ISSUES, "--show", "-1"), "--show"),
    refused("the table is the output", (*ISSUES, "--out", "in.csv"), "in.csv"),
    refused("an output without folder", (*ISSUES, "--out", "no/out.csv"), "no/out.csv"),
    refused("an unknown learner", (*ISSUES[:-1], "nope"), "'nope' is not known"),
    refused("an unknown estimator", (*NOISE, "--t-estimator", "nope"), "'nope' is not known"),
    refused("a plan of no width", (*NOISE, "--plan", "0"), "expected a width between 0 and 1"),
    refused("fewer than no resamples", (*NOISE, "--bootstrap", "-1"), "expected 0 or more"),
    refused("a picture without a kind", (*NOISE, "--plot", "x"), "expected a name that ends in"),
    refused("people that are not there", PEOPLE, "'p'"),
    refused("a person who is a number", (*PEOPLE[:3], "y,a"), "'in.csv'"),
    refused("annotations of a row beyond", LONG, "41", long="row,who,label\n41,p,u\n"),
    refused("annotations of row 0", LONG, "0", long="row,who,label\n0,p,u\n1,q,v\n"),
    refused("annotations of two columns", LONG, "long.csv", long="row,label\n1,u\n"),
    refused("annotations without rows", LONG, "no label by anybody", long="row,who,label\n"),
]

BORNE = [
    Attack("nothing to list", ISSUES, "ran", "the likeliest is the one they have", files()),
    Attack(
        "a constant column", ISSUES, "notice", "left out: c (constant)",
        files(table(header="a,b,y,c", more=",7")),
    ),
    Attack(
        "escape codes in a class", NOISE, "ran", r"\x1b[2J",
        files(table().replace(",u", ",\x1b[2J")),
    ),
]  # fmt: skip

ATTACKS = [*TABLES, *ARGUMENTS, *BORNE]
