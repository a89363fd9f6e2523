"""Figures, one module each: a function from records to a matplotlib figure.

matplotlib is not a dependency of ncbench but of its extra ``report``; the modules below need it.
"""

from __future__ import annotations

from importlib.util import find_spec

from ncbench.errors import NcbenchError


def require(*packages: str) -> None:
    """Raise, before anything is read or written, if a package of the extra is missing.

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
    """Records that a figure has no use for; the message says why."""
