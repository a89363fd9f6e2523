"""What is written on the command line, as Hydra reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from commands import records_in

QUICK = ("dataset=iris", "algo.max_iter=20", "trials=2", "cpe=logistic", "cpe.C=1.0")


def test_names_that_hydra_cannot_read_are_taken_as_text(ncbench: Callable, tmp_path: Path) -> None:
    for number, name in enumerate(("dätei.csv", "a(1).csv", "a=b.csv", "a~ #1.csv")):
        rows = [f"{k},{k % 7},{'xy'[k % 2]}" for k in range(60)]
        (tmp_path / name).write_text("\n".join(["a,b,größe2", *rows]))
        for mode in ([], ["-m"]):
            argv = (f"dataset.path={name}", "dataset.target=größe2", "algo=cpe_argmax", "trials=1")
            done = ncbench(*mode, "dataset=file", *argv, f"output_dir=out{number}")
            assert done.code == 0, done.err
        (record,) = records_in(tmp_path / f"out{number}")
        chosen = {k: value for k, value in record["config"]["dataset"].items() if value is not None}
        assert chosen == {"name": "file", "path": name, "target": "größe2"}


def test_equal_cells_of_a_sweep_run_once_and_glob_sweeps(ncbench: Callable) -> None:
    assert ncbench("-m", *QUICK, "sigma=0.1,0.1").out.count("done ") == 1
    outcome = ncbench("dataset=iris", "-m", "trials=1", "algo=glob(nclr_p*)")  # -m anywhere
    assert outcome.out.count("algo=nclr_plugin") == 1


def test_a_sigma_that_was_added_up_is_the_one_that_was_meant(
    ncbench: Callable, tmp_path: Path
) -> None:
    options = ("dataset=iris", "algo=cpe_argmax", "trials=1", "cpe=logistic", "cpe.C=1.0")
    assert ncbench("-m", *options, "sigma=range(0.1,0.5,0.1)").code == 0  # 0.1 + 2 * 0.1 > 0.3
    assert ncbench(*options, "sigma=0.3").code == 0
    records = records_in(tmp_path)
    assert sorted(record["config"]["sigma"] for record in records) == [0.1, 0.2, 0.3, 0.4]


def test_a_space_after_a_comma_is_explained(ncbench: Callable) -> None:
    refused = ncbench("-m", "algo=fw,", "ncfw")
    assert refused.code == 2
    assert "algo=fw,: ends with a comma; write several values without spaces" in refused.err
