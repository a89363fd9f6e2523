"""What ``sample_split=crossfit`` predicts with: a last fit, or the average of its fold learners.

    python benchmarks/crossfit.py --data-dir DIR [--seeds 5,6] [--splits 2]

Uses the paper's four small data sets, new noise drawn by its process, and other splits than the
paper's. Confusion matrices are estimated on out-of-fold probabilities. A learner fitted to all
examples then predicts, which is what crossfit does. The average of the five fold learners would
save that fit. For each data set and measure, prints the test loss of NCFW (1000 steps) or NCBS with
the last fit, and the difference of the others from it, averaged over sigma 0.1 to 0.4, seeds and
splits, with the standard error over sigmas and seeds.

average   the five fold learners predict, and their mean is taken
none      ``sample_split=none``: the last fit, for confusion matrices too
"""

from __future__ import annotations

import warnings

import numpy as np
from drawn_anew import compared, losses, parser, splits
from sklearn.exceptions import ConvergenceWarning

from ncbench.learning import deal_folds, fit_cpe, posterior
from ncbench.plugin import get_registry


def variants(data, noisy, train, test, seed):
    """Yield the name of each variant, and its noisy probabilities of training and test part."""
    learner, n = get_registry().build("cpe", "logistic", random_state=seed), noisy.noise_matrix.n
    X, y = data.X[train], noisy.y[train]
    fold = deal_folds(y, 5, np.random.default_rng(seed).permutation(len(y)))
    out_of_fold, of_folds = np.empty((len(y), n)), []
    for k in range(5):
        fitted = fit_cpe(learner, X[fold != k], y[fold != k], None)
        out_of_fold[fold == k] = posterior(fitted, X[fold == k], n)
        of_folds.append(posterior(fitted, data.X[test], n))
    last = fit_cpe(learner, X, y, None)
    last_test = posterior(last, data.X[test], n)
    yield "last fit", (out_of_fold, last_test)
    yield "average", (out_of_fold, np.mean(of_folds, axis=0))
    yield "none", (posterior(last, X, n), last_test)


def main() -> None:
    args = parser(__doc__, usual_seeds="5,6").parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    rows = []
    for split, sample in splits(args):
        for variant, etas in variants(*sample, split[2]):
            rows += [(*split, variant, *found) for found in losses(*sample, *etas)]
    print(compared(rows, "last fit").to_string())


if __name__ == "__main__":
    main()
