"""Figures, one module each: a function from records to a matplotlib figure.

matplotlib is not among the dependencies of ncbench but in its extra ``report``: modules other than
this one and ``sources`` need it.
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
