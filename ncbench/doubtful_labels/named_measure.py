"""Measures by name, as the commands about doubtful labels take them."""

from __future__ import annotations

from ncbench.core import Measure
from ncbench.plugin import get_registry


def named_measure(name: str, background: str | None = None) -> Measure:
    """Return a measure, with its background class if it has one.

    Parameters
    ----------
    name : str
    background : str, optional
        The class that Micro F1 leaves out; by default the first. Other measures ignore it.

    Examples
    --------
    >>> named_measure("micro_f1", "well").for_classes(["ill", "well"]).background
    1
    """
    given = {} if background is None or not has_background(name) else {"background": background}
    measure: Measure = get_registry().build("measure", name, **given)
    return measure


def has_background(name: str) -> bool:
    """Whether a measure leaves out a class.

    Examples
    --------
    >>> has_background("micro_f1"), has_background("g_mean")
    (True, False)
    """
    return get_registry().takes("measure", name, "background")
