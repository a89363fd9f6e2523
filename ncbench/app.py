"""The Hydra application: checks what was asked for, then runs one cell or a sweep of them."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Sequence
from typing import Any

from hydra._internal.hydra import Hydra
from hydra._internal.utils import _run_hydra, create_config_search_path, get_args_parser
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from ncbench import configs
from ncbench.errors import NcbenchError
from ncbench.registry import KINDS, get_registry
from ncbench.settings import SETTINGS

CONFIG_NAME = "config"
CONFIG_PATH = "pkg://ncbench_conf"

_INTERNAL = re.compile(r"reference_type=|object_type=|full_key:|See https://hydra")
_MISSPELT = re.compile(r"Could not override '(?P<key>[^']+)'")


def main(argv: Sequence[str]) -> int:
    """Run ``python -m ncbench`` without a subcommand; return the exit code."""
    parser = get_args_parser()
    args = parser.parse_args(argv)
    configs.register()
    asks_only = args.hydra_help or args.cfg or args.info or args.shell_completion
    if asks_only:
        _run_hydra(args, parser, job, CONFIG_PATH, args.config_name or CONFIG_NAME)
        return 0
    search_path = create_config_search_path(CONFIG_PATH)
    if args.config_dir:
        search_path.prepend("command-line", f"file://{args.config_dir}")
    hydra = Hydra.create_main_hydra2("ncbench", search_path)
    try:
        return _sweep(hydra, args) if args.multirun else _single(hydra, args)
    except (HydraException, OmegaConfBaseException) as error:
        raise NcbenchError(_explain(error)) from error
    finally:
        GlobalHydra.instance().clear()


def _single(hydra: Hydra, args: argparse.Namespace) -> int:
    parsed = _parse(args.overrides)
    swept = [override.input_line for override in parsed if override.is_sweep_override()]
    if swept:
        raise NcbenchError(f"{swept[0]}: several values need a sweep: python -m ncbench -m ...")
    config = configs.resolve(_compose(hydra, args, args.overrides))

    from ncbench.cell import run_alone
    from ncbench.sweep import print_cell

    print_cell(run_alone(config))
    return 0


def _sweep(hydra: Hydra, args: argparse.Namespace) -> int:
    _check_axes(hydra, args, _parse(args.overrides))
    returns = hydra.multirun(
        config_name=args.config_name or CONFIG_NAME,
        task_function=job,
        overrides=[*args.overrides, "hydra.mode=MULTIRUN"],
        with_log_configuration=False,
    )

    from ncbench.sweep import finish

    return finish([job_return.return_value for batch in returns for job_return in batch])


def job(cfg: DictConfig) -> Any:
    """Run one cell of a sweep, in whatever process the launcher chose."""
    from ncbench.cell import run_in_sweep
    from ncbench.sweep import print_cell

    record = run_in_sweep(configs.resolve(cfg))
    print_cell(record)
    return record


def _check_axes(hydra: Hydra, args: argparse.Namespace, overrides: list[Override]) -> None:
    """Compose the first cell, and a cell for each further value of each swept key.

    A mistake in any value is found before anything runs, without composing every cell.
    """
    axes = [
        [f"{_full_key(override)}={value}" for value in override.sweep_string_iterator()]
        if override.is_sweep_override()
        else [override.input_line or ""]
        for override in overrides
    ]
    first = [values[0] for values in axes]
    configs.resolve(_compose(hydra, args, first))
    for axis, values in enumerate(axes):
        for value in values[1:]:
            configs.resolve(_compose(hydra, args, [*first[:axis], value, *first[axis + 1 :]]))


def _parse(overrides: list[str]) -> list[Override]:
    parsed: list[Override] = OverridesParser.create().parse_overrides(overrides)
    registry = get_registry()
    for override in parsed:
        kind, _, parameter = override.key_or_group.partition(".")
        if kind not in KINDS or override.is_delete():
            continue
        if parameter == "name":
            raise NcbenchError(f"{override.input_line}: choose a plug-in with {kind}=NAME")
        if not parameter:
            for value in _values(override):
                registry.plugin(kind, value)
    return parsed


def _values(override: Override) -> list[str]:
    if override.is_sweep_override():
        return list(override.sweep_string_iterator())
    return [str(override.value())]


def _full_key(override: Override) -> str:
    line = override.input_line or ""
    return line.split("=", 1)[0]


def _compose(hydra: Hydra, args: argparse.Namespace, overrides: list[str]) -> DictConfig:
    cfg: DictConfig = hydra.compose_config(
        config_name=args.config_name or CONFIG_NAME,
        overrides=overrides,
        run_mode=RunMode.RUN,
        with_log_configuration=False,
    )
    return cfg


def _explain(error: BaseException) -> str:
    """Return what Hydra found wrong, without what only Hydra's developers need."""
    lines: list[str] = []
    current: BaseException | None = error
    while current is not None:
        for line in str(current).split("\n"):
            text = line.strip()
            if text and text not in lines and not _INTERNAL.match(text):
                lines.append(text)
        current = current.__cause__
    misspelt = _MISSPELT.search("\n".join(lines))
    return _nearest(misspelt["key"]) if misspelt else "\n".join(lines)


def _nearest(key: str) -> str:
    """Say which keys there are, the nearest first."""
    kind = key.partition(".")[0]
    known = list(SETTINGS)
    known += [
        f"{plugin.kind}.{parameter.name}"
        for plugin in get_registry().plugins()
        for parameter in plugin.parameters
    ]
    if kind in KINDS:
        known = [name for name in known if name.startswith(f"{kind}.")]
        where = f"the chosen {KINDS[kind].title} has no such parameter"
    else:
        known += list(KINDS)
        where = "no such key"
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"{key}: {where}; {hint}Keys and parameters: python -m ncbench plugins, or --help"
