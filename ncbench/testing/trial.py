"""The check that every kind has: a run of one trial, with simple plug-ins of the other kinds."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.naive_bayes import GaussianNB

from ncbench.config.settings import SETTINGS
from ncbench.core import Measure, NoiseMatrix
from ncbench.data import Annotations, Dataset, NoisyLabels, read_only
from ncbench.errors import NcbenchError
from ncbench.plugin import KINDS, Registry, get_registry, using
from ncbench.run import identified
from ncbench.run.cell import run_alone
from ncbench.testing.contract import Build, ContractError, made_something_bad
from ncbench.types import Array, Config, Labels

# Small, fast problems with known answers for contract checks.

SIGMAS = (0.0, 0.1, 0.3)
"""Noise levels at which noise models are checked."""

STRONG_T = np.array([[0.2, 0.1, 0.7], [0.7, 0.2, 0.1], [0.1, 0.7, 0.2]])
"""Most labels name the next class: a classifier that trusts them fails by any measure."""


class Blobs(NamedTuple):
    """Classes as round clouds of points in the plane, with centers on a circle."""

    X: Array
    y: Labels


def blobs(m: int, n: int = 3, *, spread: float = 1.0, seed: int = 0) -> Blobs:
    """Draw m examples of n equally frequent classes.

    Neighboring centers have distance 4: with a spread of 0.4, classes do not overlap.
    """
    rng = np.random.default_rng([m, n, seed])
    y = np.arange(m) % n
    return Blobs(_centres(n)[y] + spread * rng.normal(size=(m, 2)), y)


def trials() -> dict[str, Blobs]:
    """Return the training parts of two trials of one problem, and those of another problem.

    They have one shape, overlapping classes, and cannot be written to.
    """
    X, y = blobs(150, spread=1.5, seed=1)
    other = blobs(120, spread=1.5, seed=2)
    parts = {
        "trial 0 of data A": Blobs(X[:120], y[:120]),
        "trial 1 of data A": Blobs(X[30:], y[30:]),
        "data B": Blobs(1.5 * other.X[:, ::-1] + 1, other.y),
    }
    return {name: Blobs(*map(read_only, part)) for name, part in parts.items()}


def asked() -> Array:
    """Return examples, some far from all that were learned, whose classes are asked for."""
    return np.asarray(read_only(blobs(300, spread=2.5, seed=4).X))


def _centres(n: int) -> Array:
    angle = 2 * np.pi * np.arange(n) / n
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.asarray(2 / np.sin(np.pi / n) * circle)


def noisy_blobs(m: int, T: Array, *, spread: float = 0.4, seed: int = 0) -> tuple[Blobs, Labels]:
    """Draw blobs and noisy labels for them."""
    data = blobs(m, len(T), spread=spread, seed=seed)
    return data, NoiseMatrix(T).draw_labels(data.y, np.random.default_rng([seed, m, 1]))


def dataset(n: int, m: int = 3000) -> Dataset:
    """Return blobs as a data set with labels by three annotators and recorded noise."""
    X, y = blobs(m, n)
    recorded = {}
    for k, sigma in enumerate(SIGMAS):
        noise = NoiseMatrix((1 - sigma) * np.eye(n) + sigma * np.roll(np.eye(n), 1, axis=0))
        recorded[sigma] = NoisyLabels(noise, noise.draw_labels(y, np.random.default_rng(k)))
    names = tuple(f"class {i}" for i in range(n))
    return Dataset(
        X=X, y=y, classes=names, name="blobs", recorded_noise=recorded,
        annotations=labels_by_people(y, 0.7 * np.eye(n) + 0.3 * np.roll(np.eye(n), 1, axis=0)),
    )  # fmt: skip


def labels_by_people(y: Labels, T: Array, people: int = 3, seed: int = 0) -> Annotations:
    """Return labels of every example by several people, all with the noise T."""
    rows, who = np.divmod(np.arange(people * len(y)), people)
    labels = NoiseMatrix(T).draw_labels(y[rows], np.random.default_rng([seed, people]))
    return Annotations(rows, who, labels, tuple(f"person {k + 1}" for k in range(people)))


FAMILIES = {
    "monotonic_convex": ("q_mean@ncbench", "fw@ncbench"),
    "ratio_of_linear": ("micro_f1@ncbench", "bs@ncbench"),
    "linear": ("zero_one@ncbench", "fw@ncbench"),
}
"""A measure of each family, the most expensive ones first, and an algorithm that optimizes it."""


def family_of(target: Any) -> str:
    """Return a family whose measures an algorithm optimizes."""
    declared = getattr(target, "measure_families", None) or {"linear"}
    return next((family for family in FAMILIES if family in declared), "linear")


def measures() -> dict[str, Measure]:
    """Return a measure of each family."""
    return {family: get_registry().build("measure", name) for family, (name, _) in FAMILIES.items()}


CLASSES = (3, 2, 4, 5, 7)
"""Numbers of classes of the run; a plug-in may refuse all but one of them."""


def check_trial(build: Build) -> None:
    """A run with it completes a trial and writes its record."""
    family = family_of(build.target)
    supplied = {"data_dir": "data", "rng": np.random.default_rng(0), "random_state": 0}
    supplied |= {"measure": measures()[family], "cpe": GaussianNB()}
    plugin = build(**{name: supplied[name] for name in KINDS[build.kind].supplied})
    name = build.name or "plugin_under_check"
    others: dict[str, dict[str, Any]] = {
        "dataset": {"blobs": _blobs},
        "cpe": {"naive_bayes": _naive_bayes},
    }
    registry = get_registry().including({**others, build.kind: {name: build.target}})
    chosen = {kind: next(iter(targets)) for kind, targets in others.items()}
    chosen |= {"t_estimator": "identity@ncbench", "algo": "cpe_argmax@ncbench"}
    # Labels of several people, which some T estimators need, with a matrix that is known.
    chosen |= {"noise": "annotators_simulated@ncbench", "measure": FAMILIES[family][0]}
    if build.kind == "measure" and plugin.family in FAMILIES:
        chosen["algo"] = FAMILIES[plugin.family][1]
    with using(registry), tempfile.TemporaryDirectory() as folder:
        refusals = []
        for config in _configs(registry, build, {**chosen, build.kind: name}):
            try:
                run_alone(identified({**config, "output_dir": folder}))
            except NcbenchError as error:  # perhaps of this number of classes alone
                refusals.append(error)
            else:
                return
    made_something_bad(refusals[0])
    raise ContractError(f"a run says: {refusals[0]}") from refusals[0]


def _configs(registry: Registry, build: Build, chosen: dict[str, str]) -> Iterator[Config]:
    """Yield a configuration for each number of classes."""
    settings = {key: setting.metadata["default"] for key, setting in SETTINGS.items()}
    config: dict[str, Any] = {**settings, "trials": 1}
    for kind, name in chosen.items():
        defaults = {p.name: p.default for p in registry.plugin(kind, name).parameters}
        config[kind] = {"name": name, **defaults}
    for key, value in build.arguments.items():
        if key in config[build.kind]:
            config[build.kind][key] = value
        elif key == "data_dir":
            config[key] = value
    if build.kind == "dataset":
        yield config
        return
    for n in CLASSES:
        yield {**config, "dataset": {**config["dataset"], "classes": n}}


def _blobs(classes: int = 3) -> Dataset:
    return dataset(classes, 60 * classes)


def _naive_bayes() -> GaussianNB:
    return GaussianNB()
