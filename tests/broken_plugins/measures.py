"""Broken measures."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ncbench import Measure, RecallMeasure


class Good(Measure):
    """Of two or more classes, the squared share of errors: convex, and falls with every hit."""

    family = "monotonic_convex"

    def __call__(self, C):
        return float((C.sum() - np.trace(C)) ** 2)

    def gradient(self, C):
        return 2 * (C.sum() - np.trace(C)) * (1 - np.eye(len(C)))


class BinaryOnly(Measure):
    """Good, too: a measure may refuse a number of classes, in words."""

    family = "linear"

    def __call__(self, C):
        from ncbench import NcbenchError

        if len(C) != 2:
            raise NcbenchError(f"for 2 classes, not {len(C)}")
        return float(C[0, 1])

    def gradient(self, C):
        return np.array([[0.0, 1.0], [0.0, 0.0]])


class Accuracy(Measure):
    """A score, not a loss."""

    def __call__(self, C):
        return float(np.trace(C))


class ErrorsInPercent(Measure):
    """Leaves [0, 1] without saying so."""

    def __call__(self, C):
        return float(100 * (C.sum() - np.trace(C)))


class NegativeLogLikelihood(Measure):
    """Below 0 at times."""

    def __call__(self, C):
        return float(np.log(C.sum() - np.trace(C) + 0.5))


class NotAFloat(Measure):
    """A number, but none that a record can hold."""

    def __call__(self, C):
        return Fraction(1, 2)


def a_function(C: float = 0.0):
    """Not an object that is called with C, but a function of it."""
    return C


class NormalisesInPlace(Measure):
    """Changes the caller's matrix."""

    def __call__(self, C):
        C /= C.sum(axis=1, keepdims=True)
        return float(1 - np.diagonal(C).mean())


class UnknownFamily(Measure):
    """There is no family of this name."""

    family = "convex"

    def __call__(self, C):
        return float(C.sum() - np.trace(C))


class RatioWithoutRatio(Measure):
    """Promises A and B, and does not give them."""

    family = "ratio_of_linear"

    def __call__(self, C):
        return float(C.sum() - np.trace(C))


class ValueAlone(RecallMeasure):
    """Meant to be reported only, and does not say so."""

    def value(self, recall):
        return float(1 - np.mean(recall))


class GradientOfTheDiagonal(Measure):
    """A gradient of another shape."""

    family = "linear"

    def __call__(self, C):
        return float(C.sum() - np.trace(C))

    def gradient(self, C):
        return -np.ones(len(C))


class GradientAtFixedPriors(RecallMeasure):
    """Balanced error, derived as if the class priors were constants."""

    def value(self, recall):
        return float(1 - np.mean(recall))

    def gradient(self, C):
        return -np.diag(1 / C.sum(axis=1)) / len(C)


class WorstRecall(RecallMeasure):
    """Convex, but its gradient jumps where the worst class becomes another."""

    def value(self, recall):
        return float(1 - recall.min())

    def slope(self, recall):
        slope = np.zeros(len(recall))
        slope[recall.argmin()] = -1
        return slope


class SquaredCalledLinear(Good):
    """Not linear."""

    family = "linear"


class Concave(Measure):
    """The root of the error: it falls with every hit, and is concave."""

    family = "monotonic_convex"

    def __call__(self, C):
        return float(np.sqrt(C.sum() - np.trace(C)))

    def gradient(self, C):
        return (1 - np.eye(len(C))) / (2 * np.sqrt(C.sum() - np.trace(C)))


class BestAtOneHalf(Measure):
    """Convex, but more hits can cost."""

    family = "monotonic_convex"

    def __call__(self, C):
        return float((np.trace(C) - 0.5) ** 2)

    def gradient(self, C):
        return 2 * (np.trace(C) - 0.5) * np.eye(len(C))


class Constant(Measure):
    """Convex and never rising, and of no use."""

    family = "monotonic_convex"

    def __call__(self, C):
        return 0.25

    def gradient(self, C):
        return np.zeros_like(C)


class RatioOfTheScore(Measure):
    """A and B of the score, the value of the loss."""

    family = "ratio_of_linear"

    def __call__(self, C):
        return float(1 - np.trace(C) / C.sum())

    def ratio(self, n):
        return np.eye(n), np.ones((n, n))


class NegativeDenominator(Measure):
    """The signs of A and B are both turned: the same ratio, and bisection goes astray."""

    family = "ratio_of_linear"

    def __call__(self, C):
        return float(1 - np.trace(C) / C.sum())

    def ratio(self, n):
        return np.eye(n) - 1, -np.ones((n, n))


class NanWithoutAClass(Measure):
    """Divides by the prior of a class that is not there."""

    def __call__(self, C):
        return float(1 - np.mean(np.diagonal(C) / C.sum(axis=1)))


class InfiniteSlope(RecallMeasure):
    """One minus the geometric mean, whose slope has no limit at recall 0."""

    def value(self, recall):
        return float(1 - np.prod(recall) ** (1 / len(recall)))

    def slope(self, recall):
        return -(np.prod(recall) ** (1 / len(recall))) / (len(recall) * recall)


class HoldsALambda(Measure):
    """Cannot be pickled."""

    def __init__(self):
        self.loss = lambda hits: 1 - hits

    def __call__(self, C):
        return float(self.loss(np.trace(C)))


class WritesIntoC(Good):
    """A run hands out a matrix that cannot be changed."""

    def __call__(self, C):
        C /= C.sum()
        return super().__call__(C)


class ForgetsCall(Measure):
    """Without __call__."""


GOOD = [Good, BinaryOnly]


class CountsCalls(Good):
    """Adds a little for every call."""

    def __init__(self):
        self.calls = 0

    def __call__(self, C):
        self.calls += 1
        return super().__call__(C) + self.calls / 1000


BROKEN = {
    "state": {r"its value for confusion matrix A differs by up to 0\.003 when": CountsCalls},
    "is_a_loss": {
        r"psi = 1 where every prediction is right and 0\.\d+ .* errors lower it": Accuracy,
        r"psi\(C\) = \d\d\.\d+ for C = .* losses lie in \[0, 1\]": ErrorsInPercent,
        r"psi\(C\) = -0\.\d+ for C = .* \[0, 1\].* minus a score": NegativeLogLikelihood,
        r"psi\(C\) is Fraction\(1, 2\)": NotAFloat,
        r"returns 0\.0, which is not a Measure": a_function,
    },
    "inputs_unchanged": {r"C was \[\[0\.\d+.* and is \[\[0\.\d+": NormalisesInPlace},
    "family": {
        r"family is 'convex'; known: 'linear', 'monotonic_convex'": UnknownFamily,
        r"family is 'ratio_of_linear', but RatioWithoutRatio is not a ratio": RatioWithoutRatio,
        r"but ValueAlone has no slope.* To fix it: write the method slope, or set": ValueAlone,
        r"gradient gives shape \(2,\) for 2 classes": GradientOfTheDiagonal,
    },
    "gradient": {
        r"gradient\[\d, \d\] is -?[\d.e-]+, but a small change of .* gives": GradientAtFixedPriors
    },
    "linear": {r"psi\(C\) = 0\.\d+ but <L, C> = 0\.\d+": SquaredCalledLinear},
    "convex": {r"psi is 0\.\d+ at a mixture of two classifiers and only 0\.\d+": Concave},
    "smooth": {r"gradient\[0, 0\] jumps from -[\d.]+ to [\d.]+ where all recalls are": WorstRecall},
    "monotonic": {
        r"psi rises from 0\.\d+ to 0\.\d+ when 0\.\d+ moves from C": BestAtOneHalf,
        r"psi stayed at 0\.25": Constant,
    },
    "ratio": {
        r"psi\(C\) = 0\.\d+ but <A, C> / <B, C> = 0\.\d+": RatioOfTheScore,
        r"<B, C> = -1 at C": NegativeDenominator,
    },
    "limits": {
        r"psi\(C\) = nan where class 0 is absent": NanWithoutAClass,
        r"the gradient has (nan|-?inf) where the recalls are \[0, 0\]": InfiniteSlope,
    },
    "trial": {
        r"it raised ValueError: .*read-only .*measures\.py, line \d+": WritesIntoC,
        r"abstract class ForgetsCall with.* abstract method '?__call__": ForgetsCall,
    },
    "pickling": {r"pickling raises .*lambda": HoldsALambda},
}
