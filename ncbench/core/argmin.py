"""Exact, lazy confusion matrices of argmin classifiers along a sequence of loss matrices.

Frank-Wolfe evaluates the classifier ``argmin_k posterior(x)^T L[:, k]`` for thousands of loss
matrices. They converge, so almost no example changes its label from one step to the next. We keep
a reference loss ``R`` and sort the examples by how far they are from changing their label there.
Scaling a loss ``L`` by ``s > 0`` and adding a constant to each row does not change the classifier.
So with ``D = s * L - R``, each row minus its mean, the gap between classes k and a moves by ::

    |sum_y posterior_y (D[y,k] - D[y,a])|  <=  size(x) * sqrt(2) * ||D / w||_F,
    size(x) = ||w * posterior(x)||_2

for any row weights ``w[y] > 0`` (Cauchy-Schwarz). The best w equalizes how much the rows of D move.
We use the range of row y of R, because the rows of rare classes are large and move a lot. Only
examples with ``gap(x) / size(x)`` up to the bound can have changed their label. They are a prefix
of the sorted examples, and only they are evaluated again.

Every evaluation sums over the classes in the same order, for any number of examples (BLAS does not
guarantee that). So lazy and plain labels are equal bit for bit, ties included.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import blake2b
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ncbench.errors import NcbenchError
from ncbench.types import Array, Labels

LAZY_FROM = 1000
"""With fewer examples than this, evaluating all of them is faster than finding the changed ones.

BLAS then evaluates them. It rounds differently from ``argmin_labels``, so scores that differ only
by rounding may be ranked differently. Scores that are exactly equal are not affected.
"""

# Costs measured with 4 to 7 classes and 600 to 400,000 examples.
SORT_COST = 2.5  # cost of a sort, in evaluations of all examples
SORT_OVERHEAD = 6000  # fixed cost of a sort, in evaluations of one example
BLOCK = 32  # a prefix is a whole number of blocks, so the counts of the rest can be looked up
NEAR = 0.25  # share of the examples that is sorted; a step that reaches beyond evaluates all
_CHUNK = 16384  # examples per evaluation, so that their scores fit into the cache
_FLOOR = 1e-3  # weight of a constant row, relative to the largest: it may not stay constant
_TINY = 1e-140  # the squares of sizes below this, or above its inverse, are not accurate

# Bypass numpy's dispatch to other array types: it would take a tenth of the time of a step.
_einsum = getattr(np.einsum, "__wrapped__", np.einsum)


def argmin_labels(posterior: Array, loss: Array) -> Labels:
    """Return ``argmin_k posterior(x)^T loss[:, k]`` for each row; ties go to the lowest k.

    This function defines the classifier. It evaluates the loss as given: equal columns have scores
    that are equal bit for bit, so a constant loss gives label 0 everywhere.

    Parameters
    ----------
    posterior : array of shape (m, n)
        Rows ``eta(x)``; entries may be negative, as in ``T^-1 eta~(x)``.
    loss : array of shape (n, n)
        ``loss[y, k]``, the cost of predicting k when the truth is y.

    Examples
    --------
    >>> argmin_labels(np.array([[0.9, 0.1], [0.5, 0.5], [0.3, 0.7]]), 1 - np.eye(2))
    array([0, 0, 1])
    """
    columns = np.ascontiguousarray(np.asarray(posterior, dtype=np.float64).T)
    loss = np.asarray(loss, dtype=np.float64)
    return _labels(columns, loss if 1e-100 < np.vdot(loss, loss) < 1e100 else _moderate(loss))


def _moderate(loss: Array) -> Array:
    """Scale the loss by a power of two so that it can neither overflow nor underflow.

    The scaling is exact, so no label changes.
    """
    peak = float(np.abs(loss).max())
    if not math.isfinite(peak):
        raise NcbenchError(f"loss matrix: entries must be finite, got\n{loss}")
    scaled: Array = np.ldexp(loss, -math.frexp(peak)[1])
    return scaled


def _scores(columns: Array, loss: Array) -> Array:
    """Return the scores, shape (n, m), for ``columns`` of shape (n, m).

    einsum without ``optimize`` loops over the examples and sums the classes in order. With a single
    example it would loop over the classes instead and round differently.
    """
    if columns.shape[1] == 1:
        return _scores(np.repeat(columns, 2, axis=1), loss)[:, :1]
    scores: Array = _einsum("ym,yk->km", columns, loss)
    return scores


def _labels(columns: Array, loss: Array) -> Labels:
    m = columns.shape[1]
    if m <= _CHUNK // 8:
        few: Labels = _scores(columns, loss).argmin(axis=0)
        return few
    labels = np.empty(m, dtype=np.int64)
    for start in range(0, m, _CHUNK):
        chunk = slice(start, start + _CHUNK)
        labels[chunk] = _tournament(_scores(columns[:, chunk], loss))[0]
    return labels


def _tournament(scores: Array) -> tuple[NDArray[np.int16], Array, Array]:
    """Return the argmin over classes, the lowest score and the second lowest score.

    Looping over the classes is faster than numpy's argmin along a short axis.
    """
    label = (scores[1] < scores[0]).astype(np.int16)
    best, second = np.minimum(scores[0], scores[1]), np.maximum(scores[0], scores[1])
    for k in range(2, len(scores)):
        score = scores[k]
        np.putmask(label, score < best, np.int16(k))
        np.minimum(second, np.maximum(best, score), out=second)
        np.minimum(best, score, out=best)
    return label, best, second


class _Reference:
    """The labels at a reference loss, and the examples closest to a label change, sorted.

    ``labels`` holds the labels of all examples. ``near`` indexes the closest examples, closest
    first, and ``columns`` holds their posteriors, one row per class.
    """

    def __init__(self, columns: Array, loss: Array) -> None:
        n, m = columns.shape
        spread = loss.max(axis=1) - loss.min(axis=1)
        weight = spread + _FLOOR * spread.max()
        if not weight[0] > 0:  # a constant loss: everything is a tie
            weight = np.ones(n)
        self._centre = np.eye(n) - 1 / n
        self._row_scale = np.repeat(1 / weight, n)
        self._loss = loss.dot(self._centre).ravel() * self._row_scale
        self._length = float(self._loss.dot(self._loss))
        # The rounding error of a score is at most (n + 1) eps ||w * posterior|| ||loss / w||. That
        # of the distances and bounds computed from scores is little more, at either loss.
        self._unit = 16 * (n + 2) * float(np.finfo(np.float64).eps / weight.min())
        self._rounding = self._unit * float(np.linalg.norm(loss))
        self._slack = 8 * n * n * float(np.finfo(np.float64).eps)  # of 1 / cos^2

        self.labels, distance = _distances(columns, loss, weight)
        # Sorting the closest examples is enough; the cut-off need not be exact.
        self._limit = float(np.quantile(distance[:: max(1, m // 4096)], NEAR))
        near = np.flatnonzero(distance <= self._limit)
        self.near = near[distance[near].argsort()]
        self.columns = columns.take(self.near, axis=1)
        self._starts = distance[self.near[::BLOCK]]

    def reach(self, loss: Array, norm: float) -> int:
        """Return how many blocks of ``near`` may have changed; -1 if any example may have."""
        move = loss.dot(self._centre).ravel()
        move *= self._row_scale
        along = float(move.dot(self._loss))
        if not along > 0:
            return -1
        # With the best scale, length / along, the squared norm of D / w is length * tan^2 of the
        # angle between the two losses; tan^2 = 1 / cos^2 - 1.
        scale = self._length / along
        tan2 = float(move.dot(move)) * scale / along - 1
        move_bound = math.sqrt(2 * self._length * (max(tan2, 0.0) + self._slack))
        bound = move_bound + self._unit * norm * scale + self._rounding
        # Not "bound >= limit": a NaN bound must reach everything, too.
        return int(self._starts.searchsorted(bound, side="right")) if bound < self._limit else -1


def _distances(columns: Array, loss: Array, weight: Array) -> tuple[Labels, Array]:
    """Return the labels and how far the loss must move, relative to ``weight``, to change them."""
    m = columns.shape[1]
    labels, distance = np.empty(m, dtype=np.int64), np.zeros(m)
    for start in range(0, m, _CHUNK):
        chunk = slice(start, start + _CHUNK)
        part = columns[:, chunk]
        labels[chunk], best, second = _tournament(_scores(part, loss))
        part = part * weight[:, None]
        size = np.sqrt(np.einsum("ym,ym->m", part, part))
        # Where squares overflow or underflow, no bound holds: distance 0 means "always evaluate".
        regular = (size > _TINY * weight.max()) & (size < weight.min() / _TINY)
        np.divide(second - best, size, out=distance[chunk], where=regular)
    return labels, distance


class _LazyLabels:
    """Labels along a sequence of losses; sorts again once a new sort pays off."""

    def __init__(self, posterior: Array, lazy_from: int) -> None:
        posterior = np.asarray(posterior, dtype=np.float64)
        if posterior.ndim != 2 or not np.all(np.isfinite(posterior)):
            raise NcbenchError(
                f"posterior of shape {posterior.shape}; expected shape (m, n) and finite entries"
            )
        self.columns = np.ascontiguousarray(posterior.T)
        self.reference: _Reference | None = None
        self._m = len(posterior)
        self._posterior = posterior if self._m < lazy_from else None
        self._patience = SORT_COST * self._m + SORT_OVERHEAD
        self._work = 0

    def step(self, loss: Array) -> tuple[_Reference | None, Labels]:
        """Return a reference and the labels of its ``near`` examples that may have changed.

        All other examples keep the label of the reference. If the reference is None, the labels are
        those of all examples.
        """
        loss = np.asarray(loss, dtype=np.float64)
        square = float(np.vdot(loss, loss))
        if not 1e-100 < square < 1e100:
            loss = _moderate(loss)
            square = float(np.vdot(loss, loss))
        if self._posterior is not None:
            return None, (self._posterior @ loss).argmin(axis=1)
        if self._work > self._patience:
            self.reference = _Reference(self.columns, loss)
            self._work = 0
        reference = self.reference
        blocks = -1 if reference is None else reference.reach(loss, math.sqrt(square))
        if reference is None or blocks < 0:
            self._work += self._m
            return None, _labels(self.columns, loss)
        if blocks > 1:  # a new sort cannot do better than one block
            self._work += blocks * BLOCK
        return reference, _labels(reference.columns[:, : blocks * BLOCK], loss)


class ConfusionPath:
    """Confusion matrices of argmin classifiers along a sequence of loss matrices.

    The matrices are exact for any sequence; for a converging sequence they are also fast.

    Parameters
    ----------
    posterior : array of shape (m, n)
    y : array of shape (m,)
        Labels 0..n-1 to compare with; in training, the noisy ones.
    n : int, optional
        Number of classes; by default the number of columns of ``posterior``.
    lazy_from : int
        With fewer examples than this, every loss evaluates all of them.

    Examples
    --------
    >>> path = ConfusionPath(np.array([[0.9, 0.1], [0.3, 0.7]]), np.array([0, 1]))
    >>> path(1 - np.eye(2))
    array([[0.5, 0. ],
           [0. , 0.5]])
    >>> path(np.array([[0.0, 9.0], [1.0, 0.0]]))
    array([[0.5, 0. ],
           [0.5, 0. ]])
    """

    def __init__(
        self, posterior: Array, y: Labels, n: int | None = None, *, lazy_from: int = LAZY_FROM
    ) -> None:
        self._path = _LazyLabels(posterior, lazy_from)
        self._n, self._m = self._path.columns.shape
        if n not in (None, self._n) or len(y) != self._m:
            raise NcbenchError(
                f"posterior of shape ({self._m}, {self._n}) does not fit {len(y)} labels "
                f"of {self._n if n is None else n} classes"
            )
        # codes + label is the index of a cell of the confusion matrix.
        self._codes = np.asarray(y, dtype=np.int64) * self._n
        self._size = np.array(float(self._m))  # dividing by an array takes half as long
        self._counted: _Reference | None = None

    def __call__(self, loss: Array) -> Array:
        """Return ``C[i, j]``, the share of the examples with ``y = i`` and label j."""
        reference, labels = self._path.step(loss)
        if reference is None:
            labels += self._codes
            counts = np.bincount(labels, minlength=self._n**2)
        else:
            if reference is not self._counted:
                self._count(reference)
            size = len(labels)
            labels += self._near_codes[:size]
            counts = np.bincount(labels, minlength=self._n**2)
            counts += self._rest[-(-size // BLOCK)]
        confusion: Array = counts.reshape(self._n, self._n) / self._size
        return confusion

    def _count(self, reference: _Reference) -> None:
        """Tabulate the confusion counts without the first 0, 1, 2, ... blocks of ``near``."""
        cells = self._n**2
        codes = self._codes + reference.labels
        total = np.bincount(codes, minlength=cells)
        self._near_codes = self._codes[reference.near]
        blocks = -(-len(reference.near) // BLOCK)
        block = np.arange(len(reference.near)) // BLOCK
        table = np.bincount(codes[reference.near] + cells * block, minlength=cells * blocks)
        self._rest = np.empty((blocks + 1, cells), dtype=np.int64)
        self._rest[0] = total
        np.subtract(total, table.reshape(blocks, cells).cumsum(axis=0), out=self._rest[1:])
        self._counted = reference


def mixture_distribution(
    posterior: Array, losses: Array, weights: Array, *, lazy_from: int = LAZY_FROM
) -> Array:
    """Return the prediction distribution of a mixture of argmin classifiers.

    Parameters
    ----------
    posterior : array of shape (m, n)
    losses : array of shape (K, n, n)
        Loss matrices. The order in which the algorithm found them is the fastest.
    weights : array of shape (K,)
        Probabilities of the classifiers.
    lazy_from : int
        See :class:`ConfusionPath`.

    Returns
    -------
    array of shape (m, n)
        Row x is ``sum_k weights[k] * onehot(argmin_labels(posterior, losses[k]))[x]``.

    Examples
    --------
    >>> losses = np.array([[[0.0, 1.0], [1.0, 0.0]], [[0.0, 9.0], [1.0, 0.0]]])
    >>> mixture_distribution(np.array([[0.9, 0.1], [0.3, 0.7]]), losses, np.array([0.25, 0.75]))
    array([[1.  , 0.  ],
           [0.75, 0.25]])
    """
    path = _LazyLabels(posterior, lazy_from)
    n, m = path.columns.shape
    distribution = np.zeros((m, n))
    current = np.zeros(m, dtype=np.int64)
    since = np.zeros(m)  # total weight when the example got its current label
    total = 0.0
    seen: _Reference | None = None
    extent = 0  # beyond this many ``near`` examples, the labels are those of the reference
    for loss, weight in zip(losses, weights, strict=True):
        reference, labels = path.step(loss)
        if reference is None or reference is not seen:
            new = labels
            if reference is not None:
                new = reference.labels.copy()
                new[reference.near[: len(labels)]] = labels
            index = np.flatnonzero(new != current)
            new = new[index]
        else:
            index = reference.near[: max(extent, len(labels))]
            new = np.concatenate([labels, reference.labels[index[len(labels) :]]])
            changed = np.flatnonzero(new != current[index])
            index, new = index[changed], new[changed]
        seen, extent = reference, len(labels)
        distribution[index, current[index]] += total - since[index]
        since[index] = total
        current[index] = new
        total += weight
    distribution[np.arange(m), current] += total - since
    return distribution


# Randomized classifiers: mixtures of argmin rules over one posterior.

_PART = 16  # losses to compare at a time


@dataclass(frozen=True)
class Mixture:
    """``h = sum_k weights[k] * (x -> argmin_j eta(x)^T losses[k][:, j])``.

    Parameters
    ----------
    losses : array of shape (K, n, n)
    weights : array of shape (K,)
        Nonnegative, sum to 1.
    """

    losses: Array
    weights: Array

    @classmethod
    def single(cls, loss: Array) -> Self:
        """Return the deterministic classifier of one loss matrix."""
        return cls(loss[None], np.ones(1))

    def merged(self) -> Self:
        """Return the same classifier with equal components merged.

        Components are equal if their losses differ only by a positive factor and by constants added
        to rows, which do not change the argmin. Losses are compared to 12 digits, their accuracy.

        Examples
        --------
        >>> zero_one = 1.0 - np.eye(2)
        >>> Mixture(np.stack([zero_one, 3 * zero_one - 1]), np.array([0.3, 0.7])).merged().weights
        array([1.])
        """
        number: dict[bytes, int] = {}  # of each component, in the order in which they come:
        first: list[int] = []  # neighbors stay together, so lazy evaluation is fast
        component = np.empty(len(self.losses), dtype=np.intp)
        for start in range(0, len(self.losses), _PART):
            part = self.losses[start : start + _PART]  # all at once would be several times all
            canonical = part - part.mean(axis=2, keepdims=True)
            scale = np.abs(canonical).max(axis=(1, 2), keepdims=True)
            np.divide(canonical, scale, out=canonical, where=scale > 0)
            canonical = canonical.round(12) + 0.0  # not -0.0, which has other bytes
            for k, loss in enumerate(canonical, start):
                same = number.setdefault(blake2b(loss.tobytes()).digest(), len(first))
                if same == len(first):
                    first.append(k)
                component[k] = same
        weights = np.zeros(len(first))
        np.add.at(weights, component, self.weights)
        losses = self.losses if len(first) == len(self.losses) else self.losses[first]
        return type(self)(losses, weights)

    def compressed(self, confusions: Array) -> Self:
        """Return a mixture of at most n^2 components with the same confusion matrix.

        By Caratheodory's theorem, a point in the convex hull of confusion matrices is in the convex
        hull of a few of them. Predictions on examples not in ``confusions`` may change.

        Parameters
        ----------
        confusions : array of shape (K, n, n)
            The confusion matrix of each component, all on the same examples.

        Examples
        --------
        >>> losses = np.arange(20.0).reshape(5, 2, 2)
        >>> share = np.array([0.0, 0.1, 0.2, 0.3, 0.4])  # of class 1 that is found
        >>> C = np.stack([[[0.5, 0.0], [0.5 - s, s]] for s in share])
        >>> len(Mixture(losses, np.full(5, 0.2)).compressed(C).weights)
        2
        """
        index, weights = reduce_support(confusions.reshape(len(confusions), -1), self.weights)
        return type(self)(self.losses[index], weights)

    def distribution(self, posterior: Array) -> Array:
        """Return the distribution of the prediction for each row of ``posterior``."""
        return mixture_distribution(posterior, self.losses, self.weights)


def reduce_support(points: Array, weights: Array) -> tuple[NDArray[np.intp], Array]:
    """Choose a few of the points and new weights that give the same weighted mean.

    This is Caratheodory's theorem. Points are added one at a time. Once there are too many to be
    affinely independent, weight moves along a dependency until one point has none left. Early
    points with small weights, such as the first steps of Frank-Wolfe, go first. A basic solution
    from ``scipy.optimize.linprog`` would also do, but it has no such preference.

    Parameters
    ----------
    points : array of shape (K, d)
    weights : array of shape (K,)
        Positive, sum to 1.

    Returns
    -------
    index : array of int
        The chosen points, at most 1 + the dimension of the points' affine hull.
    weights : array
        Their weights; nonnegative, sum to 1.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> index, weights = reduce_support(square, np.full(4, 0.25))
    >>> len(index), weights @ square[index]
    (2, array([0.5, 0.5]))
    """
    centred = points - weights @ points
    # Coordinates within the affine hull, one per dimension.
    _, spread, axes = np.linalg.svd(centred, full_matrices=False)
    rank = int(np.sum(spread > 1e-12 * max(1.0, spread[0])))
    columns = np.vstack([axes[:rank] @ centred.T, np.ones(len(points))])
    active: list[int] = []
    share = weights.astype(np.float64).copy()
    for k in range(len(points)):
        active.append(k)
        if len(active) <= rank + 1:
            continue
        dependency = _dependency(columns[:, active])
        current = share[active]
        positive = np.flatnonzero(dependency > 0)
        ratio = current[positive] / dependency[positive]
        step = ratio.min()
        share[active] = current - step * dependency
        gone = positive[ratio.argmin()]
        share[active[gone]] = 0.0
        active = [i for i in active if share[i] > 0.0]
    index = np.array(active)
    return index, share[index] / share[index].sum()


def _dependency(columns: Array) -> Array:
    """Return weights with which columns, one more than rows, sum to zero.

    The last row is ones, so the weights sum to zero, too: some are positive.
    """
    try:
        dependency = np.append(np.linalg.solve(columns[:, :-1], columns[:, -1]), -1.0)
    except np.linalg.LinAlgError:
        pass
    else:
        if np.abs(dependency).max() < 1e8:  # otherwise nearly singular
            return dependency
    return np.asarray(np.linalg.svd(columns)[2][-1])
