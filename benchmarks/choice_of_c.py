"""Scores that could choose C of the logistic CPE learner, compared on new noise.

    python benchmarks/choice_of_c.py --data-dir DIR [--seeds 1] [--splits 5]

Uses the paper's four small data sets, new noise drawn by its process, and other splits than the
paper's, with 10 values of C and 2 folds. For each score, prints the test loss of NCFW (G-mean, 1000
steps) and of NCBS (Micro F1) with the C that the score chooses, averaged over sigma 0.1 to 0.4,
seeds and splits.

accuracy            on held-out noisy labels: the paper's score, and the default
log_loss            on held-out noisy labels
corrected_accuracy  trace of T^-1 C~, for the most probable class under T^-1 eta~
corrected_brier     squared error of p = T^-1 eta~ from the clean label: |p|^2 - 2 p_y is linear in
                    the label's indicator, whose unbiased estimate is the noisy label's column of
                    T^-1
best                the C with the smallest test loss, which is not known in practice
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from drawn_anew import losses, parser, splits
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from ncbench.learning import posterior

GRID = np.logspace(-4, 4, 10)
MEASURES = ("g_mean", "micro_f1")


def path(X, y):
    """Yield the model for each C, with warm starts."""
    model = LogisticRegression(solver="newton-cg", tol=1e-3, max_iter=200, warm_start=True)
    for C in GRID:
        yield model.set_params(C=C).fit(X, y)


def scores(eta, y, noise):
    """Return each score of held-out noisy probabilities; higher is better."""
    p = noise.correct_posterior(eta)
    C = noise.correct_confusion(
        confusion_matrix(y, p.argmax(axis=1), labels=range(noise.n), normalize="all")
    )
    estimate = noise.correct_posterior(np.eye(noise.n)[y])
    return {
        "accuracy": np.mean(eta.argmax(axis=1) == y),
        "log_loss": np.log(np.maximum(eta[np.arange(len(y)), y], 1e-12)).mean(),
        "corrected_accuracy": np.trace(C),
        "corrected_brier": np.mean(np.sum(2 * p * estimate - p**2, axis=1)),
    }


def trial(data, noisy, train, test):
    """Yield the measure, the score and the test loss of one split."""
    noise = noisy.noise_matrix
    scaler = StandardScaler().fit(data.X[train])
    X, y, X_test = scaler.transform(data.X[train]), noisy.y[train], scaler.transform(data.X[test])
    held_out = np.zeros((len(GRID), len(y), noise.n))
    for one, other in StratifiedKFold(2).split(X, y):
        for k, model in enumerate(path(X[one], y[one])):
            held_out[k, other] = posterior(model, X[other], noise.n)
    found = pd.DataFrame([scores(eta, y, noise) for eta in held_out])
    by_measure = {measure: [] for measure in MEASURES}
    for model in path(X, y):
        etas = (posterior(model, part, noise.n) for part in (X, X_test))
        for measure, loss in losses(data, noisy, train, test, *etas, measures=MEASURES):
            by_measure[measure].append(loss)
    for measure, loss in by_measure.items():
        for score in found:
            yield measure, score, loss[found[score].argmax()]
        yield measure, "best", min(loss)


def main() -> None:
    args = parser(__doc__, usual_seeds="1").parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.filterwarnings("ignore", message="The least populated class")
    rows = [(split[0], *found) for split, sample in splits(args) for found in trial(*sample)]
    frame = pd.DataFrame(rows, columns=["dataset", "measure", "score", "loss"])
    table = frame.pivot_table(index=["measure", "dataset"], columns="score", values="loss")
    print(table.round(4).to_string())


if __name__ == "__main__":
    main()
