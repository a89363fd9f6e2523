"""Tables for people: for a terminal, as Markdown, or as LaTeX. Names from users are escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ncbench.errors import printable


@dataclass(frozen=True)
class Entry:
    """One entry of a table.

    Parameters
    ----------
    text : str
    bold : bool
    mark : str
        A sign after the text: ``*`` or ``~``.
    cell : object, optional
        What the entry shows, such as a row of a frame; a page may link to it.
    """

    text: str
    bold: bool = False
    mark: str = ""
    cell: Any = None


Format = str | Callable[[Mapping[Any, Any]], str | Entry]
"""What an entry shows of a row: a template, such as ``{mean:.3f}``, or a function of the row."""


@dataclass(frozen=True)
class Grid:
    r"""A table with notes below it.

    Parameters
    ----------
    columns : sequence of str
    rows : sequence of sequences of Entry
        A text is an entry without a mark.
    labels : int
        The number of leading columns that name the row; the others are numbers. Labels that
        repeat those of the row above are left blank, except for the last.
    notes : sequence of str
        Notes below the table, a sentence or two each.
    heading : str
        What must be read before the table.
    title : str

    Examples
    --------
    >>> grid = Grid(["algo", "sigma=0.1"], [["a_b", Entry("0.2", bold=True, mark="*")]], 1,
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
    rows: Sequence[Sequence[Entry | str]]
    labels: int
    notes: Sequence[str] = ()
    heading: str = ""
    title: str = ""

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        formats: Sequence[tuple[str, Format]],
        labels: int = 1,
        notes: Sequence[str] = (),
        title: str = "",
    ) -> Grid:
        """Return the table of a frame.

        Parameters
        ----------
        frame : DataFrame
        formats : sequence of (str, Format)
            The heading of each column, and what its entries show of a row.
        labels, notes, title
            As above.

        Examples
        --------
        >>> frame = pd.DataFrame({"algo": ["fw"], "low": [0.125], "high": [0.25]})
        >>> formats = [("algo", "{algo}"), ("interval", "[{low:.2f}, {high:.2f}]")]
        >>> print(Grid.of(frame, formats).text())
        algo  interval
        fw    [0.12, 0.25]
        """
        rows = [
            [show.format_map(row) if isinstance(show, str) else show(row) for _, show in formats]
            for row in frame.to_dict(orient="records")
        ]
        return cls([heading for heading, _ in formats], rows, labels, notes, title=title)

    def print(self) -> None:
        """Print the table to a terminal, in bold and as wide as it is, or to a log."""
        console = Console(highlight=False)
        if not console.is_terminal:
            print(self.text())
            return
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for column in self.columns:
            table.add_column(Text(column))
        for row in self.printed_rows():
            table.add_row(*(Text(_printed(e), style="bold" if e.bold else "") for e in row))
        for line in filter(None, (self.title, self.heading)):
            console.print(Text(printable(line)), soft_wrap=True)
        console.print(table)
        for note in self.notes:
            console.print(Text(printable(note)), soft_wrap=True)

    def text(self) -> str:
        """Return the table as printed to a log."""
        rows = [list(self.columns), *(list(map(_printed, row)) for row in self.printed_rows())]
        # Not by rich, which takes seconds for thousands of rows.
        widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(set_cell_size, row, widths)).rstrip() for row in rows]
        above = [printable(line) for line in (self.title, self.heading) if line]
        return "\n".join([*above, *lines, *map(printable, self.notes)])

    def markdown(self) -> str:
        """Return the table in GitHub's Markdown."""
        rules = ["---" if i < self.labels else "---:" for i in range(len(self.columns))]
        lines = [f"### {escape_markdown(self.title)}", ""] if self.title else []
        lines += [escape_markdown(self.heading), ""] if self.heading else []
        lines += [_line(map(escape_markdown, self.columns)), "|" + "|".join(rules) + "|"]
        lines += [_line(map(_markdown_entry, row)) for row in self.printed_rows()]
        for note in self.notes:
            lines += ["", escape_markdown(note)]
        return "\n".join(lines)

    def latex(self) -> str:
        r"""Return a LaTeX table environment; it needs only ``\usepackage{booktabs}``."""
        numbers = len(self.columns) - self.labels
        said = [note for note in (self.title, self.heading, *self.notes) if note]
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

    @property
    def entries(self) -> list[list[Entry]]:
        """The rows, with an entry for each text."""
        return [[Entry(e) if isinstance(e, str) else e for e in row] for row in self.rows]

    def printed_rows(self) -> list[list[Entry]]:
        """Return the rows with blanks for labels that repeat the row above."""
        printed = []
        above: list[Entry] = []
        for row in self.entries:
            blank = 0
            while blank < self.labels - 1 and above and above[blank].text == row[blank].text:
                blank += 1
            printed.append([Entry("")] * blank + row[blank:])
            above = row
        return printed


def escape_markdown(text: str) -> str:
    r"""Escape the special characters of Markdown and HTML.

    Examples
    --------
    >>> escape_markdown("a|b <script>_x_")
    'a\\|b &lt;script&gt;\\_x\\_'
    """
    return re.sub(r"([\\`*_~|\[\]#])", r"\\\1", html.escape(one_line(text), quote=False))


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
    return "".join(map(_latex_character, one_line(text)))


def _latex_character(character: str) -> str:
    if character in _LATEX:
        return _LATEX[character]
    # The letters of Latin-1, except for those that pdfLaTeX's default encoding lacks.
    if character.isascii() or (0xC0 <= ord(character) <= 0xFF and character not in "ÐðÞþ"):
        return character
    return f"\\texttt{{U+{ord(character):04X}}}"


def one_line(text: str) -> str:
    r"""Return text with spaces instead of line breaks and control characters.

    Examples
    --------
    >>> one_line("a\x00b\nc")
    'a b c'
    """
    return "".join(c if c.isprintable() else " " for c in text)


def _sentence(note: str) -> str:
    return note if note.endswith(".") else f"{note}."


def _printed(entry: Entry) -> str:
    return printable(entry.text) + entry.mark


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
