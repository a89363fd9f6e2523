"""``ncbench new-plugin``: writes a package with a plug-in of each kind, from templates."""

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


class Start(NamedTuple):
    """What a kind of plug-in starts from."""

    group: str  # of the configuration
    is_class: bool
    description: str
    parameter: str
    sweep: str  # shows it in a table, beside what is shipped


TEMPLATES: Mapping[str, Start] = {
    "algorithm": Start(
        "algo", True, "A prior-weighted rule as algorithm.", "power", "algo=ncfw,{name}"
    ),
    "measure": Start(
        "measure",
        True,
        "A power mean of errors as measure.",
        "exponent",
        "algo=ncfw,fw measure={name}",
    ),
    "noise": Start(
        "noise",
        True,
        "Noise among neighbouring classes.",
        "decay",
        "algo=ncfw,fw noise=random,{name}",
    ),
    "cpe": Start(
        "cpe",
        False,
        "Discriminant analysis as learner of class probabilities.",
        "shrinkage",
        "algo=ncfw,fw cpe=logistic,{name}",
    ),
    "t_estimator": Start(
        "t_estimator",
        True,
        "The noise matrix from examples the learner is sure of.",
        "share",
        "algo=ncfw t_estimator=known,{name}",
    ),
    "dataset": Start(
        "dataset",
        False,
        "Three normal classes in a row as data set.",
        "distance",
        "algo=ncfw,fw dataset={name}",
    ),
}


def write_package(name: str, kind: str) -> tuple[Path, list[str]]:
    """Write a package into a new folder of this name; return it, and the commands that come next.

    Nothing is left behind if the name is taken or cannot be one.
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
    if not _NAME.fullmatch(name) or keyword.iskeyword(module):
        raise NcbenchError(
            f"new-plugin {name}: not a name for a package; small letters, digits and single "
            "dashes, beginning with a letter, such as my-method"
        )
    if folder.exists() or folder.is_symlink():
        raise NcbenchError(f"new-plugin {name}: {folder.absolute()} exists already")
    if module in get_registry().names(group):
        raise NcbenchError(f"new-plugin {name}: {group}={module} is registered already")
    if module in sys.stdlib_module_names or find_spec(module) is not None:
        raise NcbenchError(
            f"new-plugin {name}: a module {module} can be imported already, and this one would "
            "be in its way; choose another name"
        )


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write all of a folder or nothing: under another name first, then renamed."""
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
