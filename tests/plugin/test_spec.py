"""Hook specifications: each says when it is called, and plug-ins are held to its signature."""

from __future__ import annotations

import inspect

from ncbench.plugin import spec

HOOKS = {
    name: function for name, function in vars(spec).items() if hasattr(function, "ncbench_spec")
}


def test_every_hook_spec_has_a_docstring_that_says_when() -> None:
    for name, function in HOOKS.items():
        assert "Called" in (inspect.getdoc(function) or ""), name
