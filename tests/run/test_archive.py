"""Many records in one file: read as the folder is, without what belongs to a machine."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path
from typing import Any

import pytest

from ncbench.files import as_json
from ncbench.run.archive import checked_record, is_archive, pack, unpack
from ncbench.run.record import Record

QUICK = ("dataset=iris", "trials=2", "cpe.C=1")


@pytest.fixture
def sweep(ncbench: Any, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Put a small sweep and its archive into the folder; it runs once, and is copied then."""
    made = tmp_path_factory.getbasetemp() / "archive"
    if not made.exists():
        assert ncbench("-m", "algo=cpe_argmax,nclr_plugin", *QUICK).code == 0
        packed = ncbench("pack", "outputs", "--out", "all.jsonl.gz")
        assert packed.out.startswith("all.jsonl.gz: 2 records, 2 kB")
        Path("where").write_text(str(Path.cwd()))
        shutil.copytree(tmp_path, made)
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return ncbench


def test_a_table_is_the_same_for_an_archive(sweep: Any) -> None:
    assert sweep("aggregate", "all.jsonl.gz").out == sweep("aggregate", "outputs").out


def test_the_name_of_the_machine_and_paths_stay_at_home(sweep: Any) -> None:
    for record in unpack("all.jsonl.gz"):
        assert isinstance(record, Record)
        assert record.provenance.keys() & {"host", "command"} == set()
        assert record.config["output_dir"] == "outputs"
        assert record.provenance["packages"]["numpy"]
    where = Path("where").read_bytes()  # it was packed
    assert where not in gzip.decompress(Path("all.jsonl.gz").read_bytes())


def test_the_same_records_are_the_same_file(make_record: Any) -> None:
    made = make_record("a", losses=[0.1]), make_record("b", losses=[0.2])
    a, b = (checked_record(as_json(record), "here") for record in made)
    assert pack([a, b]) == pack([b, a]) == pack([a, b, a])


def test_names(ncbench: Any) -> None:
    assert is_archive("a/b.jsonl.gz")
    assert not is_archive("outputs")
    assert "no such file" in ncbench("aggregate", "none.jsonl.gz").err
    assert "*.jsonl.gz" in ncbench("aggregate", "none").err
    Path("outputs").mkdir()
    assert "ends in .jsonl.gz" in ncbench("pack", "outputs", "--out", "a.zip").err
    assert "contains no records" in ncbench("pack", "outputs", "--out", "a.jsonl.gz").err
