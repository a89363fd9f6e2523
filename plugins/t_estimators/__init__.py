"""Estimators of the noise matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ncbench import hookimpl

from .anchor import Anchor
from .annotators import DawidSkene
from .confident_joint import ConfidentJoint
from .dual_t import DualT
from .forward_map import CautiousMAP, ForwardMAP
from .given import Identity, Known
from .held_out_map import HeldOutMAP
from .hoc import HOC
from .t_revision import TRevision
from .trusted import TrustedSet
from .volmin import VolMin


@hookimpl
def ncbench_t_estimators() -> Mapping[str, Callable[..., Any]]:
    """Return estimators of T by name."""
    return {
        "known": Known,
        "identity": Identity,
        "anchor": Anchor,
        "dual_t": DualT,
        "t_revision": TRevision,
        "volmin": VolMin,
        "forward_map": ForwardMAP,
        "cautious_map": CautiousMAP,
        "held_out_map": HeldOutMAP,
        "confident_joint": ConfidentJoint,
        "hoc": HOC,
        "trusted": TrustedSet,
        "dawid_skene": DawidSkene,
    }
