"""The worst class's recall, optimised under label noise: plug-ins of ncbench."""

from ncbench import hookimpl

from .algorithm import Minimax, NoiseCorrectedMinimax
from .measure import SoftWorstClass
from .noise import ByFrequency


@hookimpl
def ncbench_algorithms():
    """Algorithms by name."""
    return {"ncminimax": NoiseCorrectedMinimax, "minimax": Minimax}


@hookimpl
def ncbench_measures():
    """Measures by name."""
    return {"soft_worst_class": SoftWorstClass}


@hookimpl
def ncbench_noise_models():
    """Noise models by name."""
    return {"by_frequency": ByFrequency}
