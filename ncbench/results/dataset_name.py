"""Name the data sets of records: a file is a data set, whatever plug-in reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from ncbench.types import Record

Which = tuple[tuple[str, str], ...]
"""A data set plug-in and its parameters that say which data it reads."""


def which(keys: Mapping[str, Any]) -> Which:
    """Return what tells a data set from others of its plug-in.

    A parameter that is text says which data is read, such as ``path``, ``target`` or ``id``. A
    number, such as ``train``, says how much of it.

    Examples
    --------
    >>> which({"dataset": "file", "dataset.path": "a.csv", "dataset.target": None, "sigma": 0.1})
    (('dataset', 'file'), ('dataset.path', 'a.csv'))
    """
    of_data = (key for key in keys if key.partition(".")[0] == "dataset")
    return tuple((key, keys[key]) for key in of_data if isinstance(keys[key], str))


def own_name(record: Record, keys: Mapping[str, Any]) -> str:
    """Return the name that a record gives its data; if it has none, that of its file.

    Examples
    --------
    >>> own_name({}, {"dataset": "file", "dataset.path": "mine/fruit.csv"})
    'fruit'
    """
    if len(which(keys)) == 1:
        return str(keys["dataset"])
    name = record.get("dataset", {}).get("name")  # a cell that is not done has none
    return str(name or PurePath(str(keys.get("dataset.path", keys["dataset"]))).stem)


def distinct_names(found: Iterable[tuple[Which, str]]) -> dict[Which, str]:
    """Return a name for each data set; those of the same name get the parameters that differ.

    Examples
    --------
    >>> a, b, c = ((("dataset", "file"), ("dataset.path", p)) for p in ("a/x.csv", "b/x.csv", "y"))
    >>> list(distinct_names([(a, "x"), (b, "x"), (c, "y")]).values())
    ['x (dataset.path=a/x.csv)', 'x (dataset.path=b/x.csv)', 'y']
    """
    named = dict(found)
    distinct = {}
    for data, name in named.items():
        alike = [dict(other) for other in named if named[other] == name]
        differ = [
            f"{key}={text}" for key, text in data if len({other.get(key) for other in alike}) > 1
        ]
        distinct[data] = f"{name} ({', '.join(differ)})" if differ else name
    return distinct
