"""Draws formulas and mermaid pictures when the site is built, so that no page needs the network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from latex2mathml.converter import convert
from mermaidx import Diagram
from sphinx.application import Sphinx


def _mathml(formula: str, display: str) -> str:
    # latex2mathml takes plus-minus for a name, which has no space around it.
    return convert(formula, display=display).replace("<mi>&#x000B1;</mi>", "<mo>&#x000B1;</mo>")


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(_mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="math">{_mathml(node.astext(), "block")}</div>')
    raise nodes.SkipNode


class Mermaid(Directive):
    """A picture for light pages and one for dark ones; the theme shows one of them."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return both pictures as SVG."""
        code, pictures = "\n".join(self.content), []
        for page, theme in (("light", "default"), ("dark", "dark")):
            svg = Diagram(code, theme=theme).svg().replace("my-svg", f"{page}-{self.lineno}")
            pictures.append(f'<div class="mermaid only-{page}">{svg}</div>')
        return [nodes.raw("", "".join(pictures), format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register both."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.add_directive("mermaid", Mermaid)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
