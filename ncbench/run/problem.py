"""The problem of a cell: its data set, its noisy labels, and the splits of its trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from ncbench.core import Measure, SingularNoise, split_random_state, stream
from ncbench.data import Dataset, NoisyLabels, positions, read_only
from ncbench.errors import NcbenchError, NotApplicable
from ncbench.noise_estimation import LEVEL, HeldOut, NoisySample
from ncbench.plugin import get_registry, short_name
from ncbench.theory import Population
from ncbench.types import Array, Config

RESAMPLED = 0.9
"""Share of the other examples that a trial trains on if every trial has the same test part."""


@dataclass(frozen=True)
class Cell:
    """Everything that the trials of one cell share."""

    config: Config
    dataset: Dataset
    noisy: NoisyLabels
    measure: Measure
    reported: Mapping[str, Measure]
    population: Population | None


def build(config: Config, kind: str, **supplied: Any) -> Any:
    """Build a plug-in of a configuration, with what the core supplies to its kind."""
    return get_registry().build(kind, **config[kind], **supplied)


def load_dataset(config: Config) -> Dataset:
    """Load the data set of a configuration."""
    name = short_name(config["dataset"]["name"])
    dataset: Dataset = build(
        config,
        "dataset",
        data_dir=config["data_dir"],
        rng=stream(config["seed"], "dataset", name),
    )
    return dataset


def make_noise(config: Config, dataset: Dataset) -> NoisyLabels:
    """Make the noisy labels of a whole data set.

    They depend only on (data set, noise, sigma, seed), so that every algorithm and measure
    gets the same ones.
    """
    name = short_name(config["noise"]["name"])
    rng = stream(config["seed"], "noise", dataset.name, name, config["sigma"])
    try:
        noisy: NoisyLabels = build(config, "noise").corrupt(dataset, config["sigma"], rng)
    except NcbenchError as error:
        # Labels that say nothing about the classes are no failure of any method.
        kind = NotApplicable if isinstance(error, SingularNoise) else NcbenchError
        raise kind(f"noise={config['noise']['name']} sigma={config['sigma']:g}: {error}") from error
    wrong = np.flatnonzero(~np.isin(noisy.y, np.arange(dataset.n_classes)))
    expected = dataset.y.shape if noisy.rows is None else noisy.rows.shape
    if np.shape(noisy.y) != expected or len(wrong):
        what = f"label {noisy.y[wrong[0]]} in row {wrong[0]}" if len(wrong) else "labels"
        raise NcbenchError(
            f"noise={config['noise']['name']}: {what}, shape {np.shape(noisy.y)}; expected "
            f"{expected} labels from 0 to {dataset.n_classes - 1}"
        )
    return replace(noisy, y=read_only(noisy.y))


def split(cell: Cell, trial: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the examples of the training part and of the test part of a trial."""
    dataset, config = cell.dataset, cell.config
    test_size = dataset.test_size or config["test_size"]
    m = len(dataset.y)
    if test_size < 1 and min(test_size, 1 - test_size) * m < 1:
        raise NcbenchError(
            f"test_size={test_size} of {m} examples is less than one example; expected a fraction "
            f"from {1 / m:.2g} to {1 - 1 / m:.2g}"
        )
    state = split_random_state(config["seed"], trial)
    try:
        train, test = _split(dataset, config["test_size"], state)
    except ValueError as error:
        raise NcbenchError(f"test_size={test_size} of {m} examples: {error}") from error
    # A rare class may be absent from a small sample, which algorithms can handle. With only one
    # class there is nothing to learn.
    _, y = cell.noisy.of(train)
    if len(np.unique(y)) < 2:
        raise NcbenchError(
            f"dataset={config['dataset']['name']}: all {len(y)} noisy training labels of trial "
            f"{trial} are in one class; use more data, a smaller test_size, or another seed"
        )
    return train, test


def _split(dataset: Dataset, test_size: float, state: int) -> tuple[Any, Any]:
    """Take the test part from the examples whose clean label is known, if there are any."""
    everything, checked = np.arange(len(dataset.y)), dataset.checked
    fixed = fixed_test_part(dataset, test_size)
    if fixed is not None:
        others = np.setdiff1d(everything, fixed)
        return train_test_split(others, train_size=RESAMPLED, random_state=state)[0], fixed
    if len(checked) in (0, len(everything)):
        size = dataset.test_size or test_size
        train, test = train_test_split(everything, test_size=size, random_state=state)
        return train, test
    size = round(test_size * len(everything))
    _, test = train_test_split(checked, test_size=size, random_state=state)
    return np.setdiff1d(everything, test), test


def fixed_test_part(dataset: Dataset, test_size: float) -> NDArray[np.intp] | None:
    """Return the test part if every trial has the same one, else None.

    The data set may fix it. It is also fixed if there are so few clean labels that all are needed.
    """
    checked = dataset.checked
    if dataset.test is not None:
        return dataset.test
    return checked if 0 < len(checked) <= round(test_size * len(dataset.y)) else None


# Judge predictions by noisy labels, where nobody knows the clean ones.

JUDGE = "cautious_map"
"""The estimator of T for judging."""


@dataclass(frozen=True)
class Judgment(HeldOut):
    """Predictions for the test part, judged by its noisy labels.

    Parameters
    ----------
    known : bool
        Whether ``noise`` is the matrix of the noise, and not an estimate.
    """

    known: bool = True

    def as_json(self, measures: Mapping[str, Measure]) -> dict[str, Any]:
        """Return what the record says about the judgment."""
        return {
            "by": "noise matrix of the noise" if self.known else JUDGE,
            "noise_matrix": self.noise.matrix.tolist(),
            "noisy_confusion": self.noisy_confusion.tolist(),
            "level": LEVEL,
            "intervals": self.intervals(measures),
        }


def judge(
    noisy: NoisyLabels, sample: NoisySample, test: NDArray[np.intp], predicted: Array
) -> Judgment:
    """Return the judgment of predictions for the test part by its noisy labels."""
    examples, y = noisy.of(test)
    rows = positions(examples, test)
    if noisy.noise_matrix is not None:
        return Judgment(noisy.noise_matrix, y, rows, predicted)
    registry = get_registry()
    learner = registry.build("cpe", "logistic", random_state=0)
    estimator = registry.build("t_estimator", JUDGE)
    # A generator of its own: the estimate of the cell's own T estimator stays as it is.
    own = replace(sample, cpe=learner, rng=stream(0, "judge", "t_estimator"))
    estimate = estimator.estimate(own.for_estimator(estimator))
    return Judgment(estimate, y, rows, predicted, known=False)
