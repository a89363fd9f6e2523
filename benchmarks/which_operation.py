"""Which operation costs the regret: OP1, OP2, or both?

Each operation is made exact in turn. OP1 is exact if the learner of class probabilities is the
true eta~; OP2 is (almost) exact if confusion matrices are estimated on 400,000 noisy examples.
What regret is left belongs to the other one.

    python benchmarks/which_operation.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator

from ncbench import NoiseMatrix
from ncbench.registry import get_registry
from ncbench.theory.bayes import bayes_optimal
from ncbench.theory.terms import Population

TRIALS = 10
MANY = 400_000
REGISTRY = get_registry()


class TrueNoisyPosterior(ClassifierMixin, BaseEstimator):
    """Knows eta~ = T eta without learning it."""

    def __init__(self, eta: Any, noise: NoiseMatrix) -> None:
        self.eta = eta
        self.noise = noise

    def fit(self, X: Any, y: Any) -> TrueNoisyPosterior:
        self.classes_ = np.arange(self.noise.n)
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.noise.corrupt_posterior(self.eta(X))


def regrets(algo: str, measure: str, m: int, sigma: float, trial: int) -> list[float]:
    rng = np.random.default_rng([m, round(100 * sigma), trial])
    data = REGISTRY.build("dataset", "synthetic", rng=rng, train=m, test=MANY)
    noise = NoiseMatrix((1 - 1.5 * sigma) * np.eye(3) + np.full((3, 3), sigma / 2))
    noisy = noise.draw_labels(data.y, rng)
    first, second, many = slice(0, m // 2), slice(m // 2, m), slice(m, m + MANY)
    logistic = REGISTRY.build("cpe", "logistic", score="log_loss", random_state=0)
    learned = FrozenEstimator(logistic.fit(data.X[first], noisy[first]))
    true = TrueNoisyPosterior(data.true_posterior, noise)
    psi = REGISTRY.build("measure", measure)
    population = Population.of(data)
    optimum = bayes_optimal(psi, population.posterior).value
    left = []
    for cpe, sample in ((learned, second), (learned, many), (true, second)):
        options = {"max_iter": 1000, "compress": True} if algo == "ncfw" else {}
        algorithm = REGISTRY.build(
            "algo", algo, measure=psi, cpe=cpe, sample_split="none", random_state=0, **options
        ).fit(data.X[sample], noisy[sample], noise_matrix=noise)
        C = np.array(population.terms(algorithm, noise)["confusion"])
        left.append(psi(C) - optimum)
    return left


def main() -> None:
    print("| measure | sigma | m | regret | OP2 exact | OP1 exact |")
    print("|---|---|---|---|---|---|")
    for algo, measure in (("ncbs", "micro_f1"), ("ncfw", "q_mean")):
        for sigma in (0.1, 0.4, 0.6):
            for m in (1_000, 10_000, 100_000):
                runs = [regrets(algo, measure, m, sigma, trial) for trial in range(TRIALS)]
                means = " | ".join(f"{mean:.4f}" for mean in np.mean(runs, axis=0))
                print(f"| {measure} | {sigma} | {m} | {means} |", flush=True)


if __name__ == "__main__":
    main()
