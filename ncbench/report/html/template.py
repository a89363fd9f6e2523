"""Pages from templates: one file each, which opens from disk and loads nothing."""

from __future__ import annotations

import re
import time
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ncbench import __version__

_PACKAGE = "ncbench.report.html"


def rendered(template: str, **content: Any) -> str:
    """Return a page of this package as HTML, with the style that all pages share."""
    environment = Environment(
        loader=PackageLoader(_PACKAGE, ""),
        autoescape=True,  # names come from users, and tracebacks from anywhere
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = lambda text: Markup("=<wbr>").join(text.split("="))
    environment.filters["long"] = lambda name: "long" if re.search(r"\S{21}", name) else ""
    return environment.get_template(template).render(
        version=__version__,
        made=time.strftime("%Y-%m-%d %H:%M"),
        style=Markup(resource("page.css")),
        **content,
    )


def resource(name: str) -> str:
    """Return a file of this package."""
    return files(_PACKAGE).joinpath(name).read_text(encoding="utf-8")
