"""Ranks of the algorithms over data sets, from results."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from ncbench.figures.results import NothingToDraw
from ncbench.statistics import Ranks, friedman


class Ranking(NamedTuple):
    """Ranks for one measure, and how many of its cells could not take part."""

    measure: str
    ranks: Ranks
    left_out: int

    @property
    def said(self) -> str:
        """What is ranked, in words."""
        said = f"{self.measure}: average rank over {self.ranks.n_datasets} data sets"
        if self.left_out:
            said += f"; {self.left_out} cells left out, where not every algorithm is done"
        return said


def ranking(frame: pd.DataFrame) -> Ranking:
    """Rank the algorithms by their loss on each data set, for one measure.

    The loss on a data set is the mean over its sigmas and settings: they share their examples,
    and would not be independent blocks of a test. A setting counts where every algorithm is done;
    an algorithm that is done nowhere, such as one that cannot optimise the measure, is not ranked.

    Parameters
    ----------
    frame : DataFrame
        Rows of ``results``, of one measure.

    Examples
    --------
    >>> rows = [
    ...     (data, "sigma 0.1", algo, 0.1, loss, "done")
    ...     for data in ("iris", "wine")
    ...     for algo, loss in (("ncfw", 0.2), ("fw", 0.3))
    ... ]
    >>> columns = ["dataset", "problem", "series", "sigma", "mean", "status"]
    >>> frame = pd.DataFrame(rows, columns=columns).assign(measure="h_mean")
    >>> ranking(frame).ranks.average_ranks
    {'ncfw': 1.0, 'fw': 2.0}
    """
    (measure,) = frame["measure"].unique()
    done = frame[frame["status"] == "done"]
    losses = done.pivot_table(
        index=["dataset", "problem", "sigma"], columns="series", values="mean", sort=False
    )
    complete = losses.dropna()
    by_dataset = complete.groupby("dataset", sort=False).mean()
    if len(by_dataset) < 2 or len(by_dataset.columns) < 2:
        raise NothingToDraw(
            f"{measure}: ranks need two or more algorithms that are done on the same two or more "
            f"data sets; here {len(losses.columns)} and {len(by_dataset)}"
        )
    ranks = friedman(by_dataset.to_numpy(), [str(name) for name in by_dataset.columns])
    return Ranking(str(measure), ranks, int(losses.count().sum() - complete.count().sum()))
