"""What a plug-in declares that it needs besides features and noisy labels.

A benchmark knows the truth, which no method knows in practice. A plug-in gets a part of the truth
only if its attribute ``needs`` names it. Records say what each plug-in was told, and so do tables.
A cell is skipped, with a reason, if its data does not have what a plug-in needs.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ncbench.errors import NcbenchError, UnknownName
from ncbench.imports import notice_renamed

NEEDS = {
    "noise_matrix": "the true noise matrix",
    "clean_labels": "clean labels of training examples",
    "annotations": "the labels of several people",
    "unlabeled": "training examples without a label",
}
"""What can be needed, and what it is."""


def needs_of(plugin: Any) -> frozenset[str]:
    """Return the names in the ``needs`` of a plug-in; raise if one of them does not exist.

    Examples
    --------
    >>> class Oracle:
    ...     needs = ("noise_matrix",)
    >>> sorted(needs_of(Oracle())), sorted(needs_of(object()))
    (['noise_matrix'], [])
    """
    where = f"{type(plugin).__name__}.needs"
    declared = getattr(plugin, "needs", ())
    if isinstance(declared, str) or not hasattr(declared, "__iter__"):
        raise NcbenchError(f'{where} is {declared!r}; expected a tuple such as ("noise_matrix",)')
    needs = set(declared)
    if getattr(plugin, "told_noise_matrix", False):
        notice_renamed("told_noise_matrix = True", 'needs = ("noise_matrix",)')
        needs.add("noise_matrix")
    for name in needs - NEEDS.keys():
        raise UnknownName.among(where, name, NEEDS)
    return frozenset(needs)


class Withheld:
    """Stands for a part of the truth that a plug-in has not declared; any use of it raises.

    Examples
    --------
    >>> Withheld("noise_matrix", "Mine").matrix
    Traceback (most recent call last):
    ...
    ncbench.errors.NcbenchError: Mine uses the true noise matrix, but does not declare \
this; give it the attribute needs = ("noise_matrix",)
    """

    def __init__(self, name: str, plugin: str) -> None:
        self._name = name
        self._plugin = plugin

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # such as __deepcopy__, which copies look for
            raise AttributeError(name)
        self._refuse()

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise NcbenchError(
            f"{self._plugin} uses {NEEDS[self._name]}, but does not declare this; give it the "
            f'attribute needs = ("{self._name}",)'
        )
