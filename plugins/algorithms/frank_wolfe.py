"""Frank-Wolfe for monotonic convex measures, with noise correction: Algorithm 1 of the paper."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ncbench.core import ConfusionPath, Measure, Mixture, NoiseMatrix, project_to_joint
from ncbench.errors import notice_once, require
from ncbench.learning import PosteriorClassifier, resolve_measure
from ncbench.types import Array, Labels

_NUMBERS = 2**27  # in the loss matrices of all steps: 1 GiB; up to 163 classes, 5000 steps
_LEAST = 100  # steps
_LOST = {
    "no_frequency": "has no example left, by T and the labels",
    "never_predicted": "is never predicted",
}
"""What can be wrong with a rule that Algorithm 1 found, by its key in the record."""


class NoiseCorrectedFrankWolfe(PosteriorClassifier):
    """NCFW: Frank-Wolfe on the noise-corrected confusion matrix (Algorithm 1).

    Parameters
    ----------
    measure : str or Measure
        The loss to minimize, monotonic convex or linear.
    cpe : scikit-learn classifier, optional
        Learner of noisy class probabilities; by default the registered ``logistic``.
    max_iter : int
        Number of steps; step t has size 2 / (t + 1). With more than 163 classes, fewer than 5000
        are taken, so that the loss matrices take 1 GiB; a notice says so.
    sample_split : {"none", "half", "crossfit"}
        Which examples estimate confusion matrices; see ``fit_posterior``.
    tol : float
        Stop at the first checkpoint where the absolute measured gap (see ``Trace``) is at most
        this; 0 takes all ``max_iter`` steps, as in the paper. The measured gap is not a
        certificate. With ``tol`` the diagnostics also hold ``model_gap``, which is one.
    compress : bool
        Reduce the final mixture to at most n^2 classifiers with the same confusion matrix on the
        training sample. This makes predictions faster.
    random_state : int, optional
        Seed of the sample split and the CPE learner.
    """

    measure_families = frozenset({"monotonic_convex", "linear"})

    def __init__(
        self,
        measure: Any = "h_mean",
        cpe: Any = None,
        max_iter: int = 5000,
        sample_split: Literal["none", "half", "crossfit"] = "none",
        tol: float = 0.0,
        compress: bool = False,
        random_state: int | None = None,
    ) -> None:
        self.measure = measure
        self.cpe = cpe
        self.max_iter = max_iter
        self.sample_split = sample_split
        self.tol = tol
        self.compress = compress
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise NcbenchError if ``max_iter`` or ``tol`` is invalid."""
        require(1 <= self.max_iter <= 10**7, "max_iter", self.max_iter, "1 to 10000000 steps")
        require(self.tol >= 0, "tol", self.tol, "at least 0; with 0 all steps are taken")

    def fit_mixture(self, posterior: Array, y: Labels, noise: NoiseMatrix) -> Mixture:
        """Run Algorithm 1 and return its final mixture."""
        psi = resolve_measure(self.measure, self)
        n, steps = noise.n, self.max_iter
        if psi.family == "linear":
            steps = 1  # a linear psi is its own linearization: the first step solves it
        elif steps > max(_NUMBERS // n**2, _LEAST):
            steps = max(_NUMBERS // n**2, _LEAST)
            notice_once(
                f"Frank-Wolfe takes {steps} of {self.max_iter} steps: with {n} classes, the loss "
                f"matrices of all would take {self.max_iter * n * n * 8 / 2**30:.1f} GiB"
            )
        absent = _without_frequency(noise, y)
        confusion = ConfusionPath(posterior, y, n)
        losses = np.empty((steps, n, n))
        # Only a compressed mixture needs them, and with many classes they take gigabytes.
        confusions = np.empty((steps, n, n)) if self.compress else None
        # h^0 predicts each class with probability 1/n, so all recalls are positive.
        C = np.repeat(np.bincount(y, minlength=n)[:, None] / (len(y) * n), n, axis=1)
        trace = Trace(steps)
        for t in range(1, steps + 1):
            clean, moved = project_to_joint(noise.correct_confusion(C))  # OP2: T^-1 C^(t-1)
            losses[t - 1] = L = psi.gradient(clean)  # line 7; T^-T is in the posterior
            Gamma = confusion(L)  # lines 8 and 9
            if confusions is not None:
                confusions[t - 1] = Gamma
            size = 2 / (t + 1)
            C = (1 - size) * C + size * Gamma
            trace.moved = max(trace.moved, moved)
            if t in trace.checkpoints:
                gap = np.sum(L * (clean - noise.correct_confusion(Gamma)))
                trace.note(t, psi(clean), float(gap))
                if abs(gap) <= self.tol:
                    steps = t
                    break
        clean, moved = project_to_joint(noise.correct_confusion(C))
        mixture = Mixture(losses[:steps], weights(steps))
        mixture = mixture.merged() if confusions is None else mixture.compressed(confusions[:steps])
        self.n_iter_ = steps
        self.confusion_ = C
        self.diagnostics_ = {
            "iterations": steps,
            "components": len(mixture.weights),
            "objective": psi(clean),
            "projected_mass": max(trace.moved, moved),
            "path": trace.path,
            "no_frequency": absent,
            "never_predicted": np.flatnonzero(C.sum(axis=0) == 0).tolist(),
        }
        self._notice_lost_classes()
        if self.tol > 0:
            self.diagnostics_["model_gap"] = model_gap(psi, posterior, mixture)
        return mixture

    def _notice_lost_classes(self) -> None:
        for key, said in _LOST.items():
            for k in self.diagnostics_[key]:
                name = self.classes_[k] if hasattr(self, "classes_") else k
                notice_once(f"Frank-Wolfe: class {name} {said}; algo=soft_fw keeps rare classes")


class FrankWolfe(NoiseCorrectedFrankWolfe):
    """FW: Frank-Wolfe without noise correction (T = I)."""

    uses_noise_matrix = False


def _without_frequency(noise: NoiseMatrix, y: Labels) -> list[int]:
    """Return the classes whose frequency, ``(T^-1 p~)_i``, is not above 0.

    Their corrected recall stays 0 even if every example is called i, so the gradient puts all
    weight on i. Exactly 0 is a class that neither labels nor T know.
    """
    noisy = np.bincount(y, minlength=noise.n) / len(y)
    clean = noise.correct_posterior(noisy[None])[0]
    return np.flatnonzero((clean <= 0) & (noisy > 0)).tolist()


def weights(steps: int) -> Array:
    """Return the weights of g^1, ..., g^s in h^s after s steps.

    With sizes ``a_t = 2 / (t + 1)``, ``w_t = a_t * prod_{u > t} (1 - a_u) = 2 t / (s (s + 1))``;
    a_1 = 1 removes h^0.

    Examples
    --------
    >>> weights(3)
    array([0.16666667, 0.33333333, 0.5       ])
    """
    return np.asarray(np.arange(1, steps + 1) * (2 / (steps * (steps + 1))), dtype=np.float64)


class Trace:
    """Objective and gap at about 60 steps, denser at the start, for the record.

    The gap is ``<L^t, C^(t-1) - Gamma^t>``, both noise corrected. It is measured on the sample, but
    the argmin rule minimizes the linearized loss under the estimated posterior. So the gap can be
    negative and is not a bound; ``model_gap`` is.
    """

    def __init__(self, steps: int) -> None:
        self.checkpoints = frozenset(np.geomspace(1, steps, 60).astype(int).tolist()) | {steps}
        self.path: dict[str, list[float]] = {"step": [], "objective": [], "gap": []}
        self.moved = 0.0

    def note(self, step: int, objective: float, gap: float) -> None:
        """Add a checkpoint."""
        for key, value in zip(self.path, (step, objective, gap), strict=True):
            self.path[key].append(value)


def model_gap(psi: Measure, posterior: Array, mixture: Mixture) -> float | None:
    """Return the duality gap of psi under the model, which is a certificate.

    If the corrected posterior p were the truth, a classifier h would have the confusion matrix
    ``S[i, j] = mean_x p_i(x) h_j(x)``. The argmin rule minimizes ``<L, S>`` exactly. So for convex
    psi, the gap ``<L, S> - min_h <L, S[h]>`` at ``L = grad psi(S)`` is nonnegative and bounds the
    distance of psi(S) from the smallest psi of any classifier under the model. It stays large if
    the model does not fit the sample, whatever the number of steps.

    Parameters
    ----------
    psi : Measure
    posterior : array of shape (m, n)
        Corrected posteriors p of the sample.
    mixture : Mixture
        The classifier h.

    Returns
    -------
    float or None
        None if S has recalls that no confusion matrix has, because ``T^-1 eta~`` is too inaccurate.
    """
    S = posterior.T @ mixture.distribution(posterior) / len(posterior)
    if np.diagonal(S).min() <= 0 or S.sum(axis=1).min() <= 0:
        return None
    L = psi.gradient(S)
    return float(np.sum(L * S) - np.mean((posterior @ L).min(axis=1)))
