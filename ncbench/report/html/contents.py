"""The content of the report page as plain data, which the template turns into HTML."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from ncbench.errors import counted
from ncbench.report.export import MISSING, Results, distinct
from ncbench.report.tables import Entry
from ncbench.results import (
    BEST,
    LEADING,
    FrameBuilder,
    as_text,
    keys_of,
    marked,
    rankings,
    written,
)
from ncbench.results.series import plain
from ncbench.run import Record, read_configs

_NOT_RANKED = "Not ranked: fewer than two algorithms have solved the same cells."


@dataclass(frozen=True)
class Place:
    """One entry of the table: its text, the link to its record, and its value for sorting."""

    entry: Entry
    status: str
    reason: str
    link: str
    value: float | None


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    names: list[str]
    measure: str
    dataset: str
    series: str
    places: list[Place]


@dataclass(frozen=True)
class Table:
    """The table of ``aggregate``, with links to the records."""

    names: list[str]
    columns: list[str]
    rows: list[Row]
    notes: Sequence[str]
    heading: str


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
    urls = []
    for path in paths:
        try:
            urls.append(quote(Path(os.path.relpath(path.absolute(), folder)).as_posix()))
        except ValueError:  # on another drive of Windows
            urls.append(path.absolute().as_uri())
    return urls


def table(records: Sequence[Record], link: Mapping[str, str], series: Mapping[str, int]) -> Table:
    """Return the table of records, as ``aggregate`` prints it, without rows of skipped cells.

    Parameters
    ----------
    records : sequence
        The records, including those of missing cells.
    link : mapping
        From the id of a record to its URL.
    series : mapping
        From the id of a record to the number of its series.
    """
    cells = FrameBuilder()
    for record in records:
        cells.add(record)
    results = Results.of(cells)
    grid, layout, frame = results.grid(), results.layout, results.frame
    at = {(_texts(row, layout.rows), _texts(row, layout.cols)): row for row in _rows(frame)}
    columns = list(distinct(frame, layout.cols))
    rows = []
    for names, entries in zip(distinct(frame, layout.rows), grid.rows, strict=True):
        found = [at[names, column] for column in columns]
        places = [
            Place(
                entry=Entry(row["status"]) if row["status"] == MISSING and row["id"] else entry,
                status=row["status"],
                reason=row["reason"],
                link=link.get(row["id"], ""),
                value=None if pd.isna(row["mean"]) else float(row["mean"]),
            )
            for row, entry in zip(found, entries[grid.labels :], strict=True)
        ]
        named = dict(zip(layout.rows, names, strict=True))
        number = next((str(series[row["id"]]) for row in found if row["id"] in series), "")
        rows.append(Row(list(names), named["measure"], named["dataset"], number, places))
    headings = list(grid.columns[grid.labels :])
    shown = [row for row in rows if any(place.status != "skipped" for place in row.places)]
    notes = list(grid.notes)
    if len(shown) < len(rows):
        left = counted(len(rows) - len(shown), "row is", "rows are")
        notes.append(f"{left} left out because all cells are skipped; Cells below has them.")
    return Table(list(layout.rows), headings, shown, notes, grid.heading)


def cells(frame: pd.DataFrame, records: Sequence[Record]) -> Iterator[dict[str, Any]]:
    """Yield each cell as a row of the table of all cells."""
    for row in _rows(frame):
        record = records[row["record"]]
        yield {
            **row,
            "about": record.described,
            "seconds": record.seconds if record.status == "done" else None,
            "reason": str(row["reason"]).split("\n")[0],
        }


def conclusions(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return, for each measure, how often each algorithm is best, and its average rank."""
    found = []
    # As in the tables of the page: marks allow for all comparisons.
    frame = frame.assign(mark=marked(plain(frame))["mark"].to_numpy())
    for measure, rows in frame.groupby("measure", sort=False):
        done = rows[rows["status"] == "done"]
        best = done.groupby(["problem", "sigma"])["mean"].transform("min")
        wins = Counter(done.loc[done["mean"] == best, "series"].map(str))
        problems = done.groupby(["problem", "sigma"]).ngroups
        ranked = [ranking.ranks for ranking in rankings(plain(rows))]
        average = {name: rank for r in ranked if r for name, rank in r.average_ranks.items()}
        algorithms = [
            {"name": name, "wins": wins[name], "rank": average.get(name)}
            for name in dict.fromkeys(done["series"])
        ]
        said = " ".join(r.conclusion if r else _NOT_RANKED for r in ranked) or "No cell is done."
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
    level = Counter(
        name for marks in ahead for name, mark in marks.items() if mark and name != lead
    )
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


def swept(frame: pd.DataFrame) -> list[str]:
    """Return the keys that differ between cells, except measure, data set, algorithm and sigma."""
    return [key for key in keys_of(plain(frame)) if key not in LEADING]


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    rows: Any = frame.to_dict("records")
    return list(rows)


def _texts(row: Mapping[str, Any], keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(as_text(row[key]) for key in keys)


def _flat(origin: Mapping[str, Any]) -> dict[str, str]:
    flat = {}
    for key, value in origin.items():
        if isinstance(value, Mapping):
            value = ", ".join(f"{name} {version}" for name, version in value.items())
        elif isinstance(value, list):
            value = ", ".join(map(str, value))
        flat[key.replace("_", " ")] = "unknown" if value is None else str(value)
    return flat
