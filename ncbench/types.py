"""Types shared by many modules."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    """An array of floats: features, class probabilities, confusion matrices."""

    Labels = NDArray[np.int64]
    """An array of labels 0..n-1."""
else:  # modules that import quickly need the other types, but not numpy
    Array = Labels = Any

Config = Mapping[str, Any]
"""A resolved configuration: plain data, as ``ncbench.config.schema.resolve`` returns it."""
