"""The check that every kind has: a run of one trial, with simple plug-ins of the other kinds."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.naive_bayes import GaussianNB

from ncbench.config.settings import SETTINGS
from ncbench.core import Mixture, NoiseMatrix
from ncbench.data import Dataset, MatrixNoise, NoisyLabels
from ncbench.errors import NcbenchError
from ncbench.learning import PosteriorClassifier
from ncbench.noise_estimation import NoisySample
from ncbench.plugin import KINDS, Registry, get_registry, using
from ncbench.run import identified
from ncbench.run.cell import run_alone
from ncbench.testing.contract import Build, ContractError, made_something_bad
from ncbench.testing.problems import MEASURES, dataset
from ncbench.types import Array, Config, Labels

CLASSES = (3, 2, 4, 5, 7)
"""Numbers of classes of the run; a plug-in may refuse all but one of them."""


def check_trial(build: Build) -> None:
    """A run with it completes a trial and writes its record."""
    families = getattr(build.target, "measure_families", None) or {"linear"}
    psi = next((m for family, m in MEASURES.items() if family in families), MEASURES["linear"])
    supplied = {"data_dir": "data", "rng": np.random.default_rng(0), "random_state": 0}
    supplied |= {"measure": psi, "cpe": GaussianNB()}
    plugin = build(**{name: supplied[name] for name in KINDS[build.kind].supplied})
    name = build.name or "plugin_under_check"
    others: dict[str, dict[str, Any]] = {
        "dataset": {"blobs": _blobs},
        "noise": {"symmetric": _Symmetric},
        "cpe": {"naive_bayes": _naive_bayes},
        "t_estimator": {"identity": _Identity},
        "measure": {"loss": type(psi)},
        "algo": {"argmax": _Argmax},
    }
    registry = get_registry().including({**others, build.kind: {name: build.target}})
    chosen = {kind: next(iter(targets)) for kind, targets in others.items()}
    if build.kind == "measure" and plugin.family:
        chosen["algo"] = _optimizer(registry, plugin.family) or chosen["algo"]
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


def _optimizer(registry: Registry, family: str) -> str | None:
    """Return an algorithm that ncbench ships and that optimizes a family of measures."""
    for plugin in registry.plugins():
        if (plugin.kind, plugin.distribution) == ("algo", "ncbench"):
            target = registry.target("algo", plugin.name)
            if family in (getattr(target, "measure_families", None) or ()):
                return plugin.name
    return None


def _blobs(classes: int = 3) -> Dataset:
    return dataset(classes, 60 * classes)


class _Symmetric(MatrixNoise):
    def matrix(self, n: int, sigma: float, rng: np.random.Generator) -> Array:
        """Return T."""
        T = np.full((n, n), sigma / (n - 1))
        np.fill_diagonal(T, 1 - sigma)
        return T

    def corrupt(self, dataset: Dataset, sigma: float, rng: np.random.Generator) -> NoisyLabels:
        """Return noisy labels, beside those of several people, which some T estimators need."""
        return replace(super().corrupt(dataset, sigma, rng), annotations=dataset.annotations)


def _naive_bayes() -> GaussianNB:
    return GaussianNB()


class _Identity:
    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return I."""
        return NoiseMatrix(np.eye(sample.n_classes))


class _Argmax(PosteriorClassifier):
    def __init__(self, cpe: Any = None, random_state: Any = None) -> None:
        self.cpe = cpe
        self.random_state = random_state

    def fit_mixture(self, posterior: Array, y: Labels, noise: NoiseMatrix) -> Mixture:
        """Return the rule of the most probable class."""
        return Mixture.single(1 - np.eye(noise.n))
