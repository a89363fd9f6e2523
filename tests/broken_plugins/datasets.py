"""Broken data sets."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np

from ncbench import Dataset, NoiseMatrix, NoisyLabels, identified_by
from ncbench.data import Annotations

_COUNTER = itertools.count()
M = 60


def toy(**changes):
    """A data set as it should be, but for the changes."""
    y = np.arange(M) % 3
    X = np.column_stack([y + 0.0, np.arange(M) / M])
    data = Dataset(X=X, y=y, classes=("a", "b", "c"), name="toy")
    return dataclasses.replace(data, **changes)


def unchecked(**changes):
    """The same, but what Dataset would have refused goes in unseen."""
    data = toy()
    for name, value in changes.items():
        object.__setattr__(data, name, value)
    return data


@identified_by(lambda scale=1.0: f"toy, version 1, times {scale:g}")
def good(scale: float = 1.0):
    """Three classes on a line."""
    return toy(X=toy().X * scale, true_posterior=lambda X: np.full((len(X), 3), 1 / 3))


def an_array():
    """Not a Dataset."""
    return toy().X


def single_precision():
    """X is not float64."""
    return toy(X=toy().X.astype(np.float32))


def missing_values():
    """A NaN in X."""
    X = toy().X.copy()
    X[7, 1] = np.nan
    return toy(X=X)


def float_labels():
    """Labels are no integers."""
    return unchecked(y=toy().y + 0.0)


def all_for_testing():
    """Nothing is left to train on."""
    return toy(test_size=M)


def labels_from_one():
    """Labels 1..n."""
    return unchecked(y=toy().y + 1)


def one_label_too_many():
    """Four labels, three classes."""
    return toy(y=np.arange(M) % 4)


def twice_the_same_name():
    """Two classes with one name."""
    return toy(classes=("a", "b", "b"))


def class_without_examples():
    """A class that never occurs."""
    return toy(classes=("a", "b", "c", "d"))


def without_a_name():
    """No name to be shown in results."""
    return toy(name="")


def drawn_anew():
    """Different data each time, from numpy's global generator."""
    return toy(X=np.random.normal(size=(M, 2)))


def shuffled(rng: np.random.Generator):
    """Ignores the generator it was given."""
    order = np.random.default_rng().permutation(M)
    return toy(X=toy().X[order], y=toy().y[order])


@identified_by(lambda: f"call number {next(_COUNTER)}")
def identified_by_a_counter():
    """Its identity changes although the data does not."""
    return toy()


@identified_by(lambda: 1)
def identified_by_a_number():
    """Its identity is no text."""
    return toy()


def short_noise():
    """Noisy labels for some of the examples only."""
    return toy(recorded_noise={0.1: NoisyLabels(NoiseMatrix.identity(3), toy().y[:10])})


def noise_for_two_classes():
    """A noise matrix for two of three classes."""
    return toy(recorded_noise={0.1: NoisyLabels(NoiseMatrix.identity(2), toy().y)})


def labels_of_no_example():
    """Somebody labels example 60 of 60."""
    return toy(annotations=Annotations([0, 60], [0, 0], [0, 1], ("ann",)))


def labels_twice():
    """Somebody labels an example twice."""
    return toy(annotations=Annotations([3, 3], [0, 0], [0, 1], ("ann",)))


def tests_what_is_not_there():
    """A test part that is not part of the data."""
    return toy(test=np.array([58, 61]))


def scores_for_a_posterior():
    """Rows do not sum to one."""
    return toy(true_posterior=lambda X: np.full((len(X), 3), 0.5))


def posterior_of_other_classes():
    """Says that nearly everything is class 0."""
    return toy(true_posterior=lambda X: np.tile([0.98, 0.01, 0.01], (len(X), 1)))


def posterior_of_two_classes():
    """A column too few."""
    return toy(true_posterior=lambda X: np.full((len(X), 2), 0.5))


def two_examples():
    """Nothing is left to train on."""
    return toy(X=np.eye(2), y=np.array([0, 1]), classes=("a", "b"))


GOOD = [good]


def numbered(rng: np.random.Generator):
    """Its name is the number of the call."""
    return toy(name=f"toy {next(_COUNTER)}")


BROKEN = {
    "state": {r"its name for seed 0 is 'toy 2' when computed again .*, not 'toy 0'": numbered},
    "trial": {r"a run says: test_size=0.3 of 2 examples is less than one example": two_examples},
    "shapes": {
        r"returns array\(\[\[.*, which is not a Dataset": an_array,
        r"X has type float32": single_precision,
        r"NaN or infinity in X, first in row 8 \(1 of 60 rows\)": missing_values,
        r"y has type float64": float_labels,
        r"test_size is 60 of 60 examples": all_for_testing,
        r"annotations.rows\[1\] is 60; expected 0 to 59": labels_of_no_example,
        r"annotator 'ann' labels example 3 2 times": labels_twice,
        r"test names examples 58 to 61": tests_what_is_not_there,
    },
    "labels": {
        r"y holds the labels \[1, 2, 3\], but there are 3 classes": labels_from_one,
        r"y holds the labels \[0, 1, 2, 3\], but there are 3 classes": one_label_too_many,
        r"classes is \('a', 'b', 'b'\)": twice_the_same_name,
        r"class 'd' has no example": class_without_examples,
        r"name is ''": without_a_name,
    },
    "fingerprint": {
        r"two loads have the fingerprints [\da-f]{12} and .*120 entries of X differ": drawn_anew,
        r"two loads have the fingerprints [\da-f]{12} and [\da-f]{12}": shuffled,
    },
    "source_fingerprint": {
        r"returns 'call number \d+', and then 'call number \d+'": identified_by_a_counter,
        r"identified_by returns 1, and then 1": identified_by_a_number,
    },
    "recorded_noise": {
        r"for sigma=0\.1 have shape \(10,\)": short_noise,
        r"for sigma=0\.1 is NoiseMatrix\(\[\[1\.0, 0\.0\]": noise_for_two_classes,
    },
    "true_posterior": {
        r"differ from 1 by up to 0\.5": scores_for_a_posterior,
        r"expects 0\.9800 of the labels to be class 0, but 0\.3333 are": posterior_of_other_classes,
        r"true_posterior\(X\) has shape \(60, 2\)": posterior_of_two_classes,
    },
}
