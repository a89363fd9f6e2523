"""Compare the gains that ``ncbench diagnose`` estimates from noisy labels with the true ones.

Usage: python benchmarks/diagnosis_gains.py   (3 minutes; docs/doubtful_labels.md has the result)

With the true T besides, for Micro F1: the losses, and the examples that are sent to the background
though another class is likeliest, with its probability and how often it is right.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_classification
from threadpoolctl import threadpool_limits

from ncbench import NoiseMatrix
from ncbench.core import expected_confusion
from ncbench.learning import posterior, stratified_folds
from ncbench.own_labels import DEFAULT_T_ESTIMATOR, OwnData, diagnosis, estimate_own_noise
from ncbench.plugin import get_registry


def problems() -> Iterator[tuple[str, Any, Any, float]]:
    X, y = load_digits(return_X_y=True)
    sizes = [178, 150, 120, 90, 70, 60, 50, 40, 40, 40]
    rows = np.concatenate([np.flatnonzero(y == k)[:m] for k, m in enumerate(sizes)])
    yield "imbalanced digits, 30% wrong", X[rows], y[rows], 0.3
    shape = {"n_informative": 10, "n_classes": 5, "n_clusters_per_class": 1, "class_sep": 1.5}
    weights = [0.4, 0.3, 0.15, 0.1, 0.05]
    X, y = make_classification(20_000, 20, weights=weights, random_state=0, **shape)
    yield "4,000 rows of five Gaussian classes, 25% wrong", X[:4000], y[:4000], 0.25


def main() -> None:
    build = get_registry().build
    predicted: list[Any] = []
    out_of_fold = diagnosis._out_of_fold

    def kept(*arguments: Any) -> Any:
        predicted.append(out_of_fold(*arguments))
        return predicted[-1]

    diagnosis._out_of_fold = kept
    rng = np.random.default_rng(1)
    for title, X, y, share in problems():
        print(title)
        n = int(y.max()) + 1
        wrong = rng.random(len(y)) < share
        noisy = np.where(wrong, (y + rng.integers(1, n, len(y))) % n, y)
        data = OwnData(title, X, noisy, tuple(map(str, range(n))))
        learner = build("cpe", "logistic", random_state=0)
        estimator = build("t_estimator", DEFAULT_T_ESTIMATOR)
        noise = estimate_own_noise(data, estimator, learner, name=DEFAULT_T_ESTIMATOR)
        predicted.clear()
        for k, gain in enumerate(diagnosis.correction_gains(data, noise)):
            psi = build("measure", gain.plain.measure).for_classes(data.classes)
            corrected, plain = (psi(expected_confusion(y, P)) for P in predicted[2 * k : 2 * k + 2])
            print(
                f"{gain.plain.measure:10} estimated {gain.difference:+.3f} "
                f"[{gain.low:+.3f}, {gain.high:+.3f}], true {plain - corrected:+.3f}"
            )


def micro_f1_with_the_true_noise(draws: int = 3) -> None:
    build = get_registry().build
    for title, X, y, share in problems():
        print(f"{title}, true T")
        n = int(y.max()) + 1
        noise = NoiseMatrix(
            np.where(np.eye(n, dtype=bool), 1 - share, share / (n - 1)),
        )
        psi = build("measure", "micro_f1").for_classes([str(k) for k in range(n)])
        for name, T in (("corrected", noise), ("plain", NoiseMatrix.identity(n))):
            losses, sent, right, likeliest = [], [], [], []
            for seed in range(draws):
                noisy = noise.draw_labels(y.astype(np.int64), np.random.default_rng([seed, 7]))
                for train, test in stratified_folds(noisy, n, 3, seed):
                    model = build("algo", "ncbs", measure=psi, random_state=0)
                    model.fit(X[train], noisy[train], noise_matrix=T)
                    p = T.correct_posterior(posterior(model.cpe_, X[test], n))
                    found = model.predict(X[test])
                    losses.append(psi(expected_confusion(y[test], np.eye(n)[found])))
                    away = (found == 0) & (p.argmax(axis=1) != 0)
                    sent.append(away.mean())
                    right += list((p.argmax(axis=1) == y[test])[away])
                    likeliest += list(p.max(axis=1)[away])
            print(
                f"  {name}: loss {np.mean(losses):.3f}; to the background {np.mean(sent):.1%}, "
                f"likeliest class {np.mean(likeliest):.2f}, right {np.mean(right):.2f}"
            )


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
        micro_f1_with_the_true_noise()
