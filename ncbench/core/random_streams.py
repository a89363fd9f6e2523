"""Named streams of random numbers.

A stream depends only on the seed and the names: not on the order of calls, the process, or the
platform. So two algorithms that ask for the noise of the same data set, noise model, sigma and seed
get the same noisy labels.
"""

from __future__ import annotations

import hashlib

import numpy as np


def stream(seed: int, *names: str | int | float) -> np.random.Generator:
    """Return the random generator for ``seed`` and ``names``.

    Examples
    --------
    >>> a = stream(0, "noise", "iris", 0.1).random()
    >>> a == stream(0, "noise", "iris", 0.1).random()
    True
    >>> a == stream(0, "noise", "iris", 0.2).random()
    False
    """
    plain = [name.item() if isinstance(name, np.generic) else name for name in names]
    # repr, not str: the float 1.0 and the string "1.0" are different names.
    digest = hashlib.sha256(repr((int(seed), *plain)).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "little")))


def split_random_state(seed: int, trial: int) -> int:
    """Return the ``random_state`` of a trial's train/test split.

    With seed 0 it is the trial number, as in the published experiments of the paper.

    Examples
    --------
    >>> [split_random_state(0, trial) for trial in range(3)]
    [0, 1, 2]
    >>> split_random_state(7, 1)
    70001
    """
    return 10_000 * seed + trial
