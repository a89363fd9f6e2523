"""Noise models, which make noisy labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ncbench import hookimpl

from .annotators import Annotators, SimulatedAnnotators
from .instance_dependent import InstanceDependent
from .matrices import GivenMatrix, NoNoise, PairFlip, Random, Recorded, Symmetric


@hookimpl
def ncbench_noise_models() -> Mapping[str, Callable[..., Any]]:
    """Return noise models by name."""
    return {
        "symmetric": Symmetric,
        "random": Random,
        "pair_flip": PairFlip,
        "matrix": GivenMatrix,
        "recorded": Recorded,
        "none": NoNoise,
        "instance_dependent": InstanceDependent,
        "annotators": Annotators,
        "annotators_simulated": SimulatedAnnotators,
    }
