"""``ncbench paper``: write the paper's tables and figure, with our numbers and its own."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from ncbench.errors import NcbenchError
from ncbench.files import write_output
from ncbench.report.figures.style import saved
from ncbench.report.html.template import environment
from ncbench.report.paper.figure1 import figure1, figure1_rows, figure1_table
from ncbench.report.paper.stages import stages_table
from ncbench.report.paper.tables import DATASETS, NAMES, TABLES, definition, reference, tables
from ncbench.report.tables import Grid, escape_latex, escape_markdown
from ncbench.results import Comparison, FrameBuilder, each_record, no_records
from ncbench.results.series import figure_frame
from ncbench.run import Record

TITLE = "Zhang & Agarwal (2024), reproduced"


class Section(NamedTuple):
    """A heading and a table, and whether the figure is above it."""

    heading: str
    grid: Grid
    figure: bool = False


def write_paper(folders: Sequence[str], out: Path, errors: str, ddof: int) -> None:
    """Write the tables and the figure that the records below folders allow.

    Parameters
    ----------
    folders : sequence of str
    out : Path
        The suffix chooses the format: .html, .md or .tex. The figure is part of an HTML page, and
        a separate file for the other formats.
    errors : str
        As for :class:`ncbench.results.reference.Comparison`.
    ddof : {1, 0}
        The ddof of our standard errors.
    """
    write = {".html": _html, ".md": _markdown, ".tex": _latex}.get(out.suffix)
    if write is None:
        raise NcbenchError(f"--out {out}: expected a name that ends in .html, .md or .tex")
    records = list(each_record(folders))
    if not records:
        raise no_records(folders)
    sections, about = _tables(records, errors, ddof)
    frame = figure1_rows(figure_frame(records))
    figure = None
    if frame["train_size"].nunique() > 1:
        figure = figure1(frame)
        heading = "Figure 1: loss against sample size, synthetic problem"
        sections.append(Section(heading, figure1_table(frame), figure=True))
    if not sections:
        raise NcbenchError(
            f"{', '.join(folders)}: contains no records of the paper's experiments; run them with "
            "python -m ncbench -m +experiment=paper/all"
        )
    drawn = None
    if figure is not None:
        drawn = saved(figure, "pdf" if out.suffix == ".tex" else "svg")
    write(out, sections, about, drawn)


def _tables(records: Sequence[Record], errors: str, ddof: int) -> tuple[list[Section], str]:
    """Return the tables that the records allow, and the meaning of their columns."""
    cells, used = FrameBuilder(), []
    for record in records:
        measure, dataset, algo = (record.keys[k] for k in ("measure", "dataset", "algo"))
        if measure in TABLES and dataset in DATASETS and algo in NAMES:
            cells.add(record)
            used.append(record)
    if not len(cells):
        return [], ""
    for line in cells.told_apart():
        print(f"ncbench: {line}", file=sys.stderr)
    comparison = Comparison.of(cells.frame(ddof), reference(), errors, ddof=ddof)
    sections = [Section(heading, grid) for heading, grid in tables(comparison)]
    sections.append(Section("Time by stage", stages_table(used)))
    return sections, definition(comparison)


def _markdown(out: Path, sections: Sequence[Section], about: str, figure: bytes | None) -> None:
    parts = [f"# {escape_markdown(TITLE)}", escape_markdown(about)]
    for section in sections:
        parts.append(f"## {section.heading}")
        if section.figure and figure is not None:
            picture = out.with_name(f"{out.stem}-figure1.svg")
            write_output(picture, figure)
            parts.append(f"![Figure 1]({picture.name})")
        parts.append(section.grid.markdown())
    write_output(out, ("\n\n".join(filter(None, parts)) + "\n").encode())


def _latex(out: Path, sections: Sequence[Section], about: str, figure: bytes | None) -> None:
    parts = [
        "\\documentclass{article}",
        "\\usepackage[landscape,margin=1cm]{geometry}",
        "\\usepackage{booktabs,graphicx,textcomp}",
        "\\setlength{\\tabcolsep}{3pt}",
        "\\begin{document}",
        f"\\section*{{{escape_latex(TITLE)}}}",
        escape_latex(about),
        "\\scriptsize",
    ]
    for section in sections:
        parts.append(f"\\subsection*{{{escape_latex(section.heading)}}}")
        if section.figure and figure is not None:
            picture = out.with_name(f"{out.stem}-figure1.pdf")
            write_output(picture, figure)
            parts.append(f"\\includegraphics[width=0.6\\linewidth]{{{picture.stem}}}\n")
        # Tables must not float.
        parts.append(section.grid.latex().replace("\\begin{table}", "\\begin{table}[!h]"))
        parts.append("\\clearpage")
    write_output(out, "\n".join([*parts, "\\end{document}", ""]).encode())


def _html(out: Path, sections: Sequence[Section], about: str, figure: bytes | None) -> None:
    # Names and labels come from users, so everything except the figure is escaped.
    template = environment("ncbench.report.paper").get_template("page.html")
    svg = Markup(figure[figure.index(b"<svg") :].decode()) if figure else ""
    page = template.render(title=TITLE, about=about, sections=sections, figure=svg)
    write_output(out, page.encode())
