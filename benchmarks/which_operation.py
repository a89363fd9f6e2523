"""Which operation causes the regret, OP1 or OP2.

Makes each operation exact in turn. OP1 is exact if the CPE learner is the true eta~; OP2 is almost
exact if confusion matrices are estimated on 200,000 noisy examples. The remaining regret comes from
the other operation. A second table shows the regret that remains when the learner, a linear softmax
model, is fitted to the whole distribution: eta~ = T eta is not a linear softmax model.

    python benchmarks/which_operation.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from ncbench import NoiseMatrix
from ncbench.plugin import get_registry
from ncbench.theory import Population, bayes_optimal

TRIALS = 5
MANY = 200_000
REGISTRY = get_registry()


class TrueNoisyPosterior(ClassifierMixin, BaseEstimator):
    """A learner that returns the true eta~ = T eta."""

    def __init__(self, eta: Any, noise: NoiseMatrix) -> None:
        self.eta = eta
        self.noise = noise

    def fit(self, X: Any, y: Any) -> TrueNoisyPosterior:
        self.classes_ = np.arange(self.noise.n)
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.noise.corrupt_posterior(self.eta(X))


def symmetric(sigma: float) -> NoiseMatrix:
    return NoiseMatrix((1 - 1.5 * sigma) * np.eye(3) + np.full((3, 3), sigma / 2))


def left_over(algo: str, measure: str, cpe: Any, data: Any, X: Any, y: Any, noise: Any) -> float:
    """Return the regret of an algorithm with a learner and a sample for confusion matrices."""
    psi = REGISTRY.build("measure", measure)
    options = {"max_iter": 1000, "compress": True} if algo == "ncfw" else {}
    algorithm = REGISTRY.build(
        "algo", algo, measure=psi, cpe=cpe, sample_split="none", random_state=0, **options
    ).fit(X, y, noise_matrix=noise)
    population = Population.of(data)
    C = np.array(population.terms(algorithm, noise)["confusion"])
    return psi(C) - bayes_optimal(psi, population.posterior).value


def regrets(algo: str, measure: str, m: int, sigma: float, trial: int) -> list[float]:
    rng = np.random.default_rng([m, round(100 * sigma), trial])
    data = REGISTRY.build("dataset", "synthetic", rng=rng, train=m, test=MANY)
    noise = symmetric(sigma)
    X, y = data.X, noise.draw_labels(data.y, rng)
    first, second, many = slice(0, m // 2), slice(m // 2, m), slice(m, m + MANY)
    logistic = REGISTRY.build("cpe", "logistic", score="log_loss", random_state=0)
    learned = FrozenEstimator(logistic.fit(X[first], y[first]))
    true = TrueNoisyPosterior(data.true_posterior, noise)
    return [
        left_over(algo, measure, cpe, data, X[sample], y[sample], noise)
        for cpe, sample in ((learned, second), (learned, many), (true, second))
    ]


def with_the_whole_distribution(sigma: float) -> list[float]:
    """Return the CPE error and the regrets of a learner fitted to the whole distribution."""
    rng = np.random.default_rng(round(100 * sigma))
    data = REGISTRY.build("dataset", "synthetic", rng=rng, train=1, test=MANY)
    noise, population = symmetric(sigma), Population.of(data)
    noisy = noise.corrupt_posterior(population.posterior)
    # Every point once with each label, weighted by its probability.
    labels = np.repeat(np.arange(3), len(noisy))
    logistic = LogisticRegression(C=1e9, tol=1e-8, max_iter=1000)
    logistic.fit(np.tile(population.X, (3, 1)), labels, sample_weight=noisy.T.ravel())
    error = np.abs(logistic.predict_proba(population.X) - noisy).sum(axis=1).mean()
    y = noise.draw_labels(data.y, rng)
    learned = FrozenEstimator(logistic)
    return [
        float(error),
        left_over("ncbs", "micro_f1", learned, data, data.X, y, noise),
        left_over("ncfw", "q_mean", learned, data, data.X, y, noise),
    ]


def main() -> None:
    print("| sigma | CPE error | regret, micro_f1 | regret, q_mean |")
    print("|---|---|---|---|")
    for sigma in (0.0, 0.1, 0.2, 0.3, 0.4, 0.6):
        row = " | ".join(f"{value:.4f}" for value in with_the_whole_distribution(sigma))
        print(f"| {sigma} | {row} |", flush=True)
    print()
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
