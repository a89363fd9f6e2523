"""What a plug-in can change in its process is seen."""

from __future__ import annotations

import pytest
from sklearn.naive_bayes import GaussianNB

from ncbench.testing.state import functions, replaced_functions


def test_a_patched_method_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    before = functions()
    monkeypatch.setattr(GaussianNB, "fit", lambda *_: None)
    said = replaced_functions(before, functions())
    assert said == ["sklearn.naive_bayes.GaussianNB.fit was replaced"]
