"""The two levels of the ``stacked`` CPE learner, and what limits NCFW with only the first.

    python benchmarks/stacking.py --data-dir DIR [--seeds 3,4] [--splits 3]

Uses the paper's four small data sets, new noise drawn by its process, and other splits than the
paper's. For each data set and measure, prints the test loss of NCFW (1000 steps) or NCBS with the
first level, which is ``logistic``, and the difference of each variant from it, averaged over sigma
0.1 to 0.4, seeds and splits, with the standard error over sigmas and seeds.

second           only the second level, 5 folds
average_2, 5, 10 the average of both levels, by number of folds; 5 is the default
clean confusion  the first level with confusion matrices of the clean training labels, which no
                 algorithm has: what NCFW and NCBS could gain from better confusion matrices
"""

from __future__ import annotations

import warnings

from drawn_anew import compared, losses, parser, splits
from sklearn.exceptions import ConvergenceWarning

from ncbench.learning import posterior
from ncbench.plugin import get_registry


def variants(data, noisy, train, test):
    """Yield the name of each variant, and its noisy probabilities of training and test part."""
    registry, n = get_registry(), noisy.noise_matrix.n
    for folds in (2, 5, 10):
        model = registry.build("cpe", "stacked", folds=folds).fit(data.X[train], noisy.y[train])
        first = [posterior(model.first_, data.X[part], n) for part in (train, test)]
        both = [posterior(model, data.X[part], n) for part in (train, test)]
        if folds == 5:
            yield "first", first
            yield "second", [2 * b - f for b, f in zip(both, first, strict=True)]
        yield f"average_{folds}", both


def main() -> None:
    args = parser(__doc__, usual_seeds="3,4").parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    rows = []
    for split, sample in splits(args):
        for variant, etas in variants(*sample):
            rows += [(*split, variant, *found) for found in losses(*sample, *etas)]
            if variant == "first":
                found = losses(*sample, *etas, clean=True)
                rows += [(*split, "clean confusion", *one) for one in found]
    print(compared(rows, "first").to_string())


if __name__ == "__main__":
    main()
