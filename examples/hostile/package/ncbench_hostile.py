"""Plug-ins that misbehave. A sweep that does not name them has the numbers it has without them."""

import numpy as np

from ncbench import MatrixNoise, Measure, NoisyLabelClassifier, hookimpl


class Raises(Measure):
    """Fails on every confusion matrix."""

    def __call__(self, C):
        raise RuntimeError("no")


class Writes(Measure):
    """Writes into the confusion matrix that it is given."""

    def __call__(self, C):
        C[:] = 0
        return 0.0


class NotFinite(Measure):
    """Is not a number."""

    def __call__(self, C):
        return float("nan")


class CannotBeBuilt(Measure):
    """Raises when it is built."""

    def __init__(self):
        raise ValueError("cannot be built")

    def __call__(self, C):
        return 0.0


class WritesLabels(MatrixNoise):
    """Makes the clean labels noisy, too."""

    def matrix(self, n, sigma, rng):
        return np.eye(n)

    def corrupt(self, dataset, sigma, rng):
        dataset.y[:] = 0
        return super().corrupt(dataset, sigma, rng)


class Cheats(NoisyLabelClassifier):
    """Predicts probabilities that sum to 3."""

    def _fit(self, X, y, noise):
        self.n_ = noise.n

    def _predict_proba(self, X):
        return np.full((len(X), self.n_), 3 / self.n_)


@hookimpl
def ncbench_measures():
    return {
        "raises": Raises,
        "writes": Writes,
        "not_finite": NotFinite,
        "cannot_be_built": CannotBeBuilt,
    }


@hookimpl
def ncbench_noise_models():
    return {"writes_labels": WritesLabels}


@hookimpl
def ncbench_algorithms():
    return {"cheats": Cheats}
