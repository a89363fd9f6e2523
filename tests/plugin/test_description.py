"""Descriptions of plug-ins as plain data: what JSON keeps of them is all of them."""

from __future__ import annotations

import json
from dataclasses import asdict

from ncbench.plugin import get_registry
from ncbench.plugin.signature import Plugin


def test_every_registered_plugin_survives_json() -> None:
    plugins = get_registry().plugins()
    assert any(parameter.choices for plugin in plugins for parameter in plugin.parameters)
    for plugin in plugins:
        assert Plugin.from_json(json.loads(json.dumps(asdict(plugin)))) == plugin
