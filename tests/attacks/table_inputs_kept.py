"""``--out`` that is a file which the command reads, under other names, and names of nothing."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

from attacks.attack import Attack
from made_up_files import write_sweep

from ncbench.results import read_records
from ncbench.run import pack

READ = "this file is read, and would be lost; give another name"
MATRIX = ",u,v\nu,0.9,0.1\nv,0.1,0.9\n"
PLUGIN = "from ncbench import hookimpl\n@hookimpl\ndef ncbench_measures():\n    return {}\n"


def table(folder: Path) -> None:
    """Write a table, labels of people for it, a noise matrix, and what is not a model."""
    rows = "".join(f"{k}.5,{k % 7},{'uv'[k % 2]}\n" for k in range(60))
    (folder / "t.csv").write_text(f"a,b,y\n{rows}")
    said = "".join(f"{k + 1},{who},{'uv'[k % 2]}\n" for k in range(60) for who in ("ann", "bob"))
    (folder / "long.csv").write_text(f"row,who,label\n{said}")
    (folder / "matrix.csv").write_text(MATRIX)
    (folder / "m.skops").write_text("no model")
    (folder / "own.py").write_text(PLUGIN)


def linked(name: str, to: str, hard: bool = False) -> Callable[[Path], None]:
    """Return a function that writes the files and a link to one of them."""

    def prepare(folder: Path) -> None:
        table(folder)
        (os.link if hard else os.symlink)(folder / to, folder / name)

    return prepare


def folder_link(folder: Path) -> None:
    table(folder)
    (folder / "here").symlink_to(folder)


def records(folder: Path) -> None:
    """Write records, an archive of them, and a published table."""
    write_sweep(folder / "outputs")
    found = read_records([str(folder / "outputs")]).records
    (folder / "all.jsonl.gz").write_bytes(pack(r for r in found if r.status == "done"))
    header = "measure,dataset,algo,sigma,mean,sem\n"
    (folder / "theirs.csv").write_text(f"{header}q_mean,iris,fw,0.1,0.5,0.01\n")


def record_link(folder: Path) -> None:
    records(folder)
    record = sorted(folder.rglob("record.json"))[0]
    os.link(record, folder / "table.txt")


def archive_link(folder: Path) -> None:
    records(folder)
    (folder / "again.jsonl.gz").symlink_to(folder / "all.jsonl.gz")


def empty_archive(folder: Path) -> None:
    records(folder)
    (folder / "outputs" / "all.jsonl.gz").write_bytes(gzip.compress(b""))


FIT = ("fit", "t.csv", "--target", "y", "--out")
ISSUES = ("issues", "t.csv", "--target", "y", "--out")
PEOPLE = ("issues", "t.csv", "--annotations", "long.csv", "--out")
DIAGNOSE = ("diagnose", "t.csv", "--target", "y", "--out")
MATRIX_FILE = ("--noise-matrix", "matrix.csv")
TABLE = ("aggregate", "outputs", "--out")
COMPARE = ("compare", "outputs", "--reference", "theirs.csv", "--out")
RANKS = ("leaderboard", "all.jsonl.gz", "--out")

ATTACKS = [
    *(
        Attack(name, argv, "refused", READ, prepare)
        for name, argv, prepare in (
            ("issues: the table", (*ISSUES, "t.csv"), table),
            ("issues: the table by a longer path", (*ISSUES, "./x/../t.csv"), lambda folder: (
                table(folder), (folder / "x").mkdir())),
            ("issues: the table by a link", (*ISSUES, "l.csv"), linked("l.csv", "t.csv")),
            ("issues: the table by a hard link", (*ISSUES, "l.csv"),
             linked("l.csv", "t.csv", hard=True)),
            ("issues: the table through a folder", (*ISSUES, "here/t.csv"), folder_link),
            ("issues: the labels of people", (*PEOPLE, "long.csv"), table),
            ("issues: the labels of people by ./", (*PEOPLE, "./long.csv"), table),
            ("issues: the labels of people by a link", (*PEOPLE, "l.csv"),
             linked("l.csv", "long.csv")),
            ("issues: the labels of people by a hard link", (*PEOPLE, "l.csv"),
             linked("l.csv", "long.csv", hard=True)),
            ("issues: the noise matrix", (*ISSUES, "matrix.csv", *MATRIX_FILE), table),
            ("issues: the noise matrix by a link", (*ISSUES, "l.csv", *MATRIX_FILE),
             linked("l.csv", "matrix.csv")),
            ("issues: a link is the input", ("issues", "l.csv", *ISSUES[2:], "t.csv"),
             linked("l.csv", "t.csv")),
            ("fit: the table by a link", (*FIT, "l.skops"), linked("l.skops", "t.csv")),
            ("fit: a plug-in file by a hard link", (*FIT, "l", "--plugins-from", "own.py"),
             linked("l", "own.py", hard=True)),
            ("fit: the noise matrix by a hard link", (*FIT, "l", *MATRIX_FILE),
             linked("l", "matrix.csv", hard=True)),
            ("diagnose: the table by a hard link", (*DIAGNOSE, "l.html"),
             linked("l.html", "t.csv", hard=True)),
            ("estimate-noise: the plot", ("estimate-noise", *ISSUES[1:4], "--plot", "l.png"),
             linked("l.png", "t.csv")),
            ("predict: the model", ("predict", "m.skops", "t.csv", "--out", "l.csv"),
             linked("l.csv", "m.skops")),
            ("aggregate: a record by a hard link", (*TABLE, "table.txt"), record_link),
            ("aggregate: a record", (*TABLE, "outputs/cells/0000000000000000/record.json"),
             records),
            ("compare: the published table", (*COMPARE, "theirs.csv"), records),
            ("compare: the published table by ./", (*COMPARE, "./theirs.csv"), records),
            ("leaderboard: the archive", (*RANKS, "all.jsonl.gz"), records),
            ("leaderboard: the archive by a link", (*RANKS, "again.jsonl.gz"),
             archive_link),
            ("pack: the archive", ("pack", "all.jsonl.gz", "--out", "all.jsonl.gz"), records),
        )
    ),
    Attack("pack: beside what is read", ("pack", "outputs", "--out", "outputs/all.jsonl.gz"),
           "ran", "records", empty_archive),
    Attack("issues: a link to nothing", (*ISSUES, "gone/l.csv"), "refused", "no such folder",
           table),
    Attack("issues: a folder", (*ISSUES, "here"), "refused", "is a folder", folder_link),
    Attack("issues: a link to itself", (*ISSUES, "l.csv"), "refused", "Too many levels",
           lambda folder: (table(folder), (folder / "l.csv").symlink_to(folder / "l.csv"))),
    Attack("issues: a long name", (*ISSUES, "l" * 300), "refused", "File name too long", table),
    Attack("fit: a table of no user", ("fit", "~nobody-here/t.csv", *FIT[2:], "m"), "refused",
           "home directory"),
    Attack("fit: a plug-in file that is a circle", (*FIT, "m", "--plugins-from", "l.py"),
           "refused", "plugins_from=l.py", lambda folder: (folder / "l.py").symlink_to("l.py")),
]  # fmt: skip
