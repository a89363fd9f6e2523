"""The effect of details that Algorithm 1 leaves open or that the published code does differently.

Runs NCFW with one switch at a time, on the paper's data, noise and splits. Prints the test loss
with the switch minus the test loss without it, averaged over sigma 0.1 to 0.4 and the splits, and
the standard error of that difference over sigmas and splits.

    python benchmarks/protocol.py --data-dir DIR

Switches:

h0=argmax       the first confusion matrix is that of predicting the most probable class, not of
                predicting every class with probability 1/n
priors=noisy    gradients divide by the noisy class frequencies, as the published code does, instead
                of those of the corrected confusion matrix
features=raw    features are not standardized
projection=none the corrected confusion matrix is not projected to the simplex; recalls below 1e-6
                are set to 1e-6, so that the gradient exists
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

from ncbench.core import (
    ConfusionPath,
    Mixture,
    expected_confusion,
    project_to_joint,
)
from ncbench.learning import posterior
from ncbench.plugin import get_registry

SWITCHES = ["h0=argmax", "priors=noisy", "projection=none", "features=raw"]


def frank_wolfe(psi, eta, y, noise, steps, switch):
    """Return the mixture of Algorithm 1, with a switch."""
    n = noise.n
    confusion = ConfusionPath(eta, y, n)
    C = np.repeat(np.bincount(y, minlength=n)[:, None] / (len(y) * n), n, axis=1)
    if switch == "h0=argmax":
        C = confusion_matrix(y, eta.argmax(axis=1), labels=range(n), normalize="all")
    noisy_prior = np.bincount(y, minlength=n) / len(y)
    losses = np.empty((steps, n, n))
    for t in range(1, steps + 1):
        clean = noise.correct_confusion(C)
        if switch != "projection=none":
            clean = project_to_joint(clean).confusion
        prior = noisy_prior if switch == "priors=noisy" else clean.sum(axis=1)
        prior = np.maximum(prior, 1e-6)
        recall = np.diagonal(clean) / prior
        if switch in ("projection=none", "priors=noisy"):
            recall = np.clip(recall, 1e-6, 1.0)
        # A constant added to a row of L does not change the argmin, so the diagonal is enough.
        losses[t - 1] = np.diag(psi.slope(recall) / prior)
        step = 2 / (t + 1)
        C = (1 - step) * C + step * confusion(losses[t - 1])
    w = np.arange(1, steps + 1) * (2 / (steps * (steps + 1)))
    return Mixture(losses, w).merged()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--datasets", default="vehicle,pageblocks,satimage,abalone")
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    registry = get_registry()
    rows = []
    for name in args.datasets.split(","):
        data = registry.build("dataset", name, data_dir=args.data_dir)
        for sigma, noisy in sorted(data.recorded_noise.items()):
            for split in range(args.splits):
                train, test = train_test_split(
                    np.arange(len(data.y)), test_size=0.3, random_state=split
                )
                X, y, noise = data.X[train], noisy.y[train], noisy.noise_matrix
                standardised = registry.build("cpe", "logistic").fit(X, y)
                # Only the last step of the pipeline: the same model without standardized features.
                raw = registry.build("cpe", "logistic").steps[-1][1].fit(X, y)
                etas = {}
                for features, cpe in (("standardised", standardised), ("raw", raw)):
                    pair = (posterior(cpe, part, noise.n) for part in (X, data.X[test]))
                    etas[features] = [noise.correct_posterior(P) for P in pair]
                for measure in ("h_mean", "q_mean", "g_mean"):
                    psi = registry.build("measure", measure)
                    for switch in ["", *SWITCHES]:
                        eta, eta_test = etas["raw" if switch == "features=raw" else "standardised"]
                        mixture = frank_wolfe(psi, eta, y, noise, args.steps, switch)
                        C = expected_confusion(data.y[test], mixture.distribution(eta_test))
                        rows.append((name, measure, sigma, split, switch, psi(C)))
                print(f"{name} sigma={sigma:g} split {split}", flush=True)
    frame = pd.DataFrame(rows, columns=["dataset", "measure", "sigma", "split", "switch", "loss"])
    wide = frame.pivot_table(
        index=["dataset", "measure", "sigma", "split"], columns="switch", values="loss"
    )
    difference = wide[SWITCHES].sub(wide[""], axis=0).groupby(["dataset", "measure"])
    text = difference.mean().map("{:+.4f}".format) + difference.sem().map(" ({:.4f})".format)
    print(text.to_string())


if __name__ == "__main__":
    main()
