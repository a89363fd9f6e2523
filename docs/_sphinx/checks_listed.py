"""Lists the contract checks of each kind of plug-in, from their docstrings, in the site."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ncbench.testing import checks_for

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def with_checks(text: str) -> str:
    """Put a table of the checks of a kind where a page has ``(the checks of KIND)``."""
    return re.sub(r"^\(the checks of (\w+)\)$", lambda found: _table(found[1]), text, flags=re.M)


def _table(kind: str) -> str:
    rows = [f"| `{check.name}` | {check.about} |" for check in checks_for(kind)]
    return "\n".join(["| check | promise |", "|---|---|", *rows])


def _list(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = with_checks(source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register it."""
    app.connect("source-read", _list)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
