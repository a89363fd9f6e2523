"""One classifier for doubtful labels and a measure: the front door to the paper's algorithms."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from ncbench.core import ConfusionPath, Measure, Mixture, NoiseMatrix, project_to_joint
from ncbench.errors import NcbenchError, require
from ncbench.learning import (
    algorithm_for,
    clean_posterior,
    finite_features,
    fit_posterior,
    learner_of,
    posterior,
    takes_weights,
    true_label_posterior,
)
from ncbench.learning.classifier import measure_of
from ncbench.own_labels.arguments import (
    number_labels,
    require_features,
    require_no_gap,
    t_estimator,
)
from ncbench.plugin import get_registry
from ncbench.types import Array, Labels

Decision = Literal["most_probable", "sample", "single"]

_PART = 16_384

_RULES: dict[str | None, str] = {"monotonic_convex": "soft_fw"}
"""Other than those of the paper, for a family of measures: docs/choices.md."""

DEFAULT_LEARNER = "blend"
"""Chosen by measurement: docs/choices.md."""

_FEW = 8  # expected examples of a class
_TO_CHECK = 20  # rows

_RESAMPLED = 1000
"""With weights, the rule is optimized on at least about this many examples."""


class NoiseCorrectedClassifier(ClassifierMixin, BaseEstimator):
    """Classifier for noisy labels that minimizes a measure on clean ones.

    A learner estimates the probabilities of the noisy labels. They are corrected for noise, and the
    algorithm that fits the measure finds the rule: Frank-Wolfe on soft labels (``soft_fw``) for
    means of recalls, bisection (``ncbs``) for ratios such as Micro F1, one linear rule (``ncfw``)
    for costs.

    Parameters
    ----------
    measure : str or Measure
        The loss to minimize: ``"g_mean"``, ``"h_mean"``, ``"micro_f1"``, ``"zero_one"``, ... or an
        object such as ``load("measure", "micro_f1")(background="benign")``.
    noise_matrix : str, T estimator, matrix, DataFrame or None
        ``"estimate"``: T is estimated in ``fit``, so that cross-validation estimates it anew in
        each fold; from ``clean`` or ``annotations``, if ``fit`` gets them. A T estimator, by name
        or as an object, estimates it in its own way. A matrix has
        ``T[i, j] = P(noisy = i | clean = j)``, classes in sorted order; a DataFrame, or what
        ``estimate_noise`` returns, is aligned by the names of the classes, and the labels may lack
        some of them. None means no noise.
    cpe : scikit-learn classifier or str, optional
        The learner of class probabilities, or the name of a registered one; by default ``blend``.
    decision : {"most_probable", "sample", "single"}
        What ``predict`` does with a randomized rule, a mixture of deterministic ones. The most
        probable class of the mixture; or a class drawn from the mixture, with ``random_state``,
        which has the loss that was minimized in expectation; or the class of a single rule, the one
        of the mixture with the smallest loss in training.
    random_state : int, optional

    Attributes
    ----------
    classes_ : array of shape (n,)
        Includes classes that occur only in the noise matrix, ``clean`` or ``annotations``.
    noise_matrix_ : NoiseMatrix
        The matrix that was given or estimated, in the order of ``classes_``.
    cpe_ : scikit-learn classifier
        The fitted learner of noisy labels.
    mixture_ : Mixture
        The rule, as a function of corrected probabilities.
    algorithm_ : str
        The algorithm that found it.
    rare_ : dict of RareClass
        By name, the classes of which fewer than 8 true examples are expected. Their recall cannot
        be estimated.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 1))
    >>> truth = np.where(X[:, 0] > 1, "ill", "well")
    >>> y = np.where(rng.random(400) < 0.2, "well", truth)  # a fifth of the ill is not noticed
    >>> model = NoiseCorrectedClassifier("g_mean", [[0.8, 0.0], [0.2, 1.0]]).fit(X, y)
    >>> model.predict([[-1.0], [2.0]])
    array(['well', 'ill'], dtype='<U4')
    >>> model.algorithm_
    'soft_fw'
    """

    # Not a named parameter of ``fit``: folds of learners tell a weight from a repeated row.
    __metadata_request__fit: ClassVar[dict[str, None]] = {"sample_weight": None}

    def __init__(
        self,
        measure: Any = "g_mean",
        noise_matrix: Any = "estimate",
        cpe: Any = None,
        decision: Decision = "most_probable",
        random_state: int | None = None,
    ) -> None:
        self.measure = measure
        self.noise_matrix = noise_matrix
        self.cpe = cpe
        self.decision = decision
        self.random_state = random_state

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        clean: ArrayLike | None = None,
        annotations: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Fit to noisy labels.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, d)
            Sparse, or with missing values (NaN), if the learner takes it. To estimate the noise,
            medians take the place of missing values.
        y : array of shape (m,)
            Noisy labels of any type.
        clean : array of shape (m,), optional
            Labels that somebody checked; None, NaN or, beside whole numbers, -1 where nobody did.
            They serve to estimate the noise.
        annotations : array or DataFrame of shape (m, k), optional
            Labels of k people, with gaps in the same way. They serve to estimate the noise of y,
            which may be one of them or their vote.
        sample_weight : array of shape (m,), optional
            Weights of the examples in the learner and in the measure. The noise matrix is
            estimated without them: it does not depend on which examples there are.
        """
        seed = self.random_state
        if seed is None:  # one for the learner and the estimate of T, which share held-out fits
            seed = int(np.random.default_rng().integers(2**31))
        psi, learner = self._measure(), learner_of(self.cpe, DEFAULT_LEARNER, seed)
        estimator = t_estimator(self.noise_matrix, clean, annotations)
        rule_for(psi, seed)  # raises for a measure that is reported only
        unknown = fit_params.keys() - {"sample_weight"}
        if unknown:
            raise TypeError(f"fit() got an unexpected keyword argument {min(unknown)!r}")
        require_features(X, learner, self.noise_matrix)
        require_no_gap(y)
        features, labels = validate_data(
            *(self, X, y),
            dtype=np.float64,
            accept_sparse="csr",
            ensure_all_finite=finite_features(learner),
        )
        numbers = number_labels(labels, self.noise_matrix, estimator, clean, annotations)
        psi = psi.for_classes(numbers.names)
        n = len(numbers.classes)
        psi(np.full((n, n), 1 / n**2))  # raises for a cost matrix of another size
        weights = _checked_weights(fit_params.get("sample_weight"), features, learner)
        self.classes_ = numbers.classes
        cpe = None if self.cpe is None else learner
        noise = numbers.matrix(estimator, features, cpe, seed)
        name, algorithm = rule_for(psi, seed)
        fitted = fit_posterior(
            *(learner, features, numbers.y, n, algorithm.sample_split, seed, noise),
            weights=weights,
        )
        self.cpe_, self.noise_matrix_, self.algorithm_ = fitted.cpe, noise, name
        shares = slice(None) if weights is None else _resampled(weights)
        corrected = noise.correct_posterior(fitted.posterior)[shares]
        self.mixture_ = algorithm.fit_mixture(corrected, fitted.y[shares], noise)
        self._rule = self.mixture_
        if self.decision == "single":
            self._rule = best_rule(self.mixture_, psi, corrected, fitted.y[shares], noise)
        clean = clean_posterior(fitted.posterior, noise)
        truth = true_label_posterior(clean, fitted.y, noise)
        self.rare_ = rare_classes(truth, fitted.rows, len(numbers.y), numbers.names)
        for name, rare in self.rare_.items():
            warnings.warn(f"class {name}: {rare} (rare_[{name!r}].rows)", RareClassWarning, 2)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the predicted class of each row of X; see ``decision``."""
        return self._decided(self._noisy(X))

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probability of each clean class; see ``clean_posterior``."""
        noisy = self._noisy(X)
        return clean_posterior(noisy, self.noise_matrix_)

    def predict_in_parts(self, parts: Iterable[ArrayLike]) -> tuple[NDArray[Any], Array]:
        """Return what ``predict`` and ``predict_proba`` return, for all rows of several X.

        The learner predicts once, and no more than one part need be in memory.
        """
        noisy = np.concatenate([self._noisy(X) for X in parts])
        return self._decided(noisy), clean_posterior(noisy, self.noise_matrix_)

    def prediction_distribution(self, X: ArrayLike) -> Array:
        """Return the distribution of the randomized rule's prediction, which is a decision."""
        return self._distribution(self._noisy(X), self.mixture_)

    @property
    def randomized(self) -> bool:
        """Whether ``predict`` draws from ``prediction_distribution``."""
        return self.decision == "sample"

    def _decided(self, noisy: Array) -> NDArray[Any]:
        distribution = self._distribution(noisy, self._rule)
        if self.decision != "sample":
            return np.asarray(self.classes_[distribution.argmax(axis=1)])
        u = check_random_state(self.random_state).uniform(size=(len(distribution), 1))
        drawn = (u >= distribution.cumsum(axis=1)[:, :-1]).sum(axis=1)
        return np.asarray(self.classes_[drawn])

    def _distribution(self, noisy: Array, rule: Any) -> Array:
        return np.asarray(rule.distribution(self.noise_matrix_.correct_posterior(noisy)))

    def _noisy(self, X: ArrayLike) -> Array:
        check_is_fitted(self, "mixture_")
        features = validate_data(
            *(self, X),
            reset=False,
            dtype=np.float64,
            accept_sparse="csr",
            ensure_all_finite=finite_features(self.cpe_),
        )
        n, rows = len(self.classes_), features.shape[0]
        # A few examples at a time stay in the cache, also if the learner copies them.
        parts = (features[start : start + _PART] for start in range(0, rows, _PART))
        return np.concatenate([posterior(self.cpe_, part, n) for part in parts])

    def _measure(self) -> Measure:
        known = get_args(Decision)
        require(self.decision in known, "decision", self.decision, f"one of {', '.join(known)}")
        return measure_of(self.measure)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        given = hasattr(self.cpe, "__sklearn_tags__")
        dense = isinstance(self.noise_matrix, str) and self.noise_matrix == "estimate"
        tags.input_tags.sparse = given and not dense and get_tags(self.cpe).input_tags.sparse
        tags.input_tags.allow_nan = given and finite_features(self.cpe) == "allow-nan"
        return tags


def rule_for(psi: Measure, seed: int | None) -> tuple[str, Any]:
    """Return the algorithm that finds the rule for a measure of people's own labels, by name."""
    name = _RULES.get(psi.family) or algorithm_for(psi)
    return name, get_registry().build("algo", name, measure=psi, random_state=seed)


class RareClassWarning(UserWarning):
    """A class has so few examples that nothing is known about its recall."""


@dataclass(frozen=True)
class RareClass:
    """A class of which few examples are expected.

    Parameters
    ----------
    expected : float
        Number of true examples.
    rows : array
        The examples that are most likely of this class, the likeliest first.
    """

    expected: float
    rows: Labels

    def __str__(self) -> str:
        return (
            f"about {self.expected:.0f} true examples; its recall cannot be estimated: check "
            f"{len(self.rows)} rows that look like it"
        )


def rare_classes(truth: Array, rows: Labels, m: int, names: Sequence[str]) -> dict[str, RareClass]:
    """Return the classes with fewer than 8 expected examples among m.

    Nearly all classes that a rule gives up have fewer: see docs/choices.md.

    Parameters
    ----------
    truth : array of shape (k, n)
        Probabilities of the true labels.
    rows : array of shape (k,)
        Their examples.
    m : int
    names : sequence of str

    Examples
    --------
    >>> truth = np.repeat([[0.999, 0.001], [0.1, 0.9]], [90, 4], axis=0)
    >>> for name, rare in rare_classes(truth, np.arange(94), 94, ["well", "ill"]).items():
    ...     print(f"{name}: {rare}, such as {rare.rows[:3]}")
    ill: about 4 true examples; its recall cannot be estimated: check 20 rows that look like it, \
such as [90 91 92]
    """
    expected = truth.sum(axis=0) * (m / len(truth))
    found = {}
    for k in np.flatnonzero(expected < _FEW):
        order = np.argsort(-truth[:, k], kind="stable")[:_TO_CHECK]
        found[names[int(k)]] = RareClass(float(expected[k]), rows[order])
    return found


def best_rule(
    mixture: Mixture, psi: Measure, posterior: Array, y: Labels, noise: NoiseMatrix
) -> Mixture:
    """Return the rule of a mixture with the smallest corrected loss, alone."""
    confusion = ConfusionPath(posterior, y, noise.n)
    losses = [
        psi(project_to_joint(noise.correct_confusion(confusion(L))).confusion)
        for L in mixture.losses
    ]
    return Mixture.single(mixture.losses[int(np.argmin(losses))])


def _checked_weights(sample_weight: Any, X: Any, learner: Any) -> Array | None:
    if sample_weight is None:
        return None
    if not takes_weights(learner):
        raise NcbenchError(
            f"sample_weight: the learner {type(learner).__name__} does not take weights; use one "
            "that does, such as cpe=LogisticRegression()"
        )
    return np.asarray(_check_sample_weight(sample_weight, X, ensure_non_negative=True))


def _resampled(weights: Array) -> NDArray[np.intp]:
    """Return each example as often as its weight says; all equally often if weights are equal."""
    size = len(weights) * max(1, _RESAMPLED // len(weights))
    until = np.floor(np.cumsum(weights) / weights.sum() * size + 0.5).astype(np.intp)
    return np.repeat(np.arange(len(weights)), np.diff(until, prepend=0))
