"""Held-out MAP: maximum a posteriori T from labels that the learners have not seen."""

from dataclasses import replace

import numpy as np

from ncbench import NoiseMatrix, NoisySample
from ncbench.errors import NcbenchError, require
from ncbench.learning import Fit, HeldOutNoise, NoisePrior, SharedShapeNoise, held_out_rows
from ncbench.noise_estimation import (
    fit_noise_posterior,
    held_out_logs,
    repair_estimate,
    share_of_wrong,
)

_ALL_ENTRIES = 50  # classes; the covariance of all entries of T has n^2 (n - 1)^2 numbers
_MOST_CLASSES = 500
_ROWS = 5  # for each class, of more classes: one for each fold
_NUMBERS = 1e7  # in the draws of T
_CLEAR = 0.05  # share of ambiguous examples up to which classes are apart


class HeldOutMAP:
    """Joint fit of T and the sharpness of two learners to held-out labels.

    A model that is fitted to noisy labels follows some of the noise. So a joint fit of T and the
    model to the same labels finds too little noise, as a variance is too small if it is computed
    from the residuals of a fit. Here, two learners (linear and trees) predict each label without
    having seen it. A second model combines the logarithms of their probabilities,
    ``g = softmax(sum_k a_k log p_k + b)``, and T, a and b maximize the likelihood ``(T g)_y`` of
    the held-out labels times a prior. If classes are apart, a becomes large: the posterior is
    sharp, and what is left is noise. If classes overlap, it stays flat. A label that was checked
    enters with its likelihood ``T_yc g_c``.

    Of more than 50 classes, T has a rate of mistakes for each class, but one shape for all: see
    :class:`~ncbench.learning.SharedShapeNoise`. An estimate says so in its warnings.

    The prior is that of forward_map, with a standard deviation tau, times one of the level of
    noise. The share of wrong labels, its interval and the ranking of labels come from the whole
    posterior: see :class:`~ncbench.noise_estimation.NoisePosterior`. T is for learning, and one
    with too much noise does harm there, so it is a careful choice: the mode with the smaller tau,
    unless the evidence for the larger one beats it clearly (see ``caution`` and ``allowance``), or
    the lowest tenth of the posterior has more noise than both.

    Parameters
    ----------
    caution : float
        Nats of evidence that the larger tau must gain if its ``||T^-1||_1`` is twice as large; in
        proportion for other ratios, and much less if its clean posterior leaves fewer than 5 % of
        the examples ambiguous: an eighth if 2.5 %.
    allowance : float
        Nats that it must gain, in addition, for each example that its own clean posterior leaves
        ambiguous: there, the model may be wrong.
    draws : int
        Number of draws from the posterior of T, for intervals.
    """

    def __init__(self, caution: float = 70.0, allowance: float = 0.05, draws: int = 500) -> None:
        require(caution >= 0, "t_estimator.caution", caution, "at least 0")
        require(allowance >= 0, "t_estimator.allowance", allowance, "at least 0")
        require(draws >= 1, "t_estimator.draws", draws, "at least 1")
        self.caution = caution
        self.allowance = allowance
        self.draws = draws

    def estimate(self, sample: NoisySample) -> NoiseMatrix:
        """Return the estimate; the CPE learner is not used."""
        n = sample.n_classes
        m = len(sample.y)
        if n > _ALL_ENTRIES and n > min(_MOST_CLASSES, m // _ROWS):
            raise NcbenchError(
                f"held_out_map: {n:,} classes in {m:,} rows; it takes at most {_MOST_CLASSES}, "
                f"and more than {_ALL_ENTRIES} only with {_ROWS} rows for each. Are these "
                "labels classes? If so, merge rare ones, or use another estimator, such as "
                "confident_joint"
            )
        seed = sample.stack_seed()
        rows = held_out_rows(len(sample.y), seed, sample.checked)
        y = sample.y[rows]
        checked = None if sample.checked is None else sample.checked[rows]
        F = held_out_logs(sample.X[rows], y, n, seed)
        model_type = HeldOutNoise if n <= _ALL_ENTRIES else SharedShapeNoise
        model = model_type(F, y, n, checked)
        posterior, best = fit_noise_posterior(model, y, np.random.default_rng(seed))
        posterior = replace(posterior, rows=rows)
        careful, vague = (model.fit(best[tau].theta, NoisePrior(tau)) for tau in (0.3, 3.0))
        T = NoiseMatrix((vague if self._beats(vague, careful, len(y)) else careful).T)
        least = NoiseMatrix(posterior.least_noise())
        if share_of_wrong(least, sample.counts) > share_of_wrong(T, sample.counts):
            T = least
        count = min(self.draws, max(20, int(_NUMBERS / n**2)))
        draws = posterior.sample(count, np.random.default_rng(seed))
        left_out = () if n <= _ALL_ENTRIES else (_left_out(n),)
        return repair_estimate(T.matrix, sample.classes, left_out, draws, posterior)

    def _beats(self, vague: Fit, careful: Fit, rows: int) -> bool:
        """Return whether the evidence for the larger tau outweighs its inverse and ambiguity."""
        larger = max(vague.inverse_norm / careful.inverse_norm - 1, 0.0)
        unclear = min(vague.ambiguous / (_CLEAR * rows), 1.0) ** 3
        needed = self.caution * larger * unclear + self.allowance * vague.ambiguous
        return vague.log_evidence - careful.log_evidence > needed


def _left_out(n: int) -> str:
    return (
        f"{n} classes, more than {_ALL_ENTRIES}: a rate of mistakes is estimated for each class; "
        "which wrong labels a class gets is a rough guess, from all classes together and from what "
        "held-out predictions confuse"
    )
