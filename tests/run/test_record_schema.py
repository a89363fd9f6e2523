"""Every damaged field of a record is found and named."""

from __future__ import annotations

import json
import re

import made_up
import pytest
from attacks.damage import DAMAGES
from made_up_files import complete
from needs import ROOT

from ncbench.run import record_schema
from ncbench.run.record_schema import check_record

NOT_THE_RECORD = ("id of another cell", "loss of 5000 digits", "loss 1e999")
"""What reading the file finds."""


@pytest.mark.parametrize("name", [name for name in DAMAGES if name not in NOT_THE_RECORD])
def test_damage_is_named(name: str) -> None:
    T = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    record = made_up.record([0.1, 0.2], trials=2)
    for trial in record["trials"]:
        trial |= {"confusion": T, "train_size": 7, "test_size": 3, "diagnostics": {}}
    record |= {"plugins": {"algo": "ncbench 0.1.0"}, "provenance": {"time": "2026", "command": []}}
    whole = json.loads(json.dumps(complete(record, "id")))
    check_record(whole)
    damage, says = DAMAGES[name]
    with pytest.raises(ValueError, match=re.escape(says)):
        check_record(damage(whole))


def test_the_page_names_every_field() -> None:
    page = (ROOT / "docs" / "records.md").read_text()
    for part in ("RECORD", "ENDED", "DONE", "DATASET", "TRIAL", "PROVENANCE"):
        for field in getattr(record_schema, part):
            assert f"`{field.removesuffix('?')}`" in page, field
