"""The files of ``examples/hostile``: they change no number and run nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import records_in, run_apart
from made_up_files import install
from needs import ROOT

HOSTILE = ROOT / "examples" / "hostile"
QUICK = ("dataset=iris", "cpe=logistic", "cpe.C=1.0", "trials=1", "algo=cpe_argmax,nclr_plugin")
SAYS = {
    "callbacks": "hydra.callbacks.evil: of the keys below hydra a config file can set",
    "job_logging": "hydra.job_logging",
    "plugins_from": "set plugins_from on the command line, not in a config file",
    "environment": "data_dir=${oc.env:HOME}: a config file cannot call a resolver",
}


def test_a_hostile_config_file_runs_nothing(ncbench: Callable, tmp_path: Path) -> None:
    assert {path.stem for path in (HOSTILE / "config" / "experiment").iterdir()} == set(SAYS)
    command = ("--config-dir", str(HOSTILE / "config"), "-m", *QUICK)
    for name, says in SAYS.items():
        refused = ncbench(*command, f"+experiment={name}")
        assert (refused.code, refused.err.count("\n")) == (2, 1), refused.err
        assert says in refused.err
    assert list(tmp_path.iterdir()) == []


def sweep(folder: Path, site: Path | None, *options: str) -> dict[str, Any]:
    """Run a sweep; return the trials of each cell, without times."""
    folder.mkdir()
    # The cache of signatures belongs to what is installed.
    installed = {"PYTHONPATH": str(site), "NCBENCH_CACHE_HOME": str(site)} if site else {}
    run_apart(folder, *options, "-m", *QUICK, **installed)
    return {
        record["id"]: [{**trial, "seconds": None} for trial in record["trials"]]
        for record in records_in(folder)
    }


@pytest.mark.slow(reason="sweeps in an environment of its own")
def test_installed_they_change_no_number(tmp_path: Path) -> None:
    site = tmp_path / "site"
    source = (HOSTILE / "package" / "ncbench_hostile.py").read_text()
    install(site, "ncbench-hostile", source, "0.1.0")
    plain = sweep(tmp_path / "plain", None)
    beside = sweep(tmp_path / "beside", site, "--config-dir", str(HOSTILE / "config"))
    assert len(plain) == 2
    assert plain.keys() == beside.keys()  # the ids are the same
    for identity, (trial,) in beside.items():
        # What was asked of the hostile measures is said, and nothing else differs.
        assert set(trial.pop("absent")) == {"raises", "writes", "not_finite"}
        assert [trial] == plain[identity]
    assert not (tmp_path / "beside" / "RAN").exists()
