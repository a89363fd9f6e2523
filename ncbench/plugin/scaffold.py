"""``ncbench new-plugin``: write a plug-in package from templates."""

from __future__ import annotations

import keyword
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import NamedTuple

from ncbench import __version__
from ncbench.errors import NcbenchError
from ncbench.plugin.registry import KINDS, get_registry

_NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
_LONGEST = 60


class Start(NamedTuple):
    """Template data for a kind of plug-in."""

    group: str  # config group
    is_class: bool
    description: str
    parameter: str
    sweep: str  # compares it with shipped plug-ins in a table


TEMPLATES: Mapping[str, Start] = {
    "algorithm": Start(
        "algo", True, "A prior-weighted rule as an algorithm.", "power", "algo=ncfw,{name}"
    ),
    "measure": Start(
        "measure", True, "A power mean of errors as a measure.", "exponent",
        "algo=ncfw,fw measure={name}",
    ),
    "noise": Start(
        "noise", True, "Noise between neighboring classes.", "decay",
        "algo=ncfw,fw noise=random,{name}",
    ),
    "cpe": Start(
        "cpe", False, "Discriminant analysis as a learner of class probabilities.", "shrinkage",
        "algo=ncfw,fw cpe=logistic,{name}",
    ),
    "t_estimator": Start(
        "t_estimator", True, "The noise matrix from examples the learner is sure of.", "share",
        "algo=ncfw t_estimator=known,{name}",
    ),
    "dataset": Start(
        "dataset", False, "Three normal classes in a row as a data set.", "distance",
        "algo=ncfw,fw dataset={name}",
    ),
}  # fmt: skip


def write_package(name: str, kind: str) -> tuple[Path, list[str]]:
    """Write a package into a new folder of this name; return the folder and the next commands.

    Writes nothing if the name is taken or invalid.
    """
    start, module = TEMPLATES[kind], name.replace("-", "_")
    folder = Path(name)
    _check_name(name, module, start.group, folder)
    sweep = f"-m {start.sweep.format(name=module)} sigma=0.1,0.4"
    class_name = "".join(part.capitalize() for part in module.split("_"))
    values = {
        "name": module,
        "module": module,
        "distribution": name,
        "class_name": class_name,
        "target": class_name if start.is_class else module,
        "kind": start.group,
        "hook": KINDS[start.group].hook,
        "description": start.description,
        "parameter": start.parameter,
        "use": sweep,
        "ncbench_version": __version__,
    }
    package = f"src/{module}"
    layout = {
        "pyproject.toml": "package/pyproject.toml",
        "README.md": "package/README.md",
        f"{package}/__init__.py": "package/__init__.py",
        f"{package}/method.py": f"{kind}/method.py",
        "tests/test_contract.py": "package/test_contract.py",
        "tests/test_method.py": f"{kind}/test_method.py",
    }
    templates = files("ncbench.plugin") / "templates"
    texts = {
        path: Template((templates / f"{source}.template").read_text()).substitute(values)
        for path, source in layout.items()
    }
    _write(folder, texts)
    steps = [
        f"python -m pip install ./{name}",
        f"python -m ncbench check {name}",
        f"python -m ncbench {sweep}",
    ]
    return folder, steps


def _check_name(name: str, module: str, group: str, folder: Path) -> None:
    if not _NAME.fullmatch(name) or keyword.iskeyword(module) or len(name) > _LONGEST:
        raise NcbenchError(
            f"new-plugin {name}: not a valid package name; use lowercase letters, digits and "
            f"single dashes, starting with a letter, at most {_LONGEST} in all, such as my-method"
        )
    if folder.exists() or folder.is_symlink():
        raise NcbenchError(f"new-plugin {name}: {folder.absolute()} already exists")
    if module in get_registry().names(group):
        raise NcbenchError(f"new-plugin {name}: {group}={module} is already registered")
    if module in sys.stdlib_module_names or find_spec(module) is not None:
        raise NcbenchError(
            f"new-plugin {name}: a module {module} can already be imported; choose another name"
        )


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write a folder atomically: under a temporary name, then renamed."""
    try:
        parent = tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.absolute().parent)
        try:
            draft = Path(parent, folder.name)
            for path, text in texts.items():
                (draft / path).parent.mkdir(parents=True, exist_ok=True)
                (draft / path).write_text(text)
            os.rename(draft, folder)
        finally:
            shutil.rmtree(parent, ignore_errors=True)
    except OSError as error:
        raise NcbenchError(f"{folder.absolute()}: cannot be written: {error.strerror}") from error
