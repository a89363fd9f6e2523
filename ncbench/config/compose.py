"""Compose the resolved configuration of each cell from the overrides of a command line."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ncbench.config.config_files import explained
from ncbench.config.hydra_session import (
    FUNCTIONS,
    MOST_CELLS,
    HydraSession,
    is_override,
    parse_override,
    values_of,
)
from ncbench.config.schema import refuse_unknown, resolve
from ncbench.errors import NcbenchError, notice
from ncbench.plugin import files_in_use, use_files

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override
    from omegaconf import DictConfig

    from ncbench.types import Config

# Quote overrides that Hydra's grammar cannot parse, such as ``path=größe.csv``.

_MORE_THAN_TEXT = re.compile(rf"""[\[\]{{}},'"$]|^[=\s]|^({"|".join(FUNCTIONS)})\(""")
"""Text that may be meant as a list, a sweep, quotes, an interpolation or a function."""


def readable(overrides: Sequence[str]) -> list[str]:
    """Return overrides that Hydra can parse, or raise NcbenchError.

    A value that Hydra cannot parse is quoted if it can only be plain text. Everything else stays
    unchanged.

    Examples
    --------
    >>> readable(["sigma=0.1,0.2", "dataset.path=a(1).csv", "dataset.target=größe"])
    ['sigma=0.1,0.2', "dataset.path='a(1).csv'", "dataset.target='größe'"]
    >>> readable(["dataset.path=größe.csv,a.csv"])
    Traceback (most recent call last):
    ...
    ncbench.errors.NcbenchError: dataset.path=größe.csv,a.csv: this value needs quotes. One value: "dataset.path='größe.csv,a.csv'"; several: "dataset.path='größe.csv','a.csv'"
    """  # noqa: E501
    return [text if is_override(text) else _with_quotes(text) for text in overrides]


def quoted(text: str) -> str:
    r"""Return any text as one quoted value of an override.

    Examples
    --------
    >>> print(quoted("it's"))
    'it\'s'
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _with_quotes(text: str) -> str:
    key, equals, value = text.partition("=")
    if not equals or not value or not is_override(f"{key}=x"):
        raise NcbenchError(f"{text}: expected KEY=VALUE; see --help")
    whole = f"{key}={quoted(value)}"
    if not _MORE_THAN_TEXT.search(value) and is_override(whole):
        return whole
    if value.endswith(",") and is_override(f"{key}={value.rstrip(',')}"):
        raise NcbenchError(
            f"{text}: ends with a comma; write several values without spaces, {text}OTHER"
        )
    message = f'{text}: this value needs quotes. One value: "{whole}"'
    if "," in value and not _MORE_THAN_TEXT.search(value.replace(",", "")):
        message += f'; several: "{key}={",".join(map(quoted, value.split(",")))}"'
    raise NcbenchError(message)


_MANY = 2000
"""The number of cells from which composing them takes noticeable time."""

_PLUGINS_FROM = re.compile(r"\+{0,2}plugins_from=")


def use_plugin_files(overrides: Sequence[str]) -> list[str]:
    """Register the plug-ins of ``plugins_from=``, on which the config groups depend.

    Returns the overrides with absolute paths in ``plugins_from``, because other processes may run
    in another folder.
    """
    named = [text for text in overrides if _PLUGINS_FROM.match(text)]
    paths: list[str] = []
    for text in named:
        with explained(f"{text}: "):
            override = parse_override(text)
        if override.is_sweep_override():
            several = text.split("=", 1)[1]
            raise NcbenchError(
                f"{text}: a sweep cannot vary plugins_from; to use all of these files, write "
                f"plugins_from=[{several}]"
            )
        value = override.value()
        paths += map(str, value if isinstance(value, list) else [value])
    use_files(paths)
    if not named:
        return list(overrides)
    absolute = ",".join(map(quoted, files_in_use()))
    others = [text for text in overrides if text not in named]
    return [*others, f"plugins_from=[{absolute}]"]


def compose_cell(session: HydraSession, overrides: Sequence[str]) -> Config:
    """Return the configuration of one cell; raise NcbenchError if a key has several values."""
    parsed = session.parse(overrides)
    swept = [override.input_line for override in parsed if override.is_sweep_override()]
    if swept:
        raise NcbenchError(f"{swept[0]}: several values need a sweep: python -m ncbench -m ...")
    cfg = session.compose(overrides)
    params = cfg.hydra.sweeper.params
    if params:
        values = " ".join(f"{key}={value}" for key, value in params.items())
        raise NcbenchError(
            f"the config file sweeps over {values}, which needs a sweep: python -m ncbench -m ..."
        )
    return _resolved(cfg)


class ComposedSweep(NamedTuple):
    """The cells of a sweep."""

    cells: list[Config]
    first: list[str]
    """The overrides of the first cell, which choose the launcher for all cells."""
    experiments: list[str]
    """The names of the experiment files, with those that they list."""


def compose_sweep(session: HydraSession, overrides: Sequence[str]) -> ComposedSweep:
    """Return the configuration of every combination of the swept values."""
    names, experiments = _experiments(session, session.parse(overrides))
    swept = [[*map(values_of, [*_swept_in_files(session, given), *given])] for given in experiments]
    size = sum(math.prod(map(len, values)) for values in swept)
    if size > MOST_CELLS:
        raise NcbenchError(
            f"a sweep of more than {MOST_CELLS} cells ({size} combinations or more); split it"
        )
    if size > _MANY:
        notice(f"composing {size} cells")
    combinations = [cell for values in swept for cell in itertools.product(*values)]
    cells = [_resolved(cfg) for cfg in session.compose_each(combinations)]
    return ComposedSweep(cells, list(combinations[0]), names)


def _resolved(cfg: DictConfig) -> Config:
    refuse_unknown(cfg)
    return resolve(cfg)


def _experiments(
    session: HydraSession, given: list[Override]
) -> tuple[list[str], list[list[Override]]]:
    """Return the names of experiment files, and the overrides once for each of them.

    Overrides may name several files, and a file may itself sweep over ``experiment``. Each file
    has its own values and its own sweep. The other sweeps of a file that lists files hold for each
    of these, except for keys set on the command line.
    """
    chosen = [override for override in given if override.key_or_group == "experiment"]
    if not chosen:
        return [], [given]
    others = [override for override in given if override not in chosen]
    names, experiments = [], []
    for file in session.parse(values_of(chosen[-1])):
        names.append(str(file.value()))
        listed = session.swept_in_files(_fixed([file, *others])).get("experiment")
        if listed is None:
            experiments.append([file, *others])
            continue
        common = _swept_in_files(session, [file, *others])
        common = [override for override in common if override.key_or_group != "experiment"]
        for part in session.parse(values_of(session.parse([f"+experiment={listed}"])[0])):
            names.append(str(part.value()))
            experiments.append([part, *common, *others])
    return names, experiments


def _swept_in_files(session: HydraSession, given: list[Override]) -> list[Override]:
    """Return the sweeps of an experiment file, except for keys set on the command line."""
    params = session.swept_in_files(_fixed(given))
    swept = session.parse(readable([f"{key}={value}" for key, value in params.items()]))
    keys = {override.key_or_group for override in given}
    return [override for override in swept if override.key_or_group not in keys]


def _fixed(overrides: Sequence[Override]) -> list[str]:
    return [o.input_line or "" for o in overrides if not o.is_sweep_override()]
