"""``ncbench rerun``: a cell again, from its record."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

from ncbench.files import read_json
from ncbench.run.rerun import Difference


def test_rerun_reproduces_every_number(ncbench: Callable, tmp_path: Path) -> None:
    def run(*argv: str, code: int = 0) -> str:
        done = ncbench(*argv)
        assert done.code == code, done.out + done.err
        return str(done.out + done.err)

    run("dataset=wine", "algo.max_iter=200", "cpe=boosting", "cpe.max_iter=2", "trials=2")
    (path,) = tmp_path.rglob("record.json")
    identity = path.parent.name
    for threads in ("1", "2"):
        out = run("rerun", "outputs", identity[:8], "--threads", threads)
        assert f"{identity}: identical" in out
    record = read_json(path)
    record["trials"][1]["confusion"][0][0] += 1e-16
    record["trials"][1]["losses"]["h_mean"] += 1e-12
    path.write_text(json.dumps(record))
    rounded = run("rerun", "outputs", identity, code=1)
    assert "trials[1].losses.h_mean: was" in rounded
    assert "All are rounding: the largest is 1e-12." in rounded
    assert "The record was computed with" not in rounded  # on this processor
    record["trials"][0]["losses"]["macro_f1"] += 0.25
    record["provenance"]["instructions"] = "numpy Abacus, openblas Quill"
    path.write_text(json.dumps(record))
    changed = run("rerun", "outputs", identity, code=1)
    assert "The largest difference of a loss is 0.25." in changed
    assert "computed with numpy Abacus, openblas Quill, this run with numpy " in changed
    assert "begins with 'zzz'" in run("rerun", "outputs", "zzz", code=2)


def test_only_the_plug_in_files_of_the_cell_are_asked_for(
    ncbench: Callable, tmp_path: Path
) -> None:
    hook = "from ncbench import hookimpl\n\n@hookimpl\ndef ncbench_algorithms():\n    return "
    (tmp_path / "mine.py").write_text(f"from ncbench import load\n{hook}{{}}\n")
    (tmp_path / "rule.py").write_text(
        f"from ncbench import load\nRule = load('algo', 'cpe_argmax')\n{hook}{{'rule': Rule}}\n"
    )
    sweep = ("dataset=iris", "cpe=logistic", "cpe.C=1.0", "trials=1", "algo=cpe_argmax,rule")
    assert ncbench("-m", "plugins_from=[mine.py,rule.py]", *sweep).code == 0
    for path in tmp_path.rglob("record.json"):
        record = read_json(path)
        again = ncbench("rerun", "outputs", record["id"])
        if record["config"]["algo"]["name"] == "cpe_argmax":
            assert (again.code, "identical" in again.out) == (0, True)
        else:
            assert again.code == 2
            assert again.err.endswith(
                f"rerun outputs {record['id']} --plugins-from {tmp_path / 'rule.py'}\n"
            )


def test_a_difference_of_a_number_that_is_no_double_is_no_rounding() -> None:
    assert Difference("a", 10**400, 0.5).size == math.inf
    assert not Difference("a", 10**400, 0.5).is_rounding
    assert Difference("a", 1, 1.0 + 1e-12).is_rounding
