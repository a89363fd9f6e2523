"""Pages from templates: one file each, which opens from disk and loads nothing.

A page's own template lies beside the module that fills it, and extends ``base.html``.
"""

from __future__ import annotations

import re
import time
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ncbench import __version__

_HERE = "ncbench.show"


def rendered(package: str, template: str, **content: Any) -> str:
    """Return a package's template as HTML, with the frame and the style that all pages share."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package, ""), PackageLoader(_HERE, "")]),
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
        style=Markup(files(_HERE).joinpath("page.css").read_text(encoding="utf-8")),
        **content,
    )
