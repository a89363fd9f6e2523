"""Noise that depends on the example: hard examples are mislabeled more often."""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ncbench import Dataset, NcbenchError
from ncbench.data import InstanceNoise, random_matrix
from ncbench.types import Array, Labels


class InstanceDependent(InstanceNoise):
    """Noise that grows where classes meet, and follows the features.

    An example is hard if its clean class is not much more probable than another one, by a model of
    the clean data: the true distribution if the data set knows it, else logistic regression. Hard
    examples are mislabeled more often, as in the polynomial-margin noise of Zhang et al. (2021),
    and as the classes that they resemble, as in the part-dependent noise of Xia et al. (2020). In
    each class, sigma is still the expected share of wrong labels.

    Parameters
    ----------
    strength : float
        How much the noise depends on the example. The hardest example of a class is mislabeled
        about ``exp(2 strength)`` times as often as the easiest. With 0 this is ``noise=random``.
    """

    def __init__(self, strength: float = 1.0) -> None:
        if not 0 <= strength <= 10:
            raise NcbenchError(
                f"noise=instance_dependent: strength is {strength}; expected a number in [0, 10]"
            )
        self.strength = strength

    def probabilities(self, dataset: Dataset, sigma: float, rng: np.random.Generator) -> Array:
        """Return the distribution of the noisy label of each example."""
        n, y = dataset.n_classes, dataset.y
        wrong = random_matrix(n, sigma, rng).T[y]
        wrong[np.arange(len(y)), y] = 0.0
        if self.strength > 0:
            eta = _clean_posterior(dataset)
            others = eta.copy()
            others[np.arange(len(y)), y] = 0.0
            wrong *= (others + 1e-9) ** min(self.strength, 1.0)
            level = _levels(others.max(axis=1) - eta[np.arange(len(y)), y], y, self.strength, sigma)
        else:
            level = np.full(len(y), sigma)
        wrong *= (level / np.maximum(wrong.sum(axis=1), 1e-300))[:, None]
        wrong[np.arange(len(y)), y] = 1.0 - level
        return np.asarray(wrong)


def _clean_posterior(dataset: Dataset) -> Array:
    if dataset.true_posterior is not None:
        return dataset.true_posterior(dataset.X)
    key = dataset.fingerprint
    if key not in _POSTERIORS:
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        _POSTERIORS[key] = model.fit(dataset.X, dataset.y).predict_proba(dataset.X)
        while len(_POSTERIORS) > _MOST:
            del _POSTERIORS[next(iter(_POSTERIORS))]
    return _POSTERIORS[key]


_POSTERIORS: dict[str, Array] = {}
"""By data set: every cell of a sweep asks for the same, which takes seconds."""

_MOST = 32


def _levels(hardness: Array, y: Labels, strength: float, sigma: float) -> Array:
    """Return the share of wrong labels of each example; its mean in each class is sigma.

    It is ``c exp(strength z)``, at most 1, where z in [-1, 1] is the rank of the example in its
    class by hardness.
    """
    level = np.empty(len(y))
    for j in np.unique(y):
        members = np.flatnonzero(y == j)
        rank = hardness[members].argsort().argsort()
        weight = np.exp(strength * (2 * (rank + 0.5) / len(members) - 1))
        low, high = 0.0, 1.0 / weight.min()
        for _ in range(100):  # bisection on c: the mean grows with it
            c = (low + high) / 2
            low, high = (c, high) if np.minimum(c * weight, 1).mean() < sigma else (low, c)
        level[members] = np.minimum(high * weight, 1.0)
    return level
