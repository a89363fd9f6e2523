"""The site: the pages of docs/, the README and its companions, a gallery, and the API reference.

``python3 dev.py docs`` builds it. The source folder is the root of the repository, so that links
between pages are the same here and on GitHub. Nothing on a page needs the network.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "_sphinx"
sys.path.insert(0, str(HERE))
os.environ.setdefault("OMP_NUM_THREADS", "1")  # the examples are small: more threads cost time

import ncbench  # noqa: E402 - the thread limit comes before numpy

project = "ncbench"
author = "the ncbench authors"
copyright = author
version = release = ncbench.__version__

root_doc = "docs/index"
include_patterns = ["*.md", "docs/**", "examples/*/README.md"]
exclude_patterns = [
    *(".*", "build", "dist", "outputs", "site", "ncbench", "plugins", "tests", "benchmarks"),
    "docs/_sphinx",
    "docs/gallery/**.py",
    "docs/gallery/**.ipynb",
]
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "checks_listed",
    "drawn_offline",
    "printed",
]

# Markdown as on GitHub: dollar math, and anchors of headings.
myst_enable_extensions = ["dollarmath", "html_image"]
myst_heading_anchors = 4
myst_fence_as_directive = ["mermaid"]
html_math_renderer = "mathml"
pygments_style = "default"  # enough contrast, as has the dark one
pygments_dark_style = "github-dark"
highlight_language = "text"  # blocks without a language are commands and what they print
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_title = f"ncbench {release}"
html_static_path = ["_sphinx/static"]
html_css_files = ["site.css"]
html_favicon = "_sphinx/static/icon.svg"
html_copy_source = False
html_show_sphinx = False
# Pages are in docs/, and whoever opens the site asks for index.html.
html_additional_pages = {"index": "to_home.html"}
templates_path = [str(HERE / "templates")]

numpydoc_show_class_members = False  # the templates list them
autodoc_typehints = "none"  # numpydoc's parameters have types
# scikit-learn writes these; their docstrings refer to pages of its own site.
autodoc_default_options = {"exclude-members": "set_fit_request, set_score_request"}
autosummary_generate = True


def names_of(room: str) -> list[str]:
    """Return the functions and classes that a room exports, but for those of ncbench itself."""
    members = vars(import_module(f"ncbench.{room}"))
    own = [
        name for name, value in members.items() if f".{room}" in getattr(value, "__module__", "")
    ]
    return [
        name
        for name in members.get("__all__", own)
        if callable(members[name]) and members[name].__doc__ and name not in ncbench.__all__
    ]


ROOMS = ("core", "data", "learning", "noise_estimation", "testing", "errors")
autosummary_context = {"names": {f"ncbench.{room}": names_of(room) for room in ROOMS}}

sphinx_gallery_conf: dict[str, Any] = {
    "examples_dirs": ["examples/gallery"],
    "gallery_dirs": ["docs/gallery"],
    "filename_pattern": "plot_",  # those are run
    "default_thumb_file": str(HERE / "static" / "plugin.svg"),
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "min_reported_time": 3600,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}
