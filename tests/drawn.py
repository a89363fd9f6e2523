"""What tests of figures draw, and how they look at it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes

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
