"""Frank-Wolfe for monotonic convex measures, with noise correction: Algorithm 1 of the paper."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ncbench.argmin_path import ConfusionPath
from ncbench.confusion import project_to_joint
from ncbench.mixture import Mixture
from ncbench.noise_matrix import NoiseMatrix
from ncbench.posterior_classifier import PosteriorClassifier
from ncbench.registry import resolve_measure

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


class NoiseCorrectedFrankWolfe(PosteriorClassifier):
    """NCFW: Frank-Wolfe on the noise-corrected confusion matrix (Algorithm 1).

    Parameters
    ----------
    measure : str or Measure
        The loss to minimise, monotonic convex or linear.
    cpe : scikit-learn classifier, optional
        Learner of noisy class probabilities; ``logistic`` of the registry by default.
    max_iter : int
        Number T of steps; step t has size 2 / (t + 1).
    sample_split : {"none", "half", "crossfit"}
        Which examples estimate confusion matrices; see ``ncbench.cpe.fit_posterior``.
    random_state : int, optional
        For the sample split and the CPE learner.
    """

    measure_families = frozenset({"monotonic_convex", "linear"})

    def __init__(
        self,
        measure: Any = "h_mean",
        cpe: Any = None,
        max_iter: int = 5000,
        sample_split: Literal["none", "half", "crossfit"] = "none",
        random_state: int | None = None,
    ) -> None:
        self.measure = measure
        self.cpe = cpe
        self.max_iter = max_iter
        self.sample_split = sample_split
        self.random_state = random_state

    def _mix(self, posterior: Array, y: Labels, noise: NoiseMatrix) -> Mixture:
        psi = resolve_measure(self.measure, self)
        confusion = ConfusionPath(posterior, y, noise.n)
        T = self.max_iter if psi.family != "linear" else 1  # a linear psi is its own linearisation
        losses = np.empty((T, noise.n, noise.n))
        # h^0 predicts every class with probability 1/n: all recalls are positive.
        C = np.repeat(
            np.bincount(y, minlength=noise.n)[:, None] / (len(y) * noise.n), noise.n, axis=1
        )
        moved_most = 0.0
        for t in range(1, T + 1):
            clean, moved = project_to_joint(noise.correct_confusion(C))  # OP2: T^-1 C^(t-1)
            losses[t - 1] = psi.gradient(clean)  # line 7
            Gamma = confusion(losses[t - 1])  # lines 8 and 9
            step = 2 / (t + 1)
            gap = np.sum(losses[t - 1] * (clean - noise.correct_confusion(Gamma)))
            C = (1 - step) * C + step * Gamma
            moved_most = max(moved_most, moved)
        # h^T = sum_t w_t g^t with w_t = step_t * prod_{s > t} (1 - step_s) = 2 t / (T (T + 1)).
        mixture = Mixture(losses, 2 * np.arange(1, T + 1) / (T * (T + 1))).merged()
        clean, moved = project_to_joint(noise.correct_confusion(C))
        self.diagnostics_ = {
            "iterations": T,
            "components": len(mixture.weights),
            "objective": psi(clean),
            "gap": float(gap),
            "projected_mass": max(moved_most, moved),
        }
        return mixture


class FrankWolfe(NoiseCorrectedFrankWolfe):
    """FW: the same algorithm with T = I, for labels taken at face value."""

    uses_noise_matrix = False
