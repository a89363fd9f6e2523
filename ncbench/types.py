"""Types shared by many modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
"""An array of floats: features, class probabilities, confusion matrices."""

Labels = NDArray[np.int64]
"""An array of labels 0..n-1."""

Config = Mapping[str, Any]
"""A resolved configuration: plain data, as ``ncbench.config.resolve`` returns it."""

Record = Mapping[str, Any]
"""The record of a cell, as ``ncbench.run.record`` describes it."""
