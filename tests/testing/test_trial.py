"""The trial of ``check``: a run of the plug-in itself, which leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from broken_plugins.algorithms import Good

from ncbench.plugin import get_registry
from ncbench.testing import Build
from ncbench.testing.trial import check_trial


class Counted(Good):
    """Counts its fits."""

    fits = 0

    def _fit(self, X, y, noise):
        Counted.fits += 1
        super()._fit(X, y, noise)


def test_it_runs_the_plugin_itself_also_under_the_name_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ncfw = get_registry().target("algo", "ncfw")
    for name in ("", "ncfw"):
        Counted.fits = 0
        check_trial(Build("algo", Counted, name=name))
        assert Counted.fits == 1
    assert get_registry().target("algo", "ncfw") is ncfw
    assert list(tmp_path.iterdir()) == []
