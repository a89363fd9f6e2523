"""``ncbench report``: what the page says of records; the template turns it into HTML."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shlex
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from ncbench.errors import NcbenchError, counted
from ncbench.files import write_output
from ncbench.report.comparisons import NOT_RANKED
from ncbench.report.export import MISSING, Results
from ncbench.report.figures.style import COLOURS
from ncbench.report.html.panels import chapters
from ncbench.results import (
    BEST,
    LEADING,
    FrameBuilder,
    Records,
    as_text,
    keys_of,
    marked,
    rankings,
    written,
)
from ncbench.results.series import figure_frame
from ncbench.run import Record, read_configs
from ncbench.show import Entry, Grid
from ncbench.show.pages import rendered

STATUSES = ("done", "failed", "skipped", "absent", "missing")


def write_report(found: Records, folders: Sequence[str], out: Path) -> None:
    """Write the report page of some records.

    Parameters
    ----------
    found : Records
        The records and their paths.
    folders : sequence of str
        The folders of the records. Cells of sweeps in these folders that did not run are shown as
        missing.
    out : Path
        The path of the page. Links to the records are relative to it.
    """
    if os.path.isdir(out):
        raise NcbenchError(f"--out {out}: is a folder; expected the name of a file")
    write_output(out, render(found, folders, out).encode())


def render(found: Records, folders: Sequence[str], out: Path) -> str:
    """Return the page as HTML."""
    records: list[Any] = list(found.records)
    urls = links(found.paths, out)
    missing = planned(folders, {record.id for record in records})
    records += missing
    frame = figure_frame(records, [*urls, *[""] * len(missing)])
    link = {i: url for i, url in zip(frame["id"], frame["link"], strict=True) if url}
    kept = [records[k] for k in frame["record"]]
    left_out = len(found.records) - int((frame["record"] < len(found.records)).sum())
    counts = Counter(frame["status"])
    table = _table(records)
    rows = rows_of(table, dict(zip(frame["id"], frame["style"], strict=True)))
    script = files("ncbench.report.html").joinpath("page.js").read_text(encoding="utf-8")
    return rendered(
        "ncbench.report.html",
        "page.html",
        folders=folders,
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        counts=[(status, counts[status]) for status in STATUSES if counts[status]],
        total=len(frame),
        trials=int(frame["n"].sum()),
        measures=list(frame["measure"].unique()),
        datasets=list(frame["dataset"].unique()),
        series=list(frame.groupby("style")["series"].first().items()),
        colours=len(COLOURS),
        conclusions=conclusions(frame),
        text=as_text,
        table=table,
        rows=rows,
        rows_left_out=len(table.rows) - len(rows),
        chapters=chapters(frame, records),
        swept=[key for key in keys_of(frame) if key not in LEADING],
        cells=every_cell(frame, records),
        failed=[r for r in kept if r.status == "failed"],
        link=link,
        commands=commands(kept),
        provenances=provenances([r for r in kept if r.status != "missing"]),
        remarks=[*found.problems, *([f"left out: {counted(left_out, 'older record')} of the same "
                                      "configurations"] if left_out else [])],
    )  # fmt: skip


class Row(NamedTuple):
    """A row of the table, and what the filters of the page use."""

    names: list[Entry]
    entries: list[Entry]
    measure: str
    dataset: str
    series: str
    statuses: list[str]


def _table(records: Sequence[Record]) -> Grid:
    """Return the table of ``aggregate``."""
    cells = FrameBuilder()
    for record in records:
        cells.add(record)
    return Results.of(cells).grid()


def rows_of(grid: Grid, series: Mapping[str, int]) -> list[Row]:
    """Return the rows of the table, without those whose cells are all skipped.

    Parameters
    ----------
    grid : Grid
    series : mapping
        From the id of a record to the number of its series.
    """
    rows = []
    for row in grid.entries:
        names, entries = row[: grid.labels], row[grid.labels :]
        cells = [entry.cell for entry in entries]
        statuses = list(dict.fromkeys(cell["status"] for cell in cells))
        number = next((str(series[cell["id"]]) for cell in cells if cell["id"] in series), "")
        measure, dataset = (as_text(cells[0][key]) for key in ("measure", "dataset"))
        if statuses != ["skipped"]:
            rows.append(Row(names, entries, measure, dataset, number, statuses))
    return rows


def planned(folders: Sequence[str], known: set[str]) -> list[Record]:
    """Return the cells of sweeps in these folders that have no record."""
    missing: dict[str, Record] = {}
    for folder in folders:
        for path in sorted(Path(folder).rglob("sweeps/*/configs.json")):
            try:
                configs = read_configs(path)
            except ValueError as error:
                print(f"ignored: {error}", file=sys.stderr)
                continue
            for config in configs:
                if config["id"] not in known:
                    missing[config["id"]] = Record(
                        id=config["id"],
                        status=MISSING,
                        reason="part of a sweep, but has no record",
                        config=config,
                        provenance={"command": config.get("command", [])},
                    )
    return list(missing.values())


def links(paths: Sequence[Path], page: Path) -> list[str]:
    """Return the URL of each record, relative to the page, so that both can be moved together."""
    folder = page.absolute().parent
    return [quote(Path(os.path.relpath(path.absolute(), folder)).as_posix()) for path in paths]


def every_cell(frame: pd.DataFrame, records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return each cell as a row of the table of all cells."""
    rows: Any = frame.to_dict("records")
    return [
        {
            **row,
            "about": records[row["record"]].described,
            "seconds": records[row["record"]].seconds if row["status"] == "done" else None,
            "reason": str(row["reason"]).split("\n")[0],
        }
        for row in rows
    ]


def conclusions(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return, for each measure, how often each algorithm is best, and its average rank."""
    found = []
    # As in the tables of the page: marks allow for all comparisons.
    frame = marked(frame)
    for measure, rows in frame.groupby("measure", sort=False):
        done = rows[rows["status"] == "done"]
        best = done.groupby(["problem", "sigma"])["mean"].transform("min")
        wins = Counter(done.loc[done["mean"] == best, "series"].map(str))
        problems = done.groupby(["problem", "sigma"]).ngroups
        ranked = [ranking.ranks for ranking in rankings(rows)]
        average = {name: rank for r in ranked if r for name, rank in r.average_ranks.items()}
        algorithms = [
            {"name": name, "wins": wins[name], "rank": average.get(name)}
            for name in dict.fromkeys(done["series"])
        ]
        said = " ".join(r.conclusion if r else NOT_RANKED for r in ranked) or "No cell is done."
        words = in_words(done)
        found.append({"measure": measure, "problems": problems, "algorithms": algorithms,
                      "said": said, "words": words})  # fmt: skip
    return found


def in_words(done: pd.DataFrame) -> str:
    """Say which algorithm is best among the finished, marked cells of one measure."""
    by_problem = done.groupby(["problem", "sigma"], sort=False)
    compared = [
        dict(zip(rows["series"], rows["mark"], strict=True))
        for _, rows in by_problem
        if rows["series"].nunique() > 1
    ]
    if not compared:
        return "No two algorithms have solved the same problem, so nothing is compared."
    wins = Counter(name for marks in compared for name, mark in marks.items() if mark == BEST)
    lead, most = wins.most_common(1)[0]
    ahead = [marks for marks in compared if marks.get(lead) == BEST]
    level = Counter(name for marks in ahead for name in marks if marks[name] and name != lead)
    sure = sum(len(marks) - 1 for marks in ahead) - level.total()
    chance = " and ".join(f"against {name} in {count}" for name, count in level.most_common())
    means = done.pivot_table(index=["problem", "sigma"], columns="series", values="mean").dropna()
    average = ", ".join(f"{name} {mean:.3f}" for name, mean in means.mean().sort_values().items())
    sentences = [
        f"{lead} has the lowest mean loss in {most} of {counted(len(compared), 'problem')} (a data "
        "set with a sigma).",
        chance and f"That may be chance {chance} of them.",
        sure and f"{'The other' if chance else 'All'} differences are beyond chance.",
        len(means) and f"Mean loss, over {counted(len(means), 'problem')}: {average}.",
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def commands(records: Sequence[Record]) -> list[tuple[str, int]]:
    """Return the commands that made the records, with the number of records of each."""
    counted = Counter(tuple(record.command) for record in records)
    return [
        (f"python -m ncbench {shlex.join(map(str, command))}", count)
        for command, count in counted.items()
    ]


def provenances(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return each machine and set of versions that made records, with their number and times."""
    groups: dict[str, dict[str, Any]] = {}
    for record in records:
        origin = dict(record.provenance)
        time = str(origin.pop("time", ""))
        origin.pop("command", None)
        origin["plugins"] = sorted(set(record.plugins.values()))
        group = groups.setdefault(
            json.dumps(origin, sort_keys=True, default=str),
            {"count": 0, "first": time, "last": time, "origin": _flat(origin)},
        )
        group["count"] += 1
        group["first"] = min(group["first"], time, key=written)
        group["last"] = max(group["last"], time, key=written)
    return sorted(groups.values(), key=lambda group: written(group["last"]), reverse=True)


def _flat(origin: Mapping[str, Any]) -> dict[str, str]:
    flat = {}
    for key, value in origin.items():
        if isinstance(value, Mapping):
            value = [f"{name} {version}" for name, version in value.items()]
        if isinstance(value, list):
            value = ", ".join(map(str, value))
        flat[key.replace("_", " ")] = "unknown" if value is None else str(value)
    return flat
