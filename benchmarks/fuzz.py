"""Fuzz what strangers write: config values, tables, records, noise matrices.

    python benchmarks/fuzz.py --seconds 600 --seed 0

Each target takes generated input and may raise only ncbench's own errors. Anything else is printed
with the input that caused it, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ncbench.config.compose import readable
from ncbench.config.hydra_session import explained, parse_override
from ncbench.config.schema import resolve_parameters
from ncbench.core import NoiseMatrix
from ncbench.data import Dataset
from ncbench.data.tables import read_table
from ncbench.errors import NcbenchError
from ncbench.plugin import get_registry
from ncbench.run import read_record

ODD = [
    *("nan", "inf", "-inf", "1e400", "-0", "null", "true", "~", "", " ", "\x00", "é", "\u202e"),
    *("[", "]", "{", "}", "[1,[2]]", "{a:1}", "${oc.env:HOME}", "'", '"', "\\", "1_0", "0x1F"),
    *("1" * 400, "a" * 5000, "range(3)", "glob(*)", "choice(1,2)", "=", "a=b", "#", "1,2", "???"),
    *("!!python/name:os", "&a [*a]"),
]  # fmt: skip
VALUES = [
    *(None, True, False, 0, -1, 1, 2**63, 10**400, 0.0, -0.5, 1e308, float("nan"), float("inf")),
    *("", "x", "nan", "0", [], [1], [[1.0]], [[1, 2], [3, 4]], [None], ["a", 1], {}, {"a": 1}),
    *({1: 2}, (1, 2), [[], []], [[0.5, "x"]], [float("nan")], "${x}", "???", b"bytes", object()),
]  # fmt: skip


def text(rng: random.Random) -> str:
    """Return odd text: parts of the list, or random characters."""
    if rng.random() < 0.5:
        return "".join(rng.choices(ODD, k=rng.randint(1, 3)))
    return "".join(chr(rng.choice([rng.randrange(32, 127), rng.randrange(1, 0x3000)]))
                   for _ in range(rng.randint(0, 30)))  # fmt: skip


def value(rng: random.Random, depth: int = 0) -> Any:
    """Return an odd value, perhaps nested."""
    kind = rng.random()
    if depth < 3 and kind < 0.2:
        return [value(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    if depth < 3 and kind < 0.3:
        return {text(rng): value(rng, depth + 1) for _ in range(rng.randint(0, 3))}
    return text(rng) if kind < 0.5 else rng.choice(VALUES)


def config_value(rng: random.Random, folder: Path) -> Any:
    """A parameter of a plug-in, as Python and as text on the command line."""
    plugin = rng.choice([p for p in get_registry().plugins() if p.parameters])
    name = rng.choice(plugin.parameters).name
    given = value(rng)
    if rng.random() < 0.5:
        (line,) = readable([f"{plugin.kind}.{name}={text(rng)}"])
        with explained():
            given = parse_override(line).value()
    resolve_parameters(plugin, {name: given})
    return given


def table(rng: random.Random, folder: Path) -> Any:
    """A CSV or TSV file: a small one with a few bytes changed, or noise."""
    path = folder / rng.choice(["mine.csv", "mine.tsv", "mine.csv.gz", "mine.arff"])
    rows = [",".join(rng.choice(["1", "0.5", "x", "", "?", "NaN", text(rng)]) for _ in range(3))
            for _ in range(rng.randint(0, 6))]  # fmt: skip
    content = bytearray("\n".join(["a,b,label", *rows]).encode(errors="replace"))
    _damage(rng, content)
    path.write_bytes(content)
    frame = read_table(path)
    target = rng.choice([*map(str, frame.columns), "label"]) if len(frame.columns) else "label"
    registry = get_registry()
    build = registry.target("dataset", "file")
    assert isinstance(build(path=str(path), target=target), Dataset)
    return path


def record(rng: random.Random, folder: Path) -> Any:
    """A record with a value replaced, or with damaged bytes."""
    data: dict[str, Any] = {
        "schema": 1, "id": "0" * 16, "status": "done", "plugins": {"algo": "ncbench 0.1.0"},
        "config": {"algo": {"name": "ncfw"}, "measure": {"name": "h_mean"}, "sigma": 0.1},
        "trials": [{"trial": 0, "losses": {"h_mean": 0.5}, "confusion": [[0.5, 0.0], [0.1, 0.4]]}],
    }  # fmt: skip
    key = rng.choice(list(data))
    data[key] = _plain(value(rng))
    content = bytearray(json.dumps(data).encode())
    if rng.random() < 0.5:
        _damage(rng, content)
    path = folder / "record.json"
    path.write_bytes(content)
    try:
        read_record(path)
    except ValueError as error:  # the error it documents; others of json are subclasses
        if str(path) not in str(error):
            raise RuntimeError(f"the message does not name the file: {error}") from error
    return path


def noise_matrix(rng: random.Random, folder: Path) -> Any:
    """An argument of NoiseMatrix, and what it does with data."""
    n = rng.randint(0, 4)
    numbers = (
        np.random.default_rng(rng.randrange(2**32)).dirichlet(np.ones(n), size=n).T if n else []
    )
    given = rng.choice(
        [value(rng), numbers, np.array(numbers) * rng.choice([1, 2, np.nan, 1 + 1e-7])]
    )
    if n and rng.random() < 0.3:
        given = np.array(numbers, dtype=object)
        given[rng.randrange(n), rng.randrange(n)] = rng.choice(VALUES[:18])
    noise = NoiseMatrix(given)
    if not np.isfinite(noise.correct_posterior(np.full((2, noise.n), 1 / noise.n))).all():
        raise RuntimeError(f"correct_posterior is not finite for {given!r}")
    return given


def _damage(rng: random.Random, content: bytearray) -> None:
    for _ in range(rng.choice([0, 1, 3])):
        if content:
            content[rng.randrange(len(content))] = rng.randrange(256)
    if rng.random() < 0.1:
        del content[rng.randint(0, len(content)) :]


def _plain(odd: Any) -> Any:
    try:
        json.dumps(odd)
    except (TypeError, ValueError):
        return repr(odd)
    return odd


TARGETS: dict[str, Callable[[random.Random, Path], Any]] = {
    "config values": config_value,
    "tables": table,
    "records": record,
    "noise matrices": noise_matrix,
}


def fuzz(name: str, seconds: float, seed: int, rounds: int = sys.maxsize) -> tuple[int, list[str]]:
    """Return the number of rounds of one target, and what it raised that it should not."""
    found: list[str] = []
    seen: Counter[str] = Counter()
    end, number = time.monotonic() + seconds, 0
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while number < rounds and time.monotonic() < end:
            rng = random.Random(f"{seed} {name} {number}")
            number += 1
            try:
                TARGETS[name](rng, Path(folder))
            except NcbenchError:
                continue
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                what = f"{type(error).__name__} in {where.name} ({where.filename}:{where.lineno})"
                seen[what] += 1
                if seen[what] == 1:
                    found.append(f"{name}, round {number - 1}: {what}: {str(error)[:200]}")
    return number, found


def main() -> int:
    """Fuzz every target for an equal share of the time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    problems = []
    for name in TARGETS:
        rounds, found = fuzz(name, args.seconds / len(TARGETS), args.seed)
        print(f"{name}: {rounds} inputs, {len(found)} kinds of unhandled errors", flush=True)
        problems += found
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
