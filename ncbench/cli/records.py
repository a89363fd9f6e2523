"""Commands on records: tables, tests, figures and pages, and the progress of sweeps.

Every public function is a command. Slow imports are in functions: the arguments are parsed first.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from ncbench.cli.command import Option
from ncbench.errors import NcbenchError, counted, printable

if TYPE_CHECKING:
    from ncbench.results import FrameBuilder, Records
    from ncbench.run import SweepFile


def _between_0_and_1(text: str) -> float:
    number = float(text)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected a number between 0 and 1")
    return number


Where = Annotated[
    Sequence[str],
    Option(
        metavar="KEY=VALUE",
        help="keep only cells with this value, or one of several: sigma=0.1,0.2 algo.max_iter=500",
    ),
]
Level = Annotated[float, Option(_between_0_and_1, help="confidence level")]
Ddof = Annotated[Literal[0, 1], Option(help="ddof of standard errors")]
Errors = Annotated[
    Literal["combined", "theirs", "ours"],
    Option(help="standard error of a difference: sqrt(ours^2 + theirs^2), or one of the two"),
]
Out = Annotated[
    str | None, Option(metavar="FILE", help="write to a file instead of standard output")
]


@dataclass(frozen=True)
class Cells:
    """Which records to read, and which number from each.

    Parameters
    ----------
    folders : DIR
        folders to search for records, recursively
    value : NAME
        a measure, which may be newer than the records, or a number that each trial stores, such as
        seconds.fit (default: the loss of the measure that was optimized)
    set : KEY=VALUE
        parameters of that measure; its loss is computed from the confusion matrices
    """

    folders: Sequence[str]
    _: KW_ONLY
    value: str = "loss"
    set: Sequence[str] = ()
    where: Where = ()

    def read(self) -> FrameBuilder:
        """Read the records."""
        from ncbench.results import Value, collect, parse_where

        where = parse_where(self.where)
        return collect(self.folders, Value.parse(self.value, self.set), where)

    def losses(self) -> FrameBuilder:
        """Read the records; raise NcbenchError if the value is not a loss."""
        cells = self.read()
        if not cells.value.is_loss:
            raise NcbenchError(
                f"--value {cells.value}: expected a loss; only losses can be compared"
            )
        return cells


def _read_into_memory(folders: Sequence[str], where: Sequence[str] = ()) -> Records:
    """Read records for figures, and report on standard error what they cannot show."""
    from ncbench.report.figures import require

    require("matplotlib")
    from ncbench.results import parse_where, read_records
    from ncbench.results.series import bayes_remarks

    found = read_records(folders, parse_where(where))
    found.problems.extend(bayes_remarks(found.records))
    for problem in found.problems:
        print(problem, file=sys.stderr)
    return found


def aggregate(
    cells: Cells,
    *,
    rows: Sequence[str] | None = None,
    cols: Sequence[str] | None = None,
    ddof: Ddof = 1,
    level: Level = 0.95,
    format: Literal["table", "csv", "parquet", "json", "md", "tex"] = "table",
    out: Out = None,
) -> None:
    """Make a table from records: any rows, columns, measure, format.

    Parameters
    ----------
    rows : KEY
        keys for the rows (default: all but sigma)
    cols : [KEY]
        keys for the columns (default: sigma)
    """
    from ncbench.report import TABLE_FORMATS, Results
    from ncbench.show import print_or_write

    results = Results.of(cells.read(), rows, cols, ddof, level)
    if format == "table" and out is None:
        results.grid().print()  # in bold, as wide as the terminal
    else:
        print_or_write(TABLE_FORMATS[format](results), out)


def compare(
    cells: Cells,
    *,
    reference: str,
    errors: Errors = "combined",
    ddof: Ddof = 1,
    level: Level = 0.95,
    format: Literal["table", "csv", "json", "md", "tex"] = "table",
    out: Out = None,
) -> None:
    """Compare records with a published table, and what is beyond chance.

    For example, those of +experiment=paper/all with the tables of the paper.

    Parameters
    ----------
    reference : FILE.csv|paper
        the published table, with columns measure, dataset, algo, sigma, mean, sem; other
        configuration keys may be columns too; `paper`: Tables 2, 3, 5 and 6 of the paper
    """
    from ncbench.report import comparison_sections
    from ncbench.results import Comparison, parse_where, read_reference
    from ncbench.show import as_csv, as_json, print_or_write_sections

    published = read_reference(reference, parse_where(cells.where))
    found = cells.losses()
    # Keep keys that were not swept too: boosting must not be compared with logistic regression.
    keep = [column for column in published.columns if column in found.keys]
    frame = found.frame(ddof, keep=keep)
    comparison = Comparison.of(frame, published, errors, level, ddof)
    print_or_write_sections(
        comparison_sections(comparison),
        format,
        out,
        csv=lambda: as_csv(comparison.cells).rstrip("\n"),
        json=lambda: as_json(comparison.cells),
    )


def significance(
    cells: Cells,
    *,
    pair: tuple[str, str] | None = None,
    over: Sequence[str] = ("dataset",),
    level: Level = 0.95,
    format: Literal["table", "md", "json"] = "table",
    out: Out = None,
) -> None:
    """Test differences: pairs over splits, ranks over data sets.

    Two algorithms are compared over the same splits, and all are ranked over data sets.

    Parameters
    ----------
    pair : ALGO
        compare the first with the second, cell by cell
    over : KEY
        rank over these keys; cells with the same values are averaged first
    """
    from ncbench.report import Conclusions
    from ncbench.results import Pair, rankings
    from ncbench.show import print_or_write_sections

    frame = cells.losses().frame(level=level)
    if not frame["n"].any():
        raise NcbenchError("no cell is done, so there is nothing to compare")
    compared = Pair.of(frame, *pair, level) if pair else None
    conclusions = Conclusions(compared, rankings(frame, over, level), over)
    print_or_write_sections(conclusions.sections(), format, out, json=conclusions.json)


def leaderboard(
    sources: Sequence[str] = (),
    *,
    add: Sequence[str] = (),
    measure: Sequence[str] = (),
    by_noise: bool = False,
    figures: Path | None = None,
    where: Where = (),
    level: Level = 0.95,
    format: Literal["table", "md", "json"] = "table",
    out: Out = None,
) -> None:
    """Rank methods for each measure, from published or own records.

    They are ranked over data sets, with the critical difference of their ranks, their mean losses
    and their cost.

    Parameters
    ----------
    sources : DIR
        folders or *.jsonl.gz files with records (default: the published results)
    add : DIR
        your records, to put beside them
    measure : NAME
        only these (default: all)
    by_noise
        rank for each kind of noise apart
    figures : FOLDER
        draw each table there, as SVG (needs matplotlib)
    """
    from ncbench.report import leaderboard_json, leaderboard_sections
    from ncbench.results import (
        FrameBuilder,
        addable,
        boards,
        each_record,
        parse_where,
        solutions_of,
    )
    from ncbench.run import published
    from ncbench.show import print_or_write_sections

    builder = FrameBuilder(where=parse_where(where))
    solutions = solutions_of(each_record(sources or [published()]), builder)
    own, reasons = addable(solutions, solutions_of(each_record(add), builder))
    builder.check()
    found = boards([*solutions, *own], measure, by_noise=by_noise, level=level)
    if not found:
        raise NcbenchError("no two methods have solved the same problem, so nothing can be ranked")
    if figures:
        from ncbench.report.figures import require

        require("matplotlib")
        from ncbench.report.figures.files import write_boards

        write_boards(found, figures)
    print_or_write_sections(
        leaderboard_sections(found, reasons),
        format,
        out,
        json=lambda: leaderboard_json(found, reasons),
    )


def report(folders: Sequence[str], *, out: str = "report.html") -> None:
    """Write one page with tables, figures, failures and provenance.

    Parameters
    ----------
    folders : DIR
        folders to search for records, recursively
    out : FILE
        the page
    """
    found = _read_into_memory(folders)

    from ncbench.report.html.page import write_report

    write_report(found, folders, Path(out))
    print(f"written: {out}", file=sys.stderr)


def figures(
    folders: Sequence[str],
    *,
    where: Where = (),
    out: Path,
    format: Sequence[Literal["svg", "png"]] = ("svg", "png"),
    sigma: float | None = None,
) -> None:
    """Draw figures of the records below folders, as SVG and PNG.

    All figures that the records allow are drawn.

    Parameters
    ----------
    folders : DIR
        folders to search for records, recursively
    out : FOLDER
        created if it does not exist
    sigma
        sigma of the confusion matrices and Frank-Wolfe paths (default: the largest)
    """
    found = _read_into_memory(folders, where)

    from ncbench.report.figures.files import write_figures

    write_figures(found.records, out, format, sigma)


def theory(
    folder: str, *, format: Literal["table", "csv", "md"] = "table", figures: Path | None = None
) -> None:
    """Print regret and the terms of its bounds, from runs with theory=true.

    It has every run on a data set with a known distribution, the terms of the paper's bounds, and
    how the regret falls with the sample size.

    Parameters
    ----------
    folder : DIR
        a folder to search for records, recursively
    figures : FOLDER
        draw regret_<measure>_<algo>.svg there
    """
    from ncbench.report.comparisons import regret_sections
    from ncbench.results import each_record
    from ncbench.results.series import terms
    from ncbench.show import as_csv, markdown_of, print_sections

    frame = terms(each_record([folder]))
    if figures is not None:
        from ncbench.report.figures import require

        require("matplotlib")
        from ncbench.report.figures.ranks import draw

        for path in draw(frame, figures):
            print(f"drawn: {path}", file=sys.stderr)  # a CSV may go into a file
    if format == "csv":
        print(as_csv(frame), end="")
    elif format == "md":
        print(markdown_of(regret_sections(frame, ".4g")))
    else:
        print_sections(regret_sections(frame, ".4f"))


def pack(folders: Sequence[str], *, out: str) -> None:
    """Put records into one compressed file, to publish or to send.

    It is read by aggregate, significance, report and leaderboard. The name of the machine, commands
    and paths are left out.

    Parameters
    ----------
    folders : DIR
        folders with records
    out : FILE
        the file, *.jsonl.gz
    """
    from ncbench.files import write_output
    from ncbench.results import each_record, no_records
    from ncbench.run import is_archive, pack

    if not is_archive(out):
        raise NcbenchError(f"--out {out}: expected a name that ends in .jsonl.gz")
    records = [*each_record(folders)]
    if not records:
        raise no_records(folders)
    content = pack(records)
    write_output(Path(out), content)
    print(f"{out}: {counted(len(records), 'record')}, {len(content) / 1e3:,.0f} kB")


def rerun(folder: str, id: str, *, data_dir: str | None = None, threads: int | None = None) -> int:
    """Run a cell again from its record, and compare every number.

    Parameters
    ----------
    folder : DIR
        the output_dir or the *.jsonl.gz file that holds the record
    id : ID
        the id of the cell, or its first characters
    data_dir
        the data folder, if it has moved
    threads
        number of BLAS and OpenMP threads (default: as recorded)
    """
    from ncbench.run.rerun import rerun

    return rerun(folder, id, data_dir=data_dir, threads=threads)


def status(folder: str, *, all: bool = False) -> None:
    """Print the progress of a sweep, from any terminal.

    Parameters
    ----------
    folder : DIR
        the output_dir of the sweep
    all
        print all sweeps, not only the newest
    """
    from ncbench.run import read_sweep

    paths = sorted(Path(folder).glob("sweeps/*/sweep.json"), key=lambda path: path.stat().st_mtime)
    if not paths:
        raise NcbenchError(f"{folder}: contains no sweeps (looked for {folder}/sweeps/*/)")
    for path in paths if all else paths[-1:]:
        try:
            about = read_sweep(path.parent)
        except ValueError as error:
            print(f"ignored: {error}", file=sys.stderr)
        else:
            _print_sweep(path.parent, about)


def _print_sweep(folder: Path, about: SweepFile) -> None:
    from ncbench.run import Progress

    progress = Progress.read(folder)
    ended = _ended(folder, about)
    if ended:
        progress = replace(progress, gone=about.host)
    began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(about.started))
    cells = counted(progress.total, "cell")
    print(printable(f"{folder.name}: {cells}, started {began} on {about.host}"))
    print(printable(f"  python -m ncbench {shlex.join(about.command)}"))
    print(f"  {progress}")
    if ended and progress.ended < progress.total:
        print("  This sweep was stopped; the command above resumes it.")
    for state in progress.running:
        since = max(0, round(time.time() - state.time))
        print(printable(f"  running for {since} s on {state.host}: {state.cell}"))
    for state in progress.states.values():
        if state.state == "failed":
            print(*(f"  {printable(line)}" for line in state.line.split("\n")), sep="\n")


def _ended(folder: Path, about: SweepFile) -> bool:
    """Whether a sweep has ended: it was stopped, or its process on this host is gone."""
    from ncbench.run import STOP

    if (folder / STOP).exists():
        return True
    if about.host != platform.node():
        return False
    try:
        os.kill(about.pid, 0)
    except OSError as error:  # another one for the process of another user
        return isinstance(error, ProcessLookupError)
    return False
