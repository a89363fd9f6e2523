"""Tables in every format."""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_up_files import by_hand

from ncbench.report.tables import Entry, Grid


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_every_tidy_format_has_every_cell(form: str, ncbench: Callable, records: list) -> None:
    assert ncbench("aggregate", ".", "--format", form, "--out", f"t.{form}").code == 0
    read = {"csv": pd.read_csv, "json": pd.read_json, "parquet": pd.read_parquet}
    frame = read[form](f"t.{form}")
    assert frame["status"].value_counts().to_dict() == {
        "done": 14,
        "skipped": 2,
        "failed": 1,
        "missing": 1,
    }
    assert frame["mean"].isna().tolist() == (frame["status"] != "done").tolist()
    assert frame["sem"].isna().tolist() == (frame["status"] != "done").tolist()
    done = frame[frame["status"] == "done"]
    assert set(done["n"]) == {5}
    assert set(done["ddof"]) == {1}
    for record in records:
        losses = [trial["losses"]["q_mean"] for trial in record["trials"]]
        (row,) = done[done["id"].astype(str).str.zfill(16) == record["id"]].itertuples()
        assert row.mean == pytest.approx(np.mean(losses))
        # t(4, 0.975) = 2.776445; n_test / n_train = 3/7 (Nadeau & Bengio, 2003)
        reach = 2.776445 * np.std(losses, ddof=1) * math.sqrt(1 / 5 + 3 / 7)
        assert (row.low, row.high) == pytest.approx((row.mean - reach, row.mean + reach), abs=1e-6)


def test_latex_compiles(
    ncbench: Callable, records: list, tmp_path: Path, pdflatex: Callable
) -> None:
    table = ncbench("aggregate", ".", "--format", "tex").out
    every_ascii = "".join(map(chr, range(32, 127)))
    latin = "".join(map(chr, range(0xC0, 0x100)))
    rows = [
        [Entry(every_ascii), Entry(latin, bold=True, mark="*")],
        [Entry("中文 σ 🦊"), Entry("")],
    ]
    hostile = Grid(["\\input{x}", "a\nb"], rows, 1, ["Note: ~ 50% $x$."]).latex()
    document = [
        "\\documentclass{article}",
        "\\usepackage{booktabs}",
        "\\begin{document}",
        table,
        hostile,
        "\\end{document}",
    ]
    (tmp_path / "t.tex").write_text("\n".join(document))
    pdflatex(tmp_path / "t.tex")
    if shutil.which("pdftotext"):
        subprocess.run(["pdftotext", "-layout", "t.pdf"], cwd=tmp_path, check=True)
        assert by_hand([t["losses"]["q_mean"] for t in records[0]["trials"]]) in " ".join(
            (tmp_path / "t.txt").read_text().split()
        )
