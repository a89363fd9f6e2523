"""What tests of figures and of the page draw, and how they look at it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from ncbench.files import write_json
from ncbench.report.html.page import write_report
from ncbench.results import read_records

Make = Callable[..., dict[str, Any]]


def line(axes: Axes, name: str) -> Any:
    (found,) = [line for line in axes.get_lines() if line.get_gid() == name]
    return found


def sigma_records(make: Make, **more: Any) -> list[dict[str, Any]]:
    """Two algorithms at three sigmas; fw has failed at 0.2."""
    records = []
    for sigma in (0.1, 0.2, 0.4):
        records.append(make("ncfw", sigma=sigma, losses=[sigma, sigma + 0.2], **more))
        failed = {"status": "failed", "reason": "boom", "trials": []} if sigma == 0.2 else {}
        records.append(make("fw", sigma=sigma, losses=[0.5, 0.5, 0.8], **{**more, **failed}))
    return records


def keep(folder: Path, *records: dict[str, Any]) -> None:
    """Write records to a folder."""
    for record in records:
        write_json(folder / "cells" / record["id"] / "record.json", record)


def write_page(folder: Path, page: Path) -> Path:
    """Write the page of the records below a folder."""
    write_report(read_records([str(folder)]), [str(folder)], page)
    return page
