"""Every damaged field of a record is found and named."""

from __future__ import annotations

import json
import re

import made_up
import pytest
from attacks.damage import DAMAGES, damaged
from made_up_files import complete
from needs import ROOT

from ncbench.run.record import Data, Record, Trial, parse


@pytest.mark.parametrize("name", [name for name in DAMAGES if name != "id of another cell"])
def test_damage_is_named(name: str) -> None:
    T = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    record = made_up.record([0.1, 0.2], trials=2)
    for trial in record["trials"]:
        trial |= {"confusion": T, "train_size": 7, "test_size": 3, "diagnostics": {}}
    record |= {"plugins": {"algo": "ncbench 0.1.0"}, "provenance": {"time": "2026", "command": []}}
    whole = json.loads(json.dumps(complete(record, "id")))
    assert parse(json.dumps(whole).encode(), Record, "a.json").id == "id"
    content, says = damaged(whole, name)
    with pytest.raises(ValueError, match=f"^a.json: .*{re.escape(says)}"):
        parse(content, Record, "a.json")


def test_the_page_names_every_field() -> None:
    page = (ROOT / "docs" / "records.md").read_text()
    for part in (Record, Data, Trial):
        for field in part.__struct_fields__:
            assert f"`{field}`" in page, field
