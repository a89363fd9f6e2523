"""``ncbench report``: render the page and write it, completely or not at all."""

from __future__ import annotations

import base64
import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ncbench.errors import NcbenchError, counted
from ncbench.files import write_output
from ncbench.report.figures.style import COLOURS
from ncbench.report.html import contents
from ncbench.report.html.panels import chapters
from ncbench.report.html.template import rendered, resource
from ncbench.results import Records
from ncbench.results.series import figure_frame

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
    urls = contents.links(found.paths, out)
    missing = contents.planned(folders, {record.id for record in records})
    records += missing
    frame = figure_frame(records, [*urls, *[""] * len(missing)])
    link = {i: url for i, url in zip(frame["id"], frame["link"], strict=True) if url}
    kept = [records[k] for k in frame["record"]]
    left_out = len(found.records) - int((frame["record"] < len(found.records)).sum())
    counts = Counter(frame["status"])
    script = resource("page.js")
    return rendered(
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
        conclusions=contents.conclusions(frame),
        table=contents.table(records, link, dict(zip(frame["id"], frame["style"], strict=True))),
        chapters=chapters(frame, records),
        swept=contents.swept(frame),
        cells=list(contents.cells(frame, records)),
        failed=[r for r in kept if r.status == "failed"],
        link=link,
        commands=contents.commands(kept),
        provenances=contents.provenances([r for r in kept if r.status != "missing"]),
        remarks=[*found.problems, *([f"left out: {counted(left_out, 'older record')} of the same "
                                      "configurations"] if left_out else [])],
    )  # fmt: skip
