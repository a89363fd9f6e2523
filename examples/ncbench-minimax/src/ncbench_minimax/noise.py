"""Noise that follows the frequencies of the classes."""

import numpy as np
from ncbench import Dataset, NoiseMatrix, NoisyLabels


class ByFrequency:
    """By frequency: a wrong label is a guess, and common classes are guessed more often.

    ``T[i, j] = sigma p_i / (1 - p_j)`` for i other than j, with class frequencies p. Rare classes
    lose their examples to common ones, which hurts the worst class most.
    """

    def corrupt(self, dataset: Dataset, sigma: float, rng: np.random.Generator) -> NoisyLabels:
        """Return noisy labels for the whole data set and the matrix that made them."""
        frequency = np.bincount(dataset.y, minlength=dataset.n_classes) / len(dataset.y)
        guess = np.repeat(frequency[:, None], dataset.n_classes, axis=1)
        np.fill_diagonal(guess, 0.0)
        T = (1 - sigma) * np.eye(dataset.n_classes) + sigma * guess / guess.sum(axis=0)
        noise = NoiseMatrix(T)
        return NoisyLabels(noise, noise.draw_labels(dataset.y, rng))
