"""Shows on a page what ncbench prints: lists of commands, keys and plug-ins are never old."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx


def printed(*words: str) -> str:
    """Return what a command prints, on lines of at most 100 characters."""
    command = [sys.executable, "-m", "ncbench", *words]
    environ = {**os.environ, "COLUMNS": "100"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environ)
    return done.stdout


class Printed(Directive):
    """What the command prints; with COMMAND in it, what it prints for each subcommand."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = False

    def run(self) -> list[nodes.Node]:
        """Return a block for each command, below its name if there are several."""
        self.state.document.settings.env.note_reread()  # code changed, not the page
        words = self.arguments[0].split()
        if "COMMAND" not in words:
            return [self._block(printed(*words))]
        names = re.findall(r"^ +python -m ncbench ([a-z-]+) ", printed("--help"), re.MULTILINE)
        names = [name for name in names if not name.startswith("-")]
        with ThreadPoolExecutor(2) as threads:
            texts = threads.map(
                lambda name: printed(*(name if word == "COMMAND" else word for word in words)),
                names,
            )
            found: list[nodes.Node] = []
            for name, text in zip(names, texts, strict=True):
                found += [nodes.rubric("", name, ids=[name]), self._block(text)]
        return found

    def _block(self, text: str) -> nodes.literal_block:
        return nodes.literal_block(text, text, language="text")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("printed", Printed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
