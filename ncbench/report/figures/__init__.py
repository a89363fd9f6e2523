"""Figures: each module has a function that draws records as a matplotlib figure.

The modules need matplotlib, which the extra ``report`` installs.
"""

from __future__ import annotations

from importlib.util import find_spec

from ncbench.errors import NcbenchError


def require(*packages: str) -> None:
    """Raise NcbenchError if a package of the extra ``report`` is not installed.

    Examples
    --------
    >>> require("no_such_package")
    Traceback (most recent call last):
    ...
    ncbench.errors.NcbenchError: no_such_package is not installed: pip install 'ncbench[report]'
    """
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise NcbenchError(
            f"{' and '.join(missing)} {verb} not installed: pip install 'ncbench[report]'"
        )


class NothingToDraw(NcbenchError):
    """The records have nothing that a figure could show; the message says why."""
