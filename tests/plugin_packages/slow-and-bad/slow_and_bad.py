"""Algorithms that behave in ways a sweep must survive."""

import os
import signal
import sys
import time

import numpy as np

from ncbench import NoisyLabelClassifier, hookimpl


class Raises(NoisyLabelClassifier):
    """Raises an exception."""

    def _fit(self, X, y, noise):
        raise RuntimeError("no luck")

    def _predict_proba(self, X):
        return np.tile(self.prior_, (len(X), 1))


class Exits(Raises):
    """Calls sys.exit."""

    def _fit(self, X, y, noise):
        sys.exit(3)


class Killed(Raises):
    """Is killed by a signal."""

    def _fit(self, X, y, noise):
        os.kill(os.getpid(), signal.SIGKILL)


class Slow(Raises):
    """Takes its time, and leaves a line for each fit in the file named by FITS."""

    def __init__(self, number: int = 0, seconds: float = 0.2):
        self.number = number
        self.seconds = seconds

    def _fit(self, X, y, noise):
        with open(os.environ["FITS"], "a") as file:
            file.write(f"{self.number} {y.sum()} {time.time()}\n")
        time.sleep(self.seconds)
        self.prior_ = np.bincount(y) / len(y)


@hookimpl
def ncbench_algorithms():
    """Algorithms by name."""
    return {"raises": Raises, "exits": Exits, "killed": Killed, "slow": Slow}
