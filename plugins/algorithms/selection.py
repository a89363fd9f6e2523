"""Choose the CPE learner by noise-corrected cross-validation, without clean labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ncbench import NoiseMatrix, NoisyLabelClassifier, load
from ncbench.core import Measure, expected_confusion, project_to_joint
from ncbench.errors import require
from ncbench.learning import algorithm_for, cpe_learner, resolve_measure, stratified_folds
from ncbench.types import Array, Labels

LINEAR = ("logistic", "power_logistic", "forward", "power_forward")


class NoiseCorrectedSelection(NoisyLabelClassifier):
    """NCFW or NCBS with the CPE learner that does best on held-out noisy labels.

    Each candidate is cross-validated: the algorithm is fitted to the noisy labels of the other
    folds, and the confusion matrix C~ of its predictions with the held-out *noisy* labels is
    corrected as in Algorithms 1 and 2. The candidate with the smallest ``psi(T^-1 C~)`` is fitted
    to the whole sample. Clean labels are not used.

    Parameters
    ----------
    measure : str or Measure
        The loss to minimize: NCBS for ratios of linear functions, NCFW for others.
    cpe : scikit-learn classifier, optional
        Not a candidate. If it shares its fits with other cells, so do the candidates.
    candidates : list of str, optional
        Names of registered CPE learners; by default the four linear ones: ``logistic``,
        ``power_logistic``, ``forward``, ``power_forward``. Ties go to the first.
    folds : int
        Folds of the cross-validation.
    search_iter : int
        Frank-Wolfe steps while candidates are compared.
    max_iter : int
        Frank-Wolfe steps of the final fit.
    random_state : int, optional
        Seed of the folds and the CPE learners.

    Attributes
    ----------
    algorithm_ : classifier
        The fitted NCFW or NCBS.
    diagnostics_ : dict
        Its diagnostics, the chosen CPE learner, and the corrected loss of each candidate.
    """

    measure_families = frozenset({"monotonic_convex", "linear", "ratio_of_linear"})
    randomized = True

    def __init__(
        self,
        measure: Any = "h_mean",
        cpe: Any = None,
        candidates: list[str] | None = None,
        folds: int = 3,
        search_iter: int = 300,
        max_iter: int = 5000,
        random_state: int | None = None,
    ) -> None:
        self.measure = measure
        self.cpe = cpe
        self.candidates = candidates
        self.folds = folds
        self.search_iter = search_iter
        self.max_iter = max_iter
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise NcbenchError if a candidate is unknown or a number is invalid."""
        require(len(self._names()) > 0, "candidates", self._names(), "at least one CPE learner")
        for name in self._names():
            load("cpe", name)
        require(self.folds >= 2, "folds", self.folds, "at least 2")
        for name in ("search_iter", "max_iter"):
            steps = getattr(self, name)
            require(1 <= steps <= 10**7, name, steps, "1 to 10000000 steps")

    def _names(self) -> list[str]:
        return list(LINEAR if self.candidates is None else self.candidates)

    def _fit(self, X: Array, y: Labels, noise: NoiseMatrix) -> None:
        psi = resolve_measure(self.measure, self)
        names = self._names()
        folds = stratified_folds(y, noise.n, self.folds, self.random_state)
        validated = {}
        for name in names:
            C = np.zeros((noise.n, noise.n))
            for train, held_out in folds:
                algorithm = self._algorithm(psi, name, self.search_iter)
                algorithm._fit(X[train], y[train], noise)
                predicted = algorithm._predict_proba(X[held_out])
                C += expected_confusion(y[held_out], predicted) * len(held_out) / len(y)
            validated[name] = psi(project_to_joint(noise.correct_confusion(C)).confusion)
        best = min(names, key=validated.__getitem__)
        self.algorithm_ = self._algorithm(psi, best, self.max_iter)
        self.algorithm_._fit(X, y, noise)
        self.n_iter_ = self.algorithm_.n_iter_
        self.diagnostics_ = {
            **self.algorithm_.diagnostics_,
            "cpe": best,
            "validated": validated,
        }

    def _predict_proba(self, X: Array) -> Array:
        return np.asarray(self.algorithm_._predict_proba(X))

    def _algorithm(self, psi: Measure, cpe: str, max_iter: int) -> Any:
        shared = {
            "measure": psi,
            "cpe": cpe_learner(cpe, self.random_state, like=self.cpe),
            "sample_split": "none",
            "random_state": self.random_state,
        }
        name = algorithm_for(psi)
        return load("algo", name)(**shared, **({"max_iter": max_iter} if name == "ncfw" else {}))
