"""CPE learners compared on new noise.

    python benchmarks/fresh_noise.py --data-dir DIR [--seeds 1,2] [--learners forward]

Uses the paper's four small data sets, new noise drawn by its process, and other splits than the
paper's. For each data set and measure, prints the test loss of NCFW (1000 steps) or NCBS with
``logistic``, and the difference of each other learner from it, averaged over sigma 0.1 to 0.4,
seeds and splits, with the standard error over sigmas and seeds. Corrected posteriors are computed
once for each learner and split (``sample_split=none``).
"""

from __future__ import annotations

import warnings

from drawn_anew import compared, losses, parser, splits
from sklearn.exceptions import ConvergenceWarning

from ncbench.learning import fit_cpe, posterior
from ncbench.plugin import get_registry


def probabilities(data, noisy, train, test, learner):
    """Return noisy probabilities of the training part and of the test part."""
    noise = noisy.noise_matrix
    cpe = get_registry().build("cpe", learner, random_state=0)
    cpe = fit_cpe(cpe, data.X[train], noisy.y[train], noise)
    return [posterior(cpe, data.X[part], noise.n) for part in (train, test)]


def main() -> None:
    options = parser(__doc__, usual_seeds="1,2")
    options.add_argument("--learners", default="forward,power_logistic")
    args = options.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    learners = ["logistic", *args.learners.split(",")]
    rows = [
        (*split, learner, measure, loss)
        for split, sample in splits(args)
        for learner in learners
        for measure, loss in losses(*sample, *probabilities(*sample, learner))
    ]
    print(compared(rows, "logistic").to_string())


if __name__ == "__main__":
    main()
