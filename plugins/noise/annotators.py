"""Labels that several people gave: as they are, or made up."""

from typing import Literal

import numpy as np

from ncbench import Dataset, NcbenchError, NoiseMatrix, NoisyLabels
from ncbench.data import Annotations, random_matrix, require_clean
from ncbench.noise_estimation import dawid_skene
from ncbench.types import Labels

Use = Literal["one", "all", "majority", "dawid_skene"]


class Annotators:
    """The labels that people gave, as they are: no noise is added, and sigma is not used.

    Examples without a label are not trained on.

    Parameters
    ----------
    use : {"one", "all", "majority", "dawid_skene"}
        What to train on if an example has several labels: ``one`` of them, drawn at random;
        ``all``, each as an example of its own; the ``majority``, with ties drawn at random; or the
        label that is most probable by the method of Dawid and Skene (1979), which weights people
        by their estimated reliability.
    """

    uses_sigma = False

    def __init__(self, use: Use = "one") -> None:
        self.use = use
        self.draws = use in ("one", "majority")

    def corrupt(self, dataset: Dataset, sigma: float, rng: np.random.Generator) -> NoisyLabels:
        """Return the labels; their noise matrix is not known."""
        given = dataset.annotations
        if given is None:
            raise NcbenchError(
                f"data set {dataset.name!r} has no labels by annotators; noise=random adds noise "
                "to its clean labels"
            )
        rows, y = chosen(given, self.use, len(dataset.y), dataset.n_classes, rng)
        return NoisyLabels(None, y, rows, class_conditional=None, annotations=given)


class SimulatedAnnotators:
    """Made-up people of different skill, each with a noise matrix of their own.

    The share of wrong labels of a person is uniform between ``(1 - spread) sigma`` and
    ``(1 + spread) sigma``. Which wrong label is given is drawn as in ``noise=random``, for each
    person anew.

    Parameters
    ----------
    people : int
        Number of people.
    labels : int
        Number of people who label each example, drawn at random.
    spread : float
        How much people differ, from 0 to 1.
    use : {"one", "all", "majority", "dawid_skene"}
        What to train on: see ``noise=annotators``.
    """

    def __init__(
        self, people: int = 10, labels: int = 3, spread: float = 0.5, use: Use = "one"
    ) -> None:
        if not 1 <= labels <= people or not 0 <= spread <= 1:
            raise NcbenchError(
                f"noise=annotators_simulated: people={people}, labels={labels}, spread={spread}; "
                "expected 1 <= labels <= people and spread in [0, 1]"
            )
        self.people, self.labels, self.spread, self.use = people, labels, spread, use

    def corrupt(self, dataset: Dataset, sigma: float, rng: np.random.Generator) -> NoisyLabels:
        """Return the labels, and their noise matrix if they are single labels of people."""
        require_clean(dataset)
        m, n = len(dataset.y), dataset.n_classes
        who = rng.permuted(np.tile(np.arange(self.people), (m, 1)), axis=1)[:, : self.labels]
        levels = np.clip(sigma * (1 + self.spread * rng.uniform(-1, 1, self.people)), 0, 1)
        matrices = [random_matrix(n, level, rng) for level in levels]
        labels = np.empty((m, self.labels), dtype=np.int64)
        for person, T in enumerate(matrices):
            mine = np.nonzero(who == person)
            labels[mine] = NoiseMatrix(T).draw_labels(dataset.y[mine[0]], rng)
        rows = np.repeat(np.arange(m), self.labels)
        names = tuple(f"person {k + 1}" for k in range(self.people))
        given = Annotations(rows, who.ravel(), labels.ravel(), names)
        rows, y = chosen(given, self.use, m, n, rng)
        # A label of a person drawn at random; that of a vote has another matrix, which is unknown.
        single = self.use in ("one", "all")
        noise = NoiseMatrix(np.mean(matrices, axis=0)) if single else None
        return NoisyLabels(noise, y, rows, class_conditional=True, annotations=given)


def chosen(
    given: Annotations, use: Use, m: int, n: int, rng: np.random.Generator
) -> tuple[Labels, Labels]:
    """Return the labels to train on, each with its example.

    Examples
    --------
    >>> given = Annotations([0, 0, 0, 2], [0, 1, 2, 0], [1, 1, 0, 0], ("ann", "bob", "eve"))
    >>> chosen(given, "majority", 3, 2, np.random.default_rng(0))
    (array([0, 2]), array([1, 0]))
    >>> len(chosen(given, "all", 3, 2, np.random.default_rng(0))[1])
    4
    """
    labeled = np.unique(given.rows)
    if use == "all":
        return given.rows, given.labels
    if use == "dawid_skene":
        return labeled, dawid_skene(given, m, n).labels[labeled]
    if use == "one":
        shuffled = rng.permutation(len(given.rows))
        _, first = np.unique(given.rows[shuffled], return_index=True)
        return labeled, given.labels[shuffled[first]]
    votes = np.zeros((m, n))
    np.add.at(votes, (given.rows, given.labels), 1.0)
    return labeled, (votes + rng.uniform(0, 0.5, votes.shape))[labeled].argmax(axis=1)
