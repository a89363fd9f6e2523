"""The minimax classifier over classes, by multiplicative weights."""

from typing import Any, Literal

import numpy as np
from ncbench import Mixture, NcbenchError, NoiseMatrix, PosteriorClassifier
from ncbench.core import ConfusionPath


class NoiseCorrectedMinimax(PosteriorClassifier):
    """Noise-corrected minimax: the largest error of any class, made small by Hedge.

    A game: one side puts weights w on the classes, the other answers with the classifier of
    smallest weighted error ``sum_i w_i (1 - r_i)``, which is an argmin rule over the corrected
    posterior. Weights grow with the errors, by Hedge (Freund & Schapire 1999), and the answers,
    mixed, come within ``sqrt(log(n) / (2 max_iter))`` of the smallest worst-class error there is
    under the estimated posterior. It looks at no measure: compare it on ``worst_class``.

    Parameters
    ----------
    cpe : scikit-learn classifier, optional
        Learner of noisy class probabilities; supplied by ncbench.
    max_iter : int
        Rounds of the game.
    rate : float, optional
        Of the weights; ``sqrt(8 log(n) / max_iter)``, which the bound is for, if not given.
    sample_split : {"none", "half", "crossfit"}
        Which examples estimate the recalls; see ``ncbench.learning.fit_posterior``.
    random_state : int, optional
        For the sample split and the learner; supplied by ncbench.
    """

    def __init__(
        self,
        cpe: Any = None,
        max_iter: int = 2000,
        rate: float | None = None,
        sample_split: Literal["none", "half", "crossfit"] = "none",
        random_state: int | None = None,
    ):
        self.cpe = cpe
        self.max_iter = max_iter
        self.rate = rate
        self.sample_split = sample_split
        self.random_state = random_state

    def fit_mixture(self, posterior: np.ndarray, y: np.ndarray, noise: NoiseMatrix) -> Mixture:
        n, rounds = noise.n, self.max_iter
        if rounds < 1:
            raise NcbenchError(f"max_iter={rounds}; the game has at least one round")
        rate = np.sqrt(8 * np.log(n) / rounds) if self.rate is None else self.rate
        confusion = ConfusionPath(posterior, y, n)
        # An estimated prior may fall below zero: a class is taken to have one example at least.
        noisy_prior = np.bincount(y, minlength=n) / len(y)
        prior = np.maximum(noise.correct_posterior(noisy_prior), 1 / len(y))
        losses, errors, played = np.empty((rounds, n, n)), np.zeros(n), 0.0
        for t in range(rounds):
            weights = np.exp(rate * (errors - errors.max()))
            weights /= weights.sum()
            losses[t] = -np.diag(weights / prior)  # of predicting k for y: best response
            hits = np.diagonal(noise.correct_confusion(confusion(losses[t])))
            error = 1 - np.clip(hits / prior, 0, 1)
            errors += error
            played += weights @ error
        mixture = Mixture(losses, np.full(rounds, 1 / rounds)).merged()
        self.n_iter_ = rounds
        self.diagnostics_ = {
            "iterations": rounds,
            "components": len(mixture.weights),
            "objective": float(errors.max() / rounds),
            "gap": float((errors.max() - played) / rounds),
            "weights": weights.tolist(),
        }
        return mixture


class Minimax(NoiseCorrectedMinimax):
    """Minimax: the same game with T = I, for labels taken at face value."""

    uses_noise_matrix = False
