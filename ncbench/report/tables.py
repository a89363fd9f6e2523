"""Tables for people: for a terminal, as Markdown, or as LaTeX. Names from users are escaped."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ncbench.errors import printable
from ncbench.run import Record


@dataclass(frozen=True)
class Entry:
    """One entry of a table.

    Parameters
    ----------
    text : str
    bold : bool
    mark : str
        A sign after the text: ``*`` or ``~``.
    """

    text: str
    bold: bool = False
    mark: str = ""


@dataclass(frozen=True)
class Grid:
    r"""A table with notes below it.

    Parameters
    ----------
    columns : sequence of str
    rows : sequence of sequences of Entry
    labels : int
        The number of leading columns that name the row; the others are numbers. Labels that
        repeat those of the row above are left blank, except for the last.
    notes : sequence of str
        Notes below the table, a sentence or two each.
    heading : str
        What must be read before the table.

    Examples
    --------
    >>> grid = Grid(["algo", "sigma=0.1"], [[Entry("a_b"), Entry("0.2", bold=True, mark="*")]], 1,
    ...             notes=["* best"])
    >>> print(grid.markdown())
    | algo | sigma=0.1 |
    |---|---:|
    | a\_b | **0.2**\* |
    <BLANKLINE>
    \* best
    >>> print(grid.latex().splitlines()[9])
    a\_b & \textbf{0.2}\rlap{*} \\
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Entry]]
    labels: int
    notes: Sequence[str] = field(default_factory=list)
    heading: str = ""

    def print(self, console: Console | None = None) -> None:
        """Print the table to a terminal or a log."""
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for column in self.columns:
            table.add_column(Text(column))
        for row in self.printed_rows():
            texts = ((printable(e.text) + e.mark, "bold" if e.bold else "") for e in row)
            table.add_row(*(Text(text, style=style) for text, style in texts))
        if console is None:
            console = Console(highlight=False)
            if not console.is_terminal:  # a log has no width
                console.width = max(200, console.measure(table).maximum)
        if self.heading:
            console.print(Text(self.heading), soft_wrap=True)
        console.print(table)
        for note in self.notes:
            console.print(Text(printable(note)), soft_wrap=True)

    def text(self) -> str:
        """Return the table as printed to a log."""
        stream = io.StringIO()
        self.print(Console(file=stream, width=10_000, color_system=None))
        return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())

    def markdown(self) -> str:
        """Return the table in GitHub's Markdown."""
        rules = ["---" if i < self.labels else "---:" for i in range(len(self.columns))]
        lines = [escape_markdown(self.heading), ""] if self.heading else []
        lines += [_line(map(escape_markdown, self.columns)), "|" + "|".join(rules) + "|"]
        for row in self.printed_rows():
            lines.append(_line(map(_markdown_entry, row)))
        for note in self.notes:
            lines += ["", escape_markdown(note)]
        return "\n".join(lines)

    def latex(self) -> str:
        r"""Return a LaTeX table environment; it needs only ``\usepackage{booktabs}``."""
        numbers = len(self.columns) - self.labels
        said = [note for note in (self.heading, *self.notes) if note]
        lines = [
            "% needs \\usepackage{booktabs}",
            "\\begin{table}",
            "\\centering\\small"
            if len(self.columns) < 7
            else "\\centering\\footnotesize\\setlength{\\tabcolsep}{5pt}",
            "\\caption{" + " ".join(escape_latex(_sentence(note)) for note in said) + "}",
            "\\smallskip",
            "\\begin{tabular}{@{}" + "l" * self.labels + "r" * numbers + "@{}}",
            "\\toprule",
            " & ".join(map(escape_latex, self.columns)) + " \\\\",
            "\\midrule",
        ]
        above: Sequence[Entry] = []
        for row in self.printed_rows():
            if above and self.labels > 1 and row[0].text:
                lines.append("\\addlinespace")  # the outermost label changes
            lines.append(" & ".join(map(_latex_entry, row)) + " \\\\")
            above = row
        return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", "\\end{table}"])

    def printed_rows(self) -> list[list[Entry]]:
        """Return the rows with blanks for labels that repeat the row above."""
        printed = []
        above: Sequence[Entry] = []
        for row in self.rows:
            blank = 0
            while blank < self.labels - 1 and above and above[blank].text == row[blank].text:
                blank += 1
            printed.append([Entry("")] * blank + list(row[blank:]))
            above = row
        return printed


class Section(NamedTuple):
    """A table with its title, which may be empty."""

    title: str
    grid: Grid


def print_sections(sections: Iterable[Section]) -> None:
    """Print tables to a terminal or a log."""
    for number, (title, grid) in enumerate(sections):
        print(end="\n" if number else "")
        if title:
            print(title)
        grid.print()


def text_of(sections: Iterable[Section]) -> str:
    """Return tables as printed to a log."""
    parts = (f"{title}\n{grid.text()}" if title else grid.text() for title, grid in sections)
    return "\n\n".join(parts)


def markdown_of(sections: Iterable[Section]) -> str:
    """Return tables in GitHub's Markdown."""
    parts = (
        f"### {escape_markdown(title)}\n\n{grid.markdown()}" if title else grid.markdown()
        for title, grid in sections
    )
    return "\n\n".join(parts)


def escape_markdown(text: str) -> str:
    r"""Escape the special characters of Markdown and HTML.

    Examples
    --------
    >>> escape_markdown("a|b <script>_x_")
    'a\\|b &lt;script&gt;\\_x\\_'
    """
    return re.sub(r"([\\`*_~|\[\]#])", r"\\\1", html.escape(_one_line(text), quote=False))


_LATEX = {
    "\\": "\\textbackslash{}",
    "~": "$\\sim$",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    '"': "''",
    "'": "\\textquotesingle{}",
    "-": "{-}",  # keeps two dashes from becoming a ligature
    **{character: f"\\{character}" for character in "{}$&#_%"},
}


def escape_latex(text: str) -> str:
    r"""Escape the special characters of LaTeX; write characters its fonts lack as code points.

    Examples
    --------
    >>> escape_latex("50% of a_b")
    '50\\% of a\\_b'
    >>> escape_latex("\N{GREEK SMALL LETTER SIGMA}")
    '\\texttt{U+03C3}'
    """
    return "".join(map(_latex_character, _one_line(text)))


def _latex_character(character: str) -> str:
    if character in _LATEX:
        return _LATEX[character]
    # The letters of Latin-1, except for those that pdfLaTeX's default encoding lacks.
    if character.isascii() or (0xC0 <= ord(character) <= 0xFF and character not in "ÐðÞþ"):
        return character
    return f"\\texttt{{U+{ord(character):04X}}}"


def _one_line(text: str) -> str:
    """Return text without line breaks and control characters."""
    return "".join(c if c.isprintable() else " " for c in text)


def _sentence(note: str) -> str:
    return note if note.endswith(".") else f"{note}."


def _line(cells: map[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _markdown_entry(entry: Entry) -> str:
    text = escape_markdown(entry.text)
    return (f"**{text}**" if entry.bold and text else text) + escape_markdown(entry.mark)


def _latex_entry(entry: Entry) -> str:
    # Bold is wide, so only the mean in "mean (standard error)" is bold.
    first, space, rest = entry.text.partition(" ")
    first = escape_latex(first)
    text = (f"\\textbf{{{first}}}" if entry.bold else first) + escape_latex(space + rest)
    # The mark takes no space, so that numbers stay aligned.
    return text + (f"\\rlap{{{escape_latex(entry.mark)}}}" if entry.mark else "")


# The table of failed cells at the end of a sweep.

_COLUMNS = ("failed", "measure", "dataset", "sigma", "algo", "reason")


def print_failures(records: Sequence[Record]) -> None:
    """Print a table of failed cells, with the ids of their records."""
    if not records:
        return
    rows = []
    for record in records:
        reason = printable(record.reason.split("\n")[0])
        sigma, algo = f"{record.keys['sigma']:g}", record.keys["algo"]
        row = [record.id, record.measure, record.dataset_name, sigma, algo, reason]
        rows.append(list(map(Entry, row)))
    print()
    folder = records[0].config["output_dir"]
    note = (
        f"The record of a cell, {folder}/cells/ID/record.json, has its traceback; the first column "
        "has the IDs. Failed cells run again when the sweep is repeated."
    )
    Grid(_COLUMNS, rows, 1, [note]).print()
