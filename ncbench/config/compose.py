"""The Hydra application: checks what was asked for, then runs one cell or a sweep of them."""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.hydra import Hydra
from hydra._internal.utils import _run_hydra, create_config_search_path, get_args_parser
from hydra.core.config_search_path import SearchPathQuery
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, OverrideType
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError  # type: ignore[import-untyped]

from ncbench.config import schema
from ncbench.config.overrides import quoted, readable
from ncbench.config.settings import SETTINGS
from ncbench.config.unknown_keys import nearest, refuse_unknown
from ncbench.errors import NcbenchError, UnknownName
from ncbench.files import write_json
from ncbench.plugin.registry import KINDS, files_in_use, get_registry, use_files
from ncbench.run.record import RECORD, CellFolder, cell_id, plugin_versions

if TYPE_CHECKING:
    from ncbench.run.sweep import Sweep

CONFIG_NAME = "config"
CONFIG_PATH = "pkg://ncbench_conf"

_LAUNCHERS = {"joblib": "joblib", "submitit_slurm": "slurm", "submitit_local": "slurm"}
"""Launchers that are packages of their own, and the extra that brings each."""

_INTERNAL = re.compile(r"reference_type=|object_type=|full_key:|See https://hydra")
_PLUGINS_FROM = re.compile(r"\+{0,2}plugins_from=")
_NO_EXPERIMENT = re.compile(r"Could not (find|load) 'experiment/(?P<name>[^']+)'")
_NO_LAUNCHER = re.compile(r"Could not (find|load) 'hydra/launcher/(?P<name>[^']+)'")
_MISSPELT = re.compile(r"Could not override '(?P<key>[^']+)'")


def main(argv: Sequence[str]) -> int:
    """Run ``python -m ncbench`` without a subcommand; return the exit code."""
    parser = get_args_parser()
    args = parser.parse_intermixed_args(argv)  # -m may stand between keys
    args.overrides = use_named_files(readable(args.overrides))
    schema.register()
    asks_only = args.hydra_help or args.cfg or args.info or args.shell_completion
    if asks_only:
        _run_hydra(args, parser, job, CONFIG_PATH, args.config_name or CONFIG_NAME)
        return 0
    search_path = create_config_search_path(CONFIG_PATH)
    if args.config_dir:
        folder = Path(args.config_dir).absolute()
        if not folder.is_dir():
            raise NcbenchError(
                f"--config-dir {args.config_dir}: no such folder (looked for {folder})"
            )
        search_path.prepend("command-line", f"file://{folder}", SearchPathQuery(provider="schema"))
    hydra = Hydra.create_main_hydra2("ncbench", search_path)
    try:
        return _sweep(hydra, args) if args.multirun else _single(hydra, args)
    except (HydraException, OmegaConfBaseException) as error:
        raise NcbenchError(_explain(error)) from error
    except YAMLError as error:  # it names the file and the line
        said = " ".join(str(error).split())
        raise NcbenchError(f"a config file is not YAML: {said}") from error
    finally:
        GlobalHydra.instance().clear()


def use_named_files(overrides: list[str]) -> list[str]:
    """Make the plug-ins of ``plugins_from=`` known: the config groups depend on them.

    Returns the overrides with that one made absolute, for processes that run elsewhere.
    """
    named = [text for text in overrides if _PLUGINS_FROM.match(text)]
    paths: list[str] = []
    for text in named:
        try:
            (override,) = OverridesParser.create().parse_overrides([text])
        except HydraException as error:
            raise NcbenchError(f"{text}: {_explain(error)}") from error
        if override.is_sweep_override():
            several = text.split("=", 1)[1]
            raise NcbenchError(
                f"{text}: files are not swept over; all of them: plugins_from=[{several}]"
            )
        value = override.value()
        paths += map(str, value if isinstance(value, list) else [value])
    use_files(paths)
    if not named:
        return overrides
    absolute = ",".join(map(quoted, files_in_use()))
    others = [text for text in overrides if text not in named]
    return [*others, f"plugins_from=[{absolute}]"]


def _single(hydra: Hydra, args: argparse.Namespace) -> int:
    parsed = _parse(hydra, args.overrides)
    swept = [override.input_line for override in parsed if override.is_sweep_override()]
    if swept:
        raise NcbenchError(f"{swept[0]}: several values need a sweep: python -m ncbench -m ...")
    params = _file_params(hydra, args, parsed)
    if params:
        values = " ".join(f"{key}={value}" for key, value in params.items())
        raise NcbenchError(f"the file sweeps over {values}: python -m ncbench -m ...")
    config = _resolve(_compose(hydra, args, args.overrides))

    from ncbench.run.cell import run_alone
    from ncbench.run.sweep import line

    print(line(run_alone(config)))
    print(f"Record:  {CellFolder(config['output_dir'], config['id']).path / RECORD}")
    return 0


def _sweep(hydra: Hydra, args: argparse.Namespace) -> int:
    from ncbench.run.sweep import Sweep, finish
    from ncbench.run.watch import watched
    from ncbench.run.worker import get_worker

    # Every cell is composed and checked before anything runs.
    combinations = [
        combination
        for given in _experiments(hydra, args, _parse(hydra, args.overrides))
        for combination in itertools.product(
            *map(_axis, [*_swept_in_files(hydra, args, given), *given])
        )
    ]
    first = combinations[0]
    resolved = map(_resolve, _compose_all(hydra, args, combinations))
    cells = list({cell["id"]: cell for cell in resolved}.values())  # each once
    # Two sweeps started in the same second still have folders of their own.
    stamp = f"{time.strftime('%Y-%m-%dT%H-%M-%S')}-{os.getpid()}"
    folder = Path(cells[0]["output_dir"]) / "sweeps" / stamp
    sweep = Sweep(folder, cells, sys.argv[1:])
    sweep.begin()
    # A batch system's SIGTERM ends a sweep as Ctrl-C does: launchers then end their workers too.
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, signal.default_int_handler)
    try:
        with watched(folder):
            if sweep.waiting:
                _launch(hydra, args, sweep, list(first))
    except KeyboardInterrupt:
        (folder / "stop").touch()
        get_worker().stop()
        print(f"\nStopped; what is finished is kept. Go on with: {sweep.go_on()}", file=sys.stderr)
        return 130
    return finish(sweep)


def _launch(hydra: Hydra, args: argparse.Namespace, sweep: Sweep, first: list[str]) -> None:
    """Give the cells that are not finished to Hydra's launcher, in groups.

    What the launcher is comes from the overrides of the first cell; a job's own cells come from
    the sweep's folder.
    """
    basic = "BasicLauncher" in _compose(hydra, args, first).hydra.launcher["_target_"]
    size = sweep.configs[0]["group"] or (len(sweep.waiting) if basic else 1)
    groups = [sweep.waiting[i : i + size] for i in range(0, len(sweep.waiting), size)]
    write_json(sweep.folder / "groups.json", groups)
    jobs = ",".join(map(str, range(len(groups))))
    hydra.multirun(
        config_name=args.config_name or CONFIG_NAME,
        task_function=job,
        overrides=[
            *first,
            *("hydra.mode=MULTIRUN", f"hydra.sweep.dir={quoted(str(sweep.folder))}"),
            *("hydra.sweeper.params=null", f"job={jobs}"),
        ],
        with_log_configuration=False,
    )


def job(cfg: DictConfig) -> None:
    """Run a group of a sweep's cells, in whatever process the launcher chose."""
    from hydra.core.hydra_config import HydraConfig

    from ncbench.run.sweep import run_cells

    folder = Path(HydraConfig.get().sweep.dir)
    groups = json.loads((folder / "groups.json").read_text())
    run_cells(folder, groups[cfg.job])


def _experiments(
    hydra: Hydra, args: argparse.Namespace, given: list[Override]
) -> list[list[Override]]:
    """Return the overrides once for each experiment file that they ask for.

    Several may be named, and a file may stand for several: ``experiment`` among what it sweeps
    over. Each brings its own values and its own sweep.
    """
    chosen = [o for o in given if o.key_or_group == "experiment"]
    if not chosen:
        return [given]
    others = [o for o in given if o not in chosen]
    found = []
    for line in _axis(chosen[-1]):
        listed = _file_params(hydra, args, [*others, *_parse(hydra, [line])]).get("experiment")
        files = _axis(_parse(hydra, [f"+experiment={listed}"])[0]) if listed else [line]
        found += [[*_parse(hydra, [file]), *others] for file in files]
    return found


def _swept_in_files(
    hydra: Hydra, args: argparse.Namespace, given: list[Override]
) -> list[Override]:
    """Return what an experiment file sweeps over, but for what the command line says itself."""
    params = _file_params(hydra, args, given)
    swept = _parse(hydra, readable([f"{key}={value}" for key, value in params.items()]))
    keys = {override.key_or_group for override in given}
    return [override for override in swept if override.key_or_group not in keys]


def _file_params(hydra: Hydra, args: argparse.Namespace, given: list[Override]) -> dict[str, Any]:
    """Return ``hydra.sweeper.params`` of the files that the overrides name."""
    fixed = [o.input_line or "" for o in given if not o.is_sweep_override()]
    return dict(_compose(hydra, args, fixed).hydra.sweeper.params or {})


def _axis(override: Override) -> list[str]:
    """Return the values an override takes, each as an override."""
    text = override.input_line or ""
    if not override.is_sweep_override():
        return [text]
    key = text.split("=", 1)[0]
    return [f"{key}={value}" for value in override.sweep_string_iterator()]


def _resolve(cfg: DictConfig) -> dict[str, Any]:
    refuse_unknown(cfg)
    config = {**schema.resolve(cfg), "command": sys.argv[1:]}
    config["plugins"] = plugin_versions(config)
    return {**config, "id": cell_id(config)}


def _parse(hydra: Hydra, overrides: list[str]) -> list[Override]:
    parser = OverridesParser.create(config_loader=hydra.config_loader)
    parsed: list[Override] = parser.parse_overrides(overrides)
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


def _compose(hydra: Hydra, args: argparse.Namespace, overrides: list[str]) -> DictConfig:
    cfg: DictConfig = hydra.compose_config(
        config_name=args.config_name or CONFIG_NAME,
        overrides=overrides,
        run_mode=RunMode.RUN,
        with_log_configuration=False,
    )
    return cfg


def _compose_all(
    hydra: Hydra, args: argparse.Namespace, combinations: Sequence[Sequence[str]]
) -> Iterator[DictConfig]:
    """Compose every cell of a sweep.

    To compose takes Hydra a tenth of a second, which a sweep of thousands should not pay for each
    cell: cells that differ in plain values alone (``sigma=0.2``, ``algo.max_iter=50``) are composed
    once, and the values set as Hydra sets them, after everything else.
    """
    parsed = {text: _parse(hydra, [text])[0] for text in {*itertools.chain(*combinations)}}
    composed: dict[tuple[str, ...], DictConfig] = {}
    for combination in combinations:
        values = [text for text in combination if _is_value(parsed[text])]
        others = tuple(text for text in combination if text not in values)
        if others not in composed:
            composed[others] = _compose(hydra, args, list(others))
        cfg = copy.deepcopy(composed[others])
        ConfigLoaderImpl._apply_overrides_to_config([parsed[text] for text in values], cfg)
        yield cfg


def _is_value(override: Override) -> bool:
    key = override.key_or_group
    changes = override.type is OverrideType.CHANGE and override.package is None
    return changes and (key in SETTINGS or ("." in key and key.partition(".")[0] in KINDS))


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
    missing = _NO_EXPERIMENT.search("\n".join(lines))
    if missing:
        return str(UnknownName.among("+experiment", missing["name"], _experiment_files()))
    absent = _NO_LAUNCHER.search("\n".join(lines))
    if absent:
        return _no_launcher(absent["name"])
    misspelt = _MISSPELT.search("\n".join(lines))
    return nearest(misspelt["key"]) if misspelt else "\n".join(lines)


def _no_launcher(name: str) -> str:
    extra = _LAUNCHERS.get(name)
    if extra:
        return f"hydra/launcher={name} is not installed: pip install 'ncbench[{extra}]'"
    known = GlobalHydra.instance().config_loader().get_group_options("hydra/launcher")
    return str(UnknownName.among("hydra/launcher", name, {*known, *_LAUNCHERS}))


def _experiment_files(folder: str = "experiment") -> list[str]:
    """Return the names of experiment files, those in folders too: Hydra lists one folder."""
    loader = GlobalHydra.instance().config_loader()
    files = [f"{folder}/{name}" for name in loader.get_group_options(folder)]
    found = [file.removeprefix("experiment/") for file in files]
    for inner in loader.list_groups(folder):
        found += _experiment_files(f"{folder}/{inner}")
    return found
