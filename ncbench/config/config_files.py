"""What a config file may contain, before Hydra reads it.

Config files come from colleagues and from strangers. A file is YAML with one mapping at the top,
of a limited size, and it cannot read the environment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from ncbench.errors import NcbenchError

_LONGEST = 200_000
"""Bytes of a file: more take seconds to parse."""

_LARGEST, _DEEPEST = 20_000, 30
"""Values and levels of a file, with every alias of YAML replaced by what it stands for."""

_HYDRA = re.compile(r"(^|[/@\s])hydra([/.@]|$)")


def check_config_file(path: Path) -> None:
    """Raise NcbenchError unless Hydra can read a file quickly and without side effects.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "mine.yaml")
    >>> _ = path.write_text("data_dir: ${oc.env:HOME}")
    >>> try:
    ...     check_config_file(path)
    ... except NcbenchError as error:
    ...     print(str(error).split("mine.yaml: ")[1])
    data_dir=${oc.env:HOME}: a config file cannot call a resolver; type the value on the command line
    """  # noqa: E501
    try:
        _check(path)
    except UnicodeDecodeError as error:
        raise NcbenchError(f"{path}: not UTF-8: {error.reason}, byte {error.start}") from error
    except OSError as error:
        raise NcbenchError(f"{path}: {error.strerror}") from error
    except RecursionError as error:
        raise NcbenchError(f"{path}: nested in more than {_DEEPEST} levels") from error
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise NcbenchError(f"{path}: a config file is not valid YAML: {reason}") from error


def _check(path: Path) -> None:
    if not path.is_file():
        raise NcbenchError(f"{path}: not a regular file")
    if path.stat().st_size > _LONGEST:
        raise NcbenchError(f"{path}: longer than {_LONGEST} bytes")
    with path.open(encoding="utf-8") as stream:  # YAML's messages name the file of a stream
        root = yaml.compose(stream, yaml.SafeLoader)
    if root is not None and not isinstance(root, yaml.MappingNode):
        raise NcbenchError(f"{path}: expected KEY: VALUE at the top, not {root.tag.split(':')[-1]}")
    for count, (keys, text) in enumerate(_texts(root, ())):
        if count > _LARGEST:
            raise NcbenchError(f"{path}: more than {_LARGEST} values, counting aliases")
        if len(keys) > _DEEPEST:
            raise NcbenchError(f"{path}: nested in more than {_DEEPEST} levels")
        if keys[:1] == ("defaults",) and _HYDRA.search(text):
            raise NcbenchError(f"{path}: defaults: {text}: a config file cannot choose from hydra")
        # A plain interpolation, ${sigma}, has no colon.
        if "${" in text and ":" in text.split("${", 1)[1]:
            raise NcbenchError(
                f"{path}: {'.'.join(keys)}={text}: a config file cannot call a resolver; type the "
                "value on the command line"
            )


def _texts(node: Any, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the text of every node with its keys; aliases are followed, so this may not end."""
    yield keys, node.value if isinstance(node, yaml.ScalarNode) else ""
    if isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            yield from _texts(item, (*keys, str(number)))
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _texts(key, keys)
            name = key.value if isinstance(key, yaml.ScalarNode) else "?"
            yield from _texts(value, (*keys, name))
