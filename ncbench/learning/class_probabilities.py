"""Class probability estimation (CPE) with any scikit-learn classifier."""

from __future__ import annotations

import time
import warnings
from abc import abstractmethod
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from ncbench.core import Mixture, NoiseMatrix
from ncbench.errors import NcbenchError, require
from ncbench.learning.classifier import NoisyLabelClassifier, not_written
from ncbench.plugin import get_registry
from ncbench.types import Array, Labels

SampleSplit = Literal["none", "half", "crossfit"]

CROSSFIT_FOLDS = 5


def cpe_learner(name: str, random_state: int | None = None, like: Any = None) -> Any:
    """Return a registered CPE learner with its default parameters.

    Parameters
    ----------
    name : str
    random_state : int, optional
        Passed on if the learner has this parameter.
    like : scikit-learn classifier, optional
        A learner supplied by a run. If it shares its fits with other cells, through a method
        ``alike``, so does the returned learner.

    Examples
    --------
    >>> hasattr(cpe_learner("logistic"), "predict_proba")
    True
    """
    learner = get_registry().build("cpe", name, random_state=random_state)
    return like.alike(learner, name) if hasattr(like, "alike") else learner


def learner_of(cpe: Any, default: str, random_state: int | None) -> Any:
    """Return the learner that the argument ``cpe`` of a function names or is.

    Parameters
    ----------
    cpe : str, scikit-learn classifier or None
    default : str
        The name of the learner for None.
    random_state : int or None
        For a learner that is named.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> learner_of(GaussianNB(), "logistic", 0)
    GaussianNB()
    >>> hasattr(learner_of(None, "logistic", 0), "predict_proba")
    True
    """
    cpe = default if cpe is None else cpe
    if isinstance(cpe, str):
        return cpe_learner(cpe, random_state)
    if isinstance(cpe, type) or not (hasattr(cpe, "fit") and hasattr(cpe, "predict_proba")):
        raise NcbenchError(
            f"cpe={cpe!r}; expected a scikit-learn classifier with predict_proba, or the name "
            f"of a learner: {', '.join(get_registry().names('cpe'))}"
        )
    return cpe


def posterior(cpe: Any, X: Array, n: int) -> Array:
    """Return ``predict_proba`` with one column for each of the n classes.

    A class that was not in the training data has probability 0.
    """
    probabilities = np.asarray(cpe.predict_proba(X), dtype=np.float64)
    if probabilities.shape[1] == n:
        return probabilities
    widened = np.zeros((len(probabilities), n))
    widened[:, cpe.classes_] = probabilities
    return widened


def takes_weights(cpe: Any) -> bool:
    """Return whether a learner, or the last step of a pipeline, takes ``sample_weight``.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> takes_weights(GaussianNB()), takes_weights(KNeighborsClassifier())
    (True, False)
    """
    return bool(has_fit_parameter(cpe[-1] if isinstance(cpe, Pipeline) else cpe, "sample_weight"))


def finite_features(cpe: Any) -> Literal["allow-nan"] | bool:
    """Return ``ensure_all_finite`` of scikit-learn for a learner: whether features may be missing.

    Of a pipeline, the first step decides.

    Examples
    --------
    >>> from sklearn.impute import SimpleImputer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> finite_features(make_pipeline(SimpleImputer(), LogisticRegression()))
    'allow-nan'
    >>> finite_features(LogisticRegression())
    True
    """
    first = cpe[0] if isinstance(cpe, Pipeline) else cpe
    tagged = hasattr(first, "__sklearn_tags__")
    return "allow-nan" if tagged and get_tags(first).input_tags.allow_nan else True


def numbered_labels(
    y: NDArray[Any], noise_matrix: NoiseMatrix | ArrayLike | None
) -> tuple[NDArray[Any], Labels, NoiseMatrix]:
    """Return the classes, the labels as 0..n-1 and the noise, for a learner that may be told T.

    With T, labels are 0..n-1, and the sample may lack some of the n classes. Without, they may be
    of any type, and there is no noise.

    Examples
    --------
    >>> classes, codes, noise = numbered_labels(np.array(["b", "a"]), None)
    >>> classes, codes, noise.n
    (array(['a', 'b'], dtype='<U1'), array([1, 0]), 2)
    """
    if noise_matrix is None:
        classes, codes = np.unique(y, return_inverse=True)
        return classes, codes.astype(np.int64), NoiseMatrix.identity(len(classes))
    n = len(np.asarray(noise_matrix))
    return np.arange(n), np.asarray(y).astype(np.int64), NoiseMatrix.of(noise_matrix, n)


def fit_cpe(
    cpe: Any, X: Array, y: Labels, noise: NoiseMatrix | None, weights: Array | None = None
) -> Any:
    """Fit a clone of the learner; pass the noise if its ``fit`` takes ``noise_matrix``.

    A part of the data may have a single class, if another one is rare. Few learners accept that, so
    a constant takes their place.

    Parameters
    ----------
    cpe : scikit-learn classifier
        Not modified.
    X, y : arrays
        Features and noisy labels 0..n-1.
    noise : NoiseMatrix or None
    weights : array of shape (m,), optional
        Weights of the examples, for a learner that ``takes_weights``.
    """
    if (y == y[0]).all():
        return DummyClassifier(strategy="prior").fit(X, y)
    told: dict[str, Any] = {"noise_matrix": noise} if has_fit_parameter(cpe, "noise_matrix") else {}
    if weights is not None:
        step = f"{cpe.steps[-1][0]}__" if isinstance(cpe, Pipeline) else ""
        told[f"{step}sample_weight"] = weights
    return clone(cpe).fit(X, y, **told)


class ArgmaxClassifier(ClassifierMixin, BaseEstimator):
    """Base class of learners: predicts the most probable of ``classes_``."""

    classes_: NDArray[Any]

    @abstractmethod
    def predict_proba(self, X: Array) -> Array:
        """Return class probabilities."""

    def predict(self, X: Array) -> NDArray[Any]:
        """Return the most probable class, of noisy labels."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


class FittedPosterior(NamedTuple):
    """A fitted CPE learner, and the sample that confusion matrices are estimated on."""

    cpe: Any
    posterior: Array
    y: Labels
    rows: Labels
    """The examples of this sample."""


def fit_posterior(
    cpe: Any,
    X: Array,
    y: Labels,
    n: int,
    sample_split: SampleSplit,
    random_state: int | None,
    noise: NoiseMatrix | None = None,
    weights: Array | None = None,
) -> FittedPosterior:
    """Fit the CPE learner and choose the sample for estimating confusion matrices.

    Parameters
    ----------
    cpe : scikit-learn classifier
        Not modified.
    X, y : arrays
        The noisy sample, labels 0..n-1.
    n : int
        Number of classes.
    sample_split : {"none", "half", "crossfit"}
        ``half`` is line 3 of Algorithms 1 and 2: S1 trains the learner, S2 estimates confusion
        matrices. ``none`` uses the whole sample for both. ``crossfit`` also uses the whole sample
        for both, but estimates with out-of-fold probabilities. A learner with a method
        ``held_out_posterior`` has such probabilities already, NaN where it predicted none: they are
        used for both of these.
    random_state : int or None
        Seed of the halves or folds.
    noise : NoiseMatrix, optional
        Passed to learners that take it.
    weights : array of shape (m,), optional
        Passed to the learner.
    """

    def fit(part: Any) -> Any:
        return fit_cpe(cpe, X[part], y[part], noise, None if weights is None else weights[part])

    known, rows = get_args(SampleSplit), np.arange(len(y))
    require(sample_split in known, "sample_split", repr(sample_split), f"one of {', '.join(known)}")
    if sample_split == "half":
        counts = np.bincount(y, minlength=n)
        first, second = train_test_split(
            rows, test_size=0.5, random_state=random_state, stratify=_strata(counts, y)
        )
        fitted = fit(first)
        return FittedPosterior(fitted, posterior(fitted, X[second], n), y[second], second)
    fitted = fit(slice(None))
    if hasattr(fitted, "held_out_posterior"):  # a constant in its place has none
        held_out = fitted.held_out_posterior()
        rows = np.flatnonzero(~np.isnan(held_out[:, 0]))
        return FittedPosterior(fitted, held_out[rows], y[rows], rows)
    if sample_split == "none":
        return FittedPosterior(fitted, posterior(fitted, X, n), y, rows)
    held_out = out_of_fold_posterior(cpe, X, y, n, random_state, noise, weights)
    return FittedPosterior(fitted, held_out, y, rows)


def out_of_fold_posterior(
    cpe: Any,
    X: Array,
    y: Labels,
    n: int,
    random_state: int | None,
    noise: NoiseMatrix | None = None,
    weights: Array | None = None,
) -> Array:
    """Return class probabilities of each example by a learner that has not seen its label.

    Parameters
    ----------
    cpe, X, y, n, random_state, noise, weights
        See :func:`fit_posterior`. There are five folds, stratified by label.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = np.repeat([[0.0], [1.0]], 10, axis=0), np.repeat([0, 1], 10)
    >>> y[0] = 1
    >>> out_of_fold_posterior(KNeighborsClassifier(1), X, y, 2, random_state=0)[0]
    array([1., 0.])
    """
    probabilities = np.empty((len(y), n))
    for train, held_out in stratified_folds(y, n, CROSSFIT_FOLDS, random_state):
        part = None if weights is None else weights[train]
        fitted = fit_cpe(cpe, X[train], y[train], noise, part)
        probabilities[held_out] = posterior(fitted, X[held_out], n)
    return probabilities


def deal_folds(y: Labels, folds: int, order: Labels) -> Labels:
    """Assign a fold to each example by dealing out the examples of each class like cards.

    Works for any class size, even a single example. scikit-learn's ``StratifiedKFold`` raises an
    error if every class is smaller than the number of folds.

    Parameters
    ----------
    y : array of shape (m,)
    folds : int
    order : array of shape (m,)
        A permutation of the examples.

    Examples
    --------
    >>> deal_folds(np.array([1, 0, 0, 1, 1]), 2, np.arange(5))
    array([0, 0, 1, 1, 0])
    """
    order = order[np.argsort(y[order], kind="stable")]
    fold = np.empty(len(y), dtype=np.int64)
    fold[order] = np.arange(len(y)) % min(folds, len(y))
    return fold


def stratified_folds(
    y: Labels, n: int, folds: int, random_state: int | None
) -> list[tuple[Labels, Labels]]:
    """Return shuffled stratified folds as pairs of training and held-out indices.

    There are fewer folds if no class has enough examples. A class with a single example joins the
    stratum of the largest class.

    Parameters
    ----------
    y : array of shape (m,)
        Labels 0..n-1.
    n : int
        Number of classes.
    folds : int
    random_state : int or None
    """
    counts = np.bincount(y, minlength=n)
    size = int(np.clip(counts.max(), 2, folds))
    if counts.max() < 2:
        return list(KFold(size, shuffle=True, random_state=random_state).split(y))
    with warnings.catch_warnings():
        # A class smaller than the number of folds may be missing from a held-out part.
        warnings.filterwarnings("ignore", message="The least populated class")
        splitter = StratifiedKFold(size, shuffle=True, random_state=random_state)
        return list(splitter.split(y, _strata(counts, y)))


def _strata(counts: Labels, y: Labels) -> Labels | None:
    # A class with a single example cannot be on both sides of a split.
    if counts.max() < 2:
        return None
    return np.where(counts[y] < 2, counts.argmax(), y)


# Algorithms that first learn class probabilities and then predict by argmin rules.


class PosteriorClassifier(NoisyLabelClassifier):
    """Mixture of argmin rules over noise-corrected class probabilities.

    Subclasses take ``cpe`` and ``random_state`` as parameters and implement ``fit_mixture``. A
    parameter ``sample_split``, if they have it, selects the examples for confusion matrices.

    Attributes
    ----------
    cpe_ : scikit-learn classifier
        The fitted learner of noisy class probabilities.
    noise_matrix_ : NoiseMatrix
        The noise matrix used for the correction.
    mixture_ : Mixture
        The classifier, as a function of the corrected posterior.
    confusion_ : array of shape (n, n)
        The mixture's estimated noisy confusion matrix, if the algorithm uses OP2.
    diagnostics_ : dict
        Plain numbers about the optimization, for the record.
    seconds_ : dict
        Duration of the two stages of the fit, ``cpe`` and ``optimise``.
    """

    cpe: Any
    random_state: int | None
    sample_split: SampleSplit = "none"
    randomized = True

    def _fit(self, X: Array, y: Labels, noise: NoiseMatrix) -> None:
        learner = learner_of(self.cpe, "logistic", self.random_state)
        started = time.perf_counter()
        fitted = fit_posterior(learner, X, y, noise.n, self.sample_split, self.random_state, noise)
        self.cpe_ = fitted.cpe
        learned = time.perf_counter()
        self.noise_matrix_ = noise
        self.diagnostics_: dict[str, Any] = {}
        # OP1 (Proposition 8): compute T^-1 eta~ once instead of T^-T L in every step.
        self.mixture_ = self.fit_mixture(noise.correct_posterior(fitted.posterior), fitted.y, noise)
        self.seconds_ = {"cpe": learned - started, "optimise": time.perf_counter() - learned}

    def _predict_proba(self, X: Array) -> Array:
        noisy = posterior(self.cpe_, X, self.noise_matrix_.n)
        return self.mixture_.distribution(self.noise_matrix_.correct_posterior(noisy))

    @abstractmethod
    def fit_mixture(self, posterior: Array, y: Labels, noise: NoiseMatrix) -> Mixture:
        r"""Return the fitted mixture; a subclass implements this method.

        A classifier is a mixture of argmin rules. A rule with loss matrix L predicts
        :math:`\operatorname{argmin}_k \sum_y p_y(x) L_{yk}` for corrected posteriors
        :math:`p(x) = T^{-1} \tilde\eta(x)`. This is OP1: :math:`p^\top L =
        \tilde\eta^\top (T^{-\top} L)`, so L is a loss of *clean* labels. If :math:`\tilde C` is the
        rule's confusion matrix with the noisy labels, its confusion matrix with the clean labels is
        :math:`C = T^{-1} \tilde C`. This is OP2: ``noise.correct_confusion``.

        Parameters
        ----------
        posterior : array of shape (m, n)
            Rows p(x). They sum to 1 and may have negative entries.
        y : array of shape (m,)
            Noisy labels, 0..n-1, of the same examples.
        noise : NoiseMatrix
            T, as used to correct the posteriors.

        Returns
        -------
        Mixture
            Loss matrices and their weights; ``Mixture.single(L)`` for one rule.
        """
        raise not_written(self, "fit_mixture(self, posterior, y, noise)")
