"""Estimators of the noise matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ncbench import hookimpl

from .held_out_map import HeldOutMAP
from .hoc import HOC
from .joint_fit import CautiousMAP, ForwardMAP, VolMin
from .posteriors import Anchor, ConfidentJoint, DualT
from .t_revision import TRevision
from .told import DawidSkene, Identity, Known, TrustedSet


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
