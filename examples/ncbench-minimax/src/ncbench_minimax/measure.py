"""The worst class, smoothed so that it has a gradient."""

import numpy as np
from ncbench import NcbenchError, RecallMeasure


class SoftWorstClass(RecallMeasure):
    """Soft worst class: the error of the worst class, smoothed; Frank-Wolfe can optimise it.

    ``psi = log(mean_i exp(s (1 - r_i))) / s`` with recalls r and sharpness s lies between the
    mean of the errors and their maximum, and at most ``log(n) / s`` below that.

    Parameters
    ----------
    sharpness : float
        Above 0; the larger, the nearer to the maximum.

    Examples
    --------
    >>> import numpy as np
    >>> C = np.array([[0.5, 0.0], [0.25, 0.25]])
    >>> round(SoftWorstClass(sharpness=20.0)(C), 4)
    0.4653
    """

    family = "monotonic_convex"

    def __init__(self, sharpness: float = 20.0):
        if not sharpness > 0:
            raise NcbenchError(f"measure.sharpness={sharpness:g}; expected a number above 0")
        self.sharpness = sharpness

    def value(self, recall: np.ndarray) -> float:
        """Return the loss of these recalls."""
        error = 1 - recall
        # The largest is taken out before exp: no overflow, however sharp.
        rest = np.mean(np.exp(self.sharpness * (error - error.max())))
        return float(error.max() + np.log(rest) / self.sharpness)

    def slope(self, recall: np.ndarray) -> np.ndarray:
        """Return the derivative: softmax of the errors, negated."""
        error = self.sharpness * (1 - recall)
        weight = np.exp(error - error.max())
        return -weight / weight.sum()
