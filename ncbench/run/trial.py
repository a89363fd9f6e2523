"""Prepare a cell and run its trials, stage by stage.

``prepare``, once for all trials: config -> data set -> noise (T, noisy labels).
``run_trial``: split -> T estimate -> algorithm (with its CPE learner) -> confusion matrix on the
test part -> measures. If the test part has no clean labels, the confusion matrix is corrected.
``ncbench.run.cell`` then writes a record of the trials.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray

from ncbench.core import Measure, NoiseMatrix, expected_confusion, stream
from ncbench.data import UNKNOWN, Dataset, positions, read_only
from ncbench.errors import NcbenchError, NotApplicable, counted, notice_once
from ncbench.learning import NoisyLabelClassifier, prediction, require_family
from ncbench.noise_estimation import CleanLabels, NoisySample, diagnostics
from ncbench.plugin import get_registry, needs_of
from ncbench.run.cache import SharedCPE, code_of_plugin, digest, shared_estimate
from ncbench.run.problem import Cell, build, judge, load_dataset, make_noise, split
from ncbench.theory import Population
from ncbench.types import Array, Config

_GIVEN_TO_ALGORITHMS = frozenset({"clean_labels", "unlabeled"})


def check_fit(config: Config) -> Measure:
    """Return the measure if the algorithm can optimize it; raise NotApplicable if not."""
    measure: Measure = build(config, "measure")
    algo, name = config["algo"]["name"], config["measure"]["name"]
    target = get_registry().target("algo", algo)
    require_family(measure, target, f"measure={name}", f"algo={algo}")
    return measure


def prepare(config: Config) -> Cell:
    """Load the data, make the noise, and check everything that can be checked before a fit."""
    measure = check_fit(config)
    dataset = load_dataset(config)
    _refuse_class_name(config, measure, dataset)
    measure = measure.for_classes(dataset.classes)
    noisy = make_noise(config, dataset)
    _notice_single_examples(dataset)
    reported = _reported_measures(config, measure)
    _require_loss(config["measure"]["name"], measure, dataset.n_classes)
    # Build every plug-in now, so that bad parameters raise before anything is written.
    registry = get_registry()
    estimator = build(config, "t_estimator")
    cpe = build(config, "cpe", random_state=0)
    algorithm = registry.build("algo", **config["algo"], measure=measure, cpe=cpe, random_state=0)
    if isinstance(algorithm, NoisyLabelClassifier):
        try:
            algorithm.check_parameters()
        except NcbenchError as error:
            raise NcbenchError(f"algo={config['algo']['name']}: {error}") from error
    population = Population.of(dataset) if config["theory"] else None
    if config["theory"] and population is None:
        notice_once(
            f"theory=true: the distribution of {dataset.name} is not known, so no terms of the "
            "bounds are recorded"
        )
    cell = Cell(config, dataset, noisy, measure, reported, population)
    parts = [split(cell, trial) for trial in range(config["trials"])]
    for kind, plugin in (("t_estimator", estimator), ("algo", algorithm)):
        _require_needs(cell, kind, plugin, [train for train, _ in parts])
    return cell


def _refuse_class_name(config: Config, measure: Measure, dataset: Dataset) -> None:
    """Raise for the name of a class if the measure knows classes by their numbers only."""
    if type(measure).for_classes is not Measure.for_classes:
        return
    for key, value in config["measure"].items():
        if key != "name" and isinstance(value, str) and value in dataset.classes:
            raise NcbenchError(
                f"measure.{key}={value}: {config['measure']['name']} does not take names of "
                f"classes, because it has no for_classes; give {dataset.classes.index(value)}"
            )


def _notice_single_examples(dataset: Dataset) -> None:
    """Say which classes have one example, unless some labels are unknown."""
    counts = np.bincount(dataset.y[dataset.y != UNKNOWN], minlength=dataset.n_classes)
    single = [name for name, count in zip(dataset.classes, counts, strict=True) if count == 1]
    if single and (dataset.y != UNKNOWN).all():
        shown = ", ".join(single[:5]) + ", ..." * (len(single) > 5)
        what = counted(len(single), "class has", "classes have")
        notice_once(
            f"{dataset.name}: {what} a single example, which no trial can both train on and test: "
            f"{shown}"
        )


def _require_loss(name: str, psi: Measure, n: int) -> None:
    """Raise for a score: a perfect classifier must have the smaller loss.

    Raises also for a cost matrix of the wrong shape, or for an unknown background class.
    """
    guesses, perfect = _loss(psi, np.full((n, n), 1 / n**2)), _loss(psi, np.eye(n) / n)
    if perfect > guesses and psi.family != "linear":  # costs may be anything
        raise NcbenchError(
            f"measure={name}: {perfect:g} if every prediction is right, and {guesses:g} if all are "
            "guesses; a measure is a loss, lower is better: if this one is a score, return 1 - "
            "score"
        )


def _require_needs(cell: Cell, kind: str, plugin: Any, trains: Sequence[NDArray[np.intp]]) -> None:
    """Raise NotApplicable if the data does not have what a plug-in needs."""
    noisy, needs = cell.noisy, needs_of(plugin)
    who = f"{kind}={cell.config[kind]['name']} needs"
    if kind == "algo" and needs - _GIVEN_TO_ALGORITHMS:
        raise NcbenchError(
            f"{who} {', '.join(sorted(needs - _GIVEN_TO_ALGORITHMS))}, which only T estimators are "
            f"given; an algorithm may need {', '.join(sorted(_GIVEN_TO_ALGORITHMS))}"
        )
    if "noise_matrix" in needs and noisy.noise_matrix is None:
        raise NotApplicable(
            f"{who} the noise matrix, which nobody knows for noise={cell.config['noise']['name']}; "
            "t_estimator=identity corrects nothing, held_out_map estimates the matrix, dawid_skene "
            "does if examples have several labels"
        )
    for trial, train in enumerate(trains):
        if "clean_labels" in needs and (cell.dataset.y[noisy.of(train)[0]] == UNKNOWN).all():
            raise NotApplicable(
                f"{who} clean labels, but no training label of trial {trial} has one beside it; "
                "check more rows, or choose a smaller test_size if the test part has them all"
            )
        if "annotations" in needs and not (
            noisy.annotations and noisy.annotations.of(train).overlap
        ):
            raise NotApplicable(
                f"{who} several labels for an example, as noise=annotators and "
                f"noise=annotators_simulated have them; no training example of trial {trial} has "
                "more than one; held_out_map needs one"
            )


def run_trial(cell: Cell, trial: int) -> dict[str, Any]:
    """Run one trial and return its entry in the record."""
    config, dataset = cell.config, cell.dataset
    registry = get_registry()
    train, test = split(cell, trial)
    examples, y = cell.noisy.of(train)
    X, y = read_only(dataset.X[examples]), read_only(y)
    random_state = int(stream(config["seed"], "algorithm", trial).integers(2**31))
    clock = _Clock()

    cpe = _learner(config, random_state)
    estimator = build(config, "t_estimator")
    sample = NoisySample(
        X=X,
        y=y,
        n_classes=dataset.n_classes,
        cpe=cpe,
        rng=stream(config["seed"], "t_estimator", trial),
        noise_matrix=cell.noisy.noise_matrix,
        clean=_clean_labels(cell, examples, trial),
        classes=dataset.classes,
        rows=positions(examples, train),
        annotations=cell.noisy.annotations and cell.noisy.annotations.of(train),
        # Sorted, as by setdiff1d, which takes a second for half a million examples.
        unlabeled=read_only(dataset.X[np.sort(train[~np.isin(train, examples)])]),
    )
    given = sample.for_estimator(estimator)
    estimate = _estimate(config, estimator, given, trial)
    clock.lap("t_estimate")

    algorithm = registry.build(
        "algo", **config["algo"], measure=cell.measure, cpe=cpe, random_state=random_state
    )
    clean = _clean_labels(cell, examples, trial)
    more = {"clean_labels": clean, "unlabeled": sample.unlabeled}
    more = {need: more[need] for need in needs_of(algorithm)}
    algorithm.fit(X, y, noise_matrix=estimate, **more)
    clock.lap("fit")
    told = {"t_estimator": given.told}
    if more:
        counts = {"clean_labels": clean.handed_out, "unlabeled": len(train) - len(set(examples))}
        told["algo"] = {need: counts[need] for need in more}

    predicted = prediction(algorithm, read_only(dataset.X[test]), np.arange(dataset.n_classes))
    judged: dict[str, Any] = {}
    if (dataset.y[test] == UNKNOWN).any():
        held_out = judge(cell.noisy, sample, test, predicted)
        C = held_out.confusion
        judged["judged"] = held_out.as_json(cell.reported)
    else:
        C = expected_confusion(dataset.y[test], predicted)
    clock.lap("evaluate")
    theory = {}
    if config["theory"]:
        population = cell.population
        noise = cell.noisy.noise_matrix
        terms = population.terms(algorithm, noise) if population and noise else None
        theory["theory"] = terms
        clock.lap("theory")

    return {
        "trial": trial,
        "train_size": len(train),
        "test_size": len(test),
        **losses(cell, C),
        "confusion": C.tolist(),
        **judged,
        "told": told,
        "noise_matrix_estimate": estimate.matrix.tolist(),
        "noise_matrix_diagnostics": diagnostics(estimate, cell.noisy.noise_matrix),
        "diagnostics": _plain_diagnostics(algorithm),
        **theory,
        # If the algorithm reports the stages of its fit, these are parts of "fit".
        "seconds": {**clock.laps, **getattr(algorithm, "seconds_", {})},
    }


def _clean_labels(cell: Cell, examples: NDArray[np.intp], trial: int) -> CleanLabels:
    """Return the clean labels, in an order that depends on seed and trial alone."""
    return CleanLabels(cell.dataset.y[examples], stream(cell.config["seed"], "trusted", trial))


def losses(cell: Cell, C: Array) -> dict[str, dict[str, Any]]:
    """Return the losses of a confusion matrix by every reported measure, as a trial records them.

    Only the optimized measure must not fail. If another one fails, ``absent`` has the reason.
    """
    found: dict[str, dict[str, Any]] = {"losses": {}}
    for name, psi in cell.reported.items():
        try:
            found["losses"][name] = _loss(psi, C)
        except Exception as error:
            if psi is cell.measure:
                raise
            found.setdefault("absent", {})[name] = f"{type(error).__name__}: {error}"
    return found


def _loss(psi: Measure, C: Array) -> float:
    loss = float(psi(read_only(C)))
    if not math.isfinite(loss):
        raise NcbenchError(f"{type(psi).__name__} of C = {C.tolist()} is {loss}")
    return loss


def _plain_diagnostics(algorithm: Any) -> dict[str, Any]:
    """Return what the algorithm reports; refuse what a record cannot hold, with its key."""
    found = dict(getattr(algorithm, "diagnostics_", {}))
    for key, value in found.items():
        try:
            json.dumps({key: value}, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise NcbenchError(
                f"diagnostics_[{key!r}] = {value!r:.80}: {error}; expected a plain, finite number, "
                "such as float(value)"
            ) from error
    return found


def _learner(config: Config, random_state: int) -> Any:
    """Return the CPE learner, which shares its results with other cells unless ``cache=false``."""
    cpe = build(config, "cpe", random_state=random_state)
    if not config["cache"]:
        return cpe
    identity = json.dumps([config["cpe"], random_state, config["threads"], *_code(config, "cpe")])
    folder = str(_cache(config, "cpe"))
    return SharedCPE(cpe, identity, folder, config["cache_limit"], renew=config["force"])


def _estimate(config: Config, estimator: Any, sample: NoisySample, trial: int) -> NoiseMatrix:
    """Return the estimate of T, shared with other cells unless it depends on the truth."""

    def estimate() -> NoiseMatrix:
        found: NoiseMatrix = estimator.estimate(sample)
        return found

    if needs_of(estimator) or not config["cache"]:
        return estimate()
    settings = [config[key] for key in ("t_estimator", "cpe", "seed", "threads")]
    code = [*_code(config, "t_estimator"), *_code(config, "cpe")]
    identity = json.dumps([*settings, trial, sample.classes, *code])
    rows = () if sample.rows is None else (sample.rows,)
    name = digest(identity.encode(), sample.X, sample.y, *rows)
    path = _cache(config, "t_estimate") / f"{name}.json"
    return shared_estimate(path, estimate, renew=config["force"])


def _cache(config: Config, what: str) -> Path:
    # Absolute: a plug-in may change the working directory.
    return Path(config["output_dir"]).absolute() / "cache" / what


def _code(config: Config, kind: str) -> list[str]:
    """Return what says that a plug-in would compute the same."""
    return [code_of_plugin(kind, config[kind]["name"]), sklearn.__version__, np.__version__]


def _reported_measures(config: Config, measure: Measure) -> dict[str, Measure]:
    """Return every measure that has no required parameter, and the one that is optimized."""
    # A broken plug-in is left out too.
    reported = dict(get_registry().each_built("measure", leave_out=Exception))
    return {**reported, config["measure"]["name"]: measure}


class _Clock:
    """Seconds per stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self.laps[stage], self._last = now - self._last, now
