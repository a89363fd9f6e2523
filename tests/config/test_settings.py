"""The keys that are not config groups: each has a default of its type, and a help text."""

from __future__ import annotations

from omegaconf import OmegaConf

from ncbench.config.settings import SETTINGS, Settings
from ncbench.plugin import KINDS
from ncbench.run.record import NOT_IDENTITY


def test_every_setting_is_documented_and_typed() -> None:
    types = {"float": float, "int": int, "str": str, "bool": bool, "Any": list}
    types["float | None"] = type(None)
    for name, setting in SETTINGS.items():
        assert setting.metadata["help"], name
        assert isinstance(setting.metadata["default"], types[str(setting.type)]), name
    assert not SETTINGS.keys() & KINDS.keys()


def test_defaults_that_are_lists_are_not_shared() -> None:
    one, other = Settings(), Settings()
    one.plugins_from.append("mine.py")
    assert other.plugins_from == []
    assert SETTINGS["plugins_from"].metadata["default"] == []


def test_the_schema_has_every_kind_and_every_setting() -> None:
    keys = set(map(str, OmegaConf.structured(Settings)))
    assert keys == {*KINDS, *SETTINGS, "job"}


def test_what_a_cell_is_depends_on_these_settings_alone() -> None:
    # Another one here would give every cell of every user another id.
    assert SETTINGS.keys() - set(NOT_IDENTITY) == {"sigma", "trials", "test_size", "seed"}
