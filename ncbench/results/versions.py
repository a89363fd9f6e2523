"""Find the cells of a table that were run with older versions or code of plug-ins than others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class CellVersions(NamedTuple):
    """The time of a cell's record, and names, versions and code of its plug-ins by kind."""

    time: tuple[float, str]
    names: Mapping[str, Any]
    plugins: Mapping[str, str]
    code: Mapping[str, str] = {}


def mixed_versions(cells: Iterable[CellVersions]) -> list[str]:
    """Return a sentence for each distribution or file of which cells have several versions.

    Examples
    --------
    >>> cells = [
    ...     CellVersions((day, ""), {"algo": "rule"}, {"algo": f"rule.py {version}"})
    ...     for day, version in ((1.0, "c957"), (2.0, "c957"), (3.0, "a012"))
    ... ]
    >>> mixed_versions(cells)
    ['rule: 2 of 3 cells have another version (rule.py c957) than the newest (rule.py a012).']
    """
    versions: dict[str, list[tuple[tuple[float, str], str]]] = {}
    names: dict[str, set[str]] = {}
    for cell in cells:
        in_cell = {}
        for kind, text in cell.plugins.items():
            distribution = text.rpartition(" ")[0]
            in_cell[distribution] = text  # a distribution has one version in a cell
            names.setdefault(distribution, set()).add(str(cell.names.get(kind, distribution)))
        for distribution, text in in_cell.items():
            versions.setdefault(distribution, []).append((cell.time, text))
    sentences = []
    for distribution, made in versions.items():
        newest = max(made)[1]
        others = [text for _, text in made if text != newest]
        if others:
            (name, *more) = names[distribution]
            label = distribution if more else name
            verb = "has" if len(others) == 1 else "have"
            sentences.append(
                f"{label}: {len(others)} of {len(made)} cells {verb} another version "
                f"({', '.join(sorted(set(others)))}) than the newest ({newest})."
            )
    return sentences


def mixed_code(cells: Iterable[CellVersions]) -> list[str]:
    """Return a sentence for each plug-in of which cells have one version, but different code.

    Examples
    --------
    >>> cells = [
    ...     CellVersions((day, ""), {"algo": "rule"}, {"algo": "rules 1.0"}, {"algo": code})
    ...     for day, code in ((1.0, "c957"), (2.0, "a012"))
    ... ]
    >>> mixed_code(cells)
    ['algo=rule: 1 of 2 cells was run with older code of rules 1.0; run it again.']
    """
    codes: dict[tuple[str, str, str], list[tuple[tuple[float, str], str]]] = {}
    for cell in cells:
        for kind, code in cell.code.items():
            plugin = kind, str(cell.names.get(kind, "")), cell.plugins.get(kind, "")
            codes.setdefault(plugin, []).append((cell.time, code))
    sentences = []
    for (kind, name, version), made in codes.items():
        newest = max(made)[1]
        older = sum(code != newest for _, code in made)
        if older:
            verb, them = ("was", "it") if older == 1 else ("were", "them")
            sentences.append(
                f"{kind}={name}: {older} of {len(made)} cells {verb} run with older code of "
                f"{version}; run {them} again."
            )
    return sentences
