"""CPE learners compared on noise that nothing was chosen on.

    python benchmarks/fresh_noise.py --data-dir DIR [--seeds 1,2] [--learners forward]

The paper's four small data sets, noise drawn anew by its process, splits other than the paper's.
For each data set and measure: the test loss of NCFW (1000 steps) or NCBS with ``logistic``, and
for each other learner its loss minus that, averaged over sigma 0.1 to 0.4, seeds and splits, with
the standard error over sigmas and seeds. Corrected posteriors are computed once for each learner
and split (``sample_split=none``).
"""

from __future__ import annotations

import warnings

import pandas as pd
from drawn_anew import parser, splits
from sklearn.exceptions import ConvergenceWarning

from ncbench.confusion import expected_confusion
from ncbench.cpe import fit_cpe, posterior
from ncbench.registry import get_registry

MEASURES = ("h_mean", "q_mean", "g_mean", "micro_f1")
SPLIT = ["dataset", "sigma", "seed", "trial"]


def losses(data, noisy, train, test, learner):
    """Yield the test loss of each measure, with one learner on one split."""
    registry = get_registry()
    X, y, noise = data.X[train], noisy.y[train], noisy.noise_matrix
    cpe = fit_cpe(registry.build("cpe", learner, random_state=0), X, y, noise)
    eta, eta_test = (
        noise.correct_posterior(posterior(cpe, part, noise.n)) for part in (X, data.X[test])
    )
    for measure in MEASURES:
        psi = registry.build("measure", measure)
        if psi.family == "ratio_of_linear":
            algorithm = registry.build("algo", "ncbs", measure=psi)
        else:
            algorithm = registry.build("algo", "ncfw", measure=psi, max_iter=1000)
        predicted = algorithm._mix(eta, y, noise).distribution(eta_test)
        yield measure, psi(expected_confusion(data.y[test], predicted))


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
        for measure, loss in losses(*sample, learner)
    ]
    frame = pd.DataFrame(rows, columns=[*SPLIT, "learner", "measure", "loss"])
    keys = ["dataset", "measure", "sigma", "seed"]
    cells = frame.pivot_table(index=keys, columns="learner", values="loss")
    table = cells[["logistic"]].groupby(["dataset", "measure"]).mean().round(3)
    for learner in learners[1:]:
        found = (cells[learner] - cells["logistic"]).groupby(["dataset", "measure"])
        table[learner] = [
            f"{mean:+.3f} ({sem:.3f})" for mean, sem in zip(found.mean(), found.sem(), strict=True)
        ]
    print(table.to_string())


if __name__ == "__main__":
    main()
