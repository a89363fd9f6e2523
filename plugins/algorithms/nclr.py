"""Noise-corrected logistic regression (NCLR), and the argmax of learned class probabilities.

They estimate the clean posterior and predict its mode for any measure. They are baselines for
algorithms that optimize a measure.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from ncbench import NoiseMatrix, NoisyLabelClassifier
from ncbench.core import Mixture
from ncbench.learning import (
    CrossEntropy,
    ForwardCrossEntropy,
    Loss,
    PosteriorClassifier,
    check_path,
    fit_penalty_path,
)
from ncbench.types import Array, Labels


class NCLRPlugIn(PosteriorClassifier):
    """NCLR-Plug-in: predict the largest entry of T^-1 eta~(x) (Zhang, Lee & Agarwal 2021).

    Parameters
    ----------
    cpe : scikit-learn classifier, optional
        Learner of noisy class probabilities; by default the registered ``logistic``.
    random_state : int, optional
        Seed of the CPE learner.
    """

    def __init__(self, cpe: Any = None, random_state: int | None = None) -> None:
        self.cpe = cpe
        self.random_state = random_state

    def fit_mixture(self, posterior: Array, y: Labels, noise: NoiseMatrix) -> Mixture:
        """Return the rule of the most probable class."""
        return Mixture.single(1.0 - np.eye(noise.n))


class CPEArgmax(NCLRPlugIn):
    """Uncorrected baseline: predict the most probable noisy label."""

    uses_noise_matrix = False


class _NCLR(NoisyLabelClassifier):
    """Base class: standardizes features, chooses the penalty by cross-validation, and fits."""

    def __init__(
        self,
        penalties: list[float] | None = None,
        folds: int = 3,
        max_iter: int = 500,
        tol: float = 1e-5,
        random_state: int | None = None,
    ) -> None:
        self.penalties = penalties
        self.folds = folds
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise NcbenchError if a parameter is invalid."""
        check_path(self.penalties, self.folds, self.max_iter, self.tol)

    @abstractmethod
    def _training_loss(self, noise: NoiseMatrix, y: Labels) -> Loss: ...

    def _fit(self, X: Array, y: Labels, noise: NoiseMatrix) -> None:
        self._scaler = StandardScaler().fit(X)
        self.model_, self.penalty_, self.n_iter_ = fit_penalty_path(
            self._scaler.transform(X),
            y,
            noise,
            self._training_loss,
            penalties=self.penalties,
            folds=self.folds,
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=self.random_state,
        )

    def _predict_proba(self, X: Array) -> Array:
        return self.model_.posterior(self._scaler.transform(X))


class NCLRForward(_NCLR):
    """Logistic regression with the forward-corrected loss ``-log (T g(x))_y``.

    Penalized maximum likelihood fit of the noisy labels, given T (Patrini et al. 2017). The loss is
    not convex. The fit starts at zero with the strongest penalty and follows the path down to the
    chosen one, so the result depends only on the data, the parameters and ``random_state``.

    Parameters
    ----------
    penalties : list of float, optional
        Candidates for mu in ``mu/2 ||W||^2``; the intercept is not penalized. By default 13 values
        from 1 to 1e-6. Cross-validated forward loss chooses, from strong to weak, and stops after
        two penalties without improvement.
    folds : int
        Folds of the cross-validation, stratified by noisy label.
    max_iter : int
        Iterations of L-BFGS for each penalty.
    tol : float
        Largest entry of the gradient at the solution, for whitened features.
    random_state : int or None
        Seed of the folds.

    Attributes
    ----------
    model_ : ncbench.learning.linear_softmax.LinearSoftmax
        The fitted model, on features standardized to mean 0 and variance 1.
    penalty_ : float
        The chosen penalty.
    n_iter_ : int
        Iterations of the final fit, including its path.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(-1, 1, 60)[:, None]
    >>> y = np.where(X[:, 0] > 0, "yes", "no")
    >>> y[::10] = "yes"  # a few "no" were written down as "yes"
    >>> T = [[0.8, 0.0], [0.2, 1.0]]
    >>> NCLRForward(random_state=0).fit(X, y, noise_matrix=T).predict([[-0.5], [0.5]])
    array(['no', 'yes'], dtype='<U3')
    """

    def _training_loss(self, noise: NoiseMatrix, y: Labels) -> Loss:
        return ForwardCrossEntropy(noise, y)


class NCLRBackward(_NCLR):
    """Logistic regression with the backward-corrected loss ``(T^-T l(g(x)))_y``, ``l = -log g``.

    The corrected loss is an unbiased estimate of the clean log loss (Patrini et al. 2017). It is
    convex but has no lower bound. A penalty on the weights and, if necessary, a shift of the
    corrected class priors bound it; see :meth:`ncbench.learning.CrossEntropy.backward`.

    The *forward* loss on held-out folds chooses the penalty. It is proper for the same posterior
    and bounded. The backward loss is not suitable: if T overstates the noise in the sample, by
    estimation or by chance, its held-out value decreases without bound as the weights grow, and the
    weakest penalty wins with a useless model.

    Parameters
    ----------
    penalties, folds, max_iter, tol, random_state
        See :class:`NCLRForward`.

    Attributes
    ----------
    model_, penalty_, n_iter_
        See :class:`NCLRForward`.
    prior_moved_ : float
        Probability mass moved between classes to make ``T^-1`` times the class frequencies a
        distribution; 0 if it already was.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(-1, 1, 60)[:, None]
    >>> y = np.where(X[:, 0] > 0, "yes", "no")
    >>> y[::10] = "yes"  # a few "no" were written down as "yes"
    >>> T = [[0.8, 0.0], [0.2, 1.0]]
    >>> NCLRBackward(random_state=0).fit(X, y, noise_matrix=T).predict([[-0.5], [0.5]])
    array(['no', 'yes'], dtype='<U3')
    """

    def _fit(self, X: Array, y: Labels, noise: NoiseMatrix) -> None:
        super()._fit(X, y, noise)
        self.prior_moved_ = CrossEntropy.backward(noise, y, bounded=True).moved

    def _training_loss(self, noise: NoiseMatrix, y: Labels) -> Loss:
        return CrossEntropy.backward(noise, y, bounded=True)
