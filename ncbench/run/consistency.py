"""Check that the parts of a record agree: losses, confusion matrices, sizes and the time.

``record_schema.py`` checks the type of each field. A record that passes both may still be made up,
but not so that one number in it contradicts another.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ncbench.plugin import Registry, get_registry

if TYPE_CHECKING:
    from ncbench.core import Measure

ROUNDING = 1e-6
"""By how much a loss may differ from that of its confusion matrix; relative, if it is above 1."""


def check_consistency(record: Mapping[str, Any], now: datetime | None = None) -> None:
    """Raise ValueError, with the field, if parts of a record of this layout contradict each other.

    The loss of the optimized measure is compared with the confusion matrix of its trial. The other
    losses are compared where they are used: that takes as long as reading the record.

    Examples
    --------
    >>> check_consistency({"status": "failed", "provenance": {"time": "2999-01-01T00:00:00+0000"}})
    Traceback (most recent call last):
    ValueError: provenance.time: 2999-01-01T00:00:00+0000; expected no more than a day from now
    """
    _check_time(record.get("provenance", {}).get("time", ""), now or datetime.now(UTC))
    if record["status"] != "done":
        return
    name = record["config"]["measure"]["name"]
    for place, trial in enumerate(record["trials"]):
        where = f"trials[{place}]"
        _check_sizes(record, trial, where)
        total = math.fsum(map(math.fsum, trial["confusion"]))
        if abs(total - 1) > ROUNDING:
            raise ValueError(f"{where}.confusion: sums to {total:.6g}; expected 1")
        check_loss(record, trial, name, where)


def check_loss(record: Mapping[str, Any], trial: Mapping[str, Any], name: str, where: str) -> None:
    """Raise ValueError if a loss of a trial is not that of its confusion matrix.

    Nothing is compared if ``not_comparable`` has a reason.
    """
    optimized = record["config"]["measure"]
    used = optimized if name == optimized["name"] else {"name": name}
    psi = _measure(get_registry(), json.dumps(used), tuple(record["dataset"]["classes"]))
    if psi is None or not_comparable(record, used):
        return
    import numpy as np  # here: commands that read no records start without it

    try:
        with np.errstate(all="ignore"):
            expected = float(psi(np.array(trial["confusion"])))
    except Exception as error:  # of a plug-in, or a matrix that no classifier has
        why = f"{type(error).__name__}: {error}"
        raise ValueError(f"{where}.confusion: {name} cannot be computed: {why}") from error
    loss = trial["losses"][name]
    if not abs(loss - expected) <= ROUNDING * max(1.0, abs(expected)):
        raise ValueError(
            f"{where}.losses.{name}: {loss:.6g}; its confusion matrix gives {expected:.6g}"
        )


def not_comparable(record: Mapping[str, Any], measure: Mapping[str, Any]) -> str:
    """Return why losses of a measure cannot be computed as they were; empty if they can.

    A measure may not be installed, read a file that has changed since, or be edited. Measures that
    ncbench ships are definitions, which do not change.
    """
    registry, name = get_registry(), measure["name"]
    if "path" in measure and measure["path"] is not None:
        return f"measure {name} reads a file, which may have changed"
    if _measure(registry, json.dumps(measure), tuple(record["dataset"]["classes"])) is None:
        return f"measure {name} is not installed here, or does not take these parameters"
    if registry.plugin("measure", name).distribution == "ncbench":
        return ""
    then = record.get("code", {}).get("measure")
    optimized = name == record["config"]["measure"]["name"]
    edited = not optimized or (then and then != registry.code("measure", name))
    return f"measure {name} may have been edited" if edited else ""


@lru_cache(maxsize=1000)
def _measure(registry: Registry, measure: str, classes: tuple[str, ...]) -> Measure | None:
    """Return a measure for classes, or None if it cannot be built."""
    try:
        psi: Measure = registry.build("measure", **json.loads(measure)).for_classes(classes)
    except Exception:  # it is gone, or has other parameters now
        return None
    return psi


def _check_sizes(record: Mapping[str, Any], trial: Mapping[str, Any], where: str) -> None:
    """Compare the sizes of the parts with the number of examples, where a record has them."""
    examples = record["dataset"]["examples"]
    train, test = trial.get("train_size", 0), trial.get("test_size", 0)
    # With a fixed test part, a trial trains on a random part of the others.
    all_used = record.get("test_part") == "random" and train and test
    if train + test > examples or (all_used and train + test < examples):
        raise ValueError(
            f"{where}: train_size {train} and test_size {test} of {examples} examples; expected "
            f"a sum of {'' if all_used else 'at most '}{examples}"
        )


def _check_time(text: str, now: datetime) -> None:
    if text[:10] < f"{now:%Y-%m-%d}":  # parsing takes long
        return
    try:
        time = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z")
    except ValueError:
        return  # it counts as older than all times
    if time > now + timedelta(days=1):
        raise ValueError(f"provenance.time: {text}; expected no more than a day from now")
