"""Figures of regret: against the size of the sample, and against the amount of noise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ncbench.errors import NcbenchError
from ncbench.theory.summary import CURVE, slopes


def draw(frame: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw ``regret_<measure>_<algo>.svg`` for each curve of ``summary.terms``; return the paths.

    On the left regret against m for each sigma with the fitted slope, on the right regret
    against ``||T^-1||_1`` for each m, all on logarithmic axes; bars are one standard error.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise NcbenchError(
            "drawing needs matplotlib: pip install 'ncbench[report]' (or matplotlib itself)"
        ) from error
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    several = [key for key in CURVE[1:] if key != "algo" and frame[key].nunique() > 1]
    fits = slopes(frame)
    for key, curve in frame.groupby(CURVE):
        names = dict(zip(CURVE, key, strict=True))
        figure = Figure(figsize=(9, 3.6), layout="constrained")
        against_m, against_noise = figure.subplots(1, 2, sharey=True)
        colours = mpl.colormaps["viridis"](np.linspace(0, 0.9, curve["sigma"].nunique()))
        for colour, (sigma, line) in zip(colours, curve.groupby("sigma"), strict=True):
            label = f"$\\sigma$ = {sigma:g}"
            fit = fits[(fits[[*CURVE, "sigma"]] == [*key, sigma]).all(axis=1)]
            if len(fit):
                slope, at_1 = fit[["slope", "at_1"]].iloc[0]
                label += f", slope {slope:.2f}"
                ends = np.array([line["m"].min(), line["m"].max()])
                against_m.plot(ends, at_1 * ends**slope, ":", color=colour, linewidth=1)
            bars = {"color": colour, "marker": "o", "markersize": 4, "linewidth": 1, "capsize": 2}
            against_m.errorbar(line["m"], line["regret"], line["sem"], label=label, **bars)
        against_m.set(xscale="log", yscale="log", xlabel="m", ylabel="regret")
        against_m.legend(fontsize=7)
        for size, line in curve.groupby("m"):
            by_noise = line.sort_values("inverse_norm")
            against_noise.plot(
                by_noise["inverse_norm"],
                by_noise["regret"],
                "o-",
                label=f"m = {size}",
                markersize=4,
            )
        against_noise.set(xscale="log", yscale="log", xlabel="$\\|T^{-1}\\|_1$")
        against_noise.legend(fontsize=7)
        figure.suptitle(f"{names['algo']}, {names['measure']}", fontsize=10)
        stem = "_".join(["regret", *(str(names[k]) for k in ("measure", "algo", *several))])
        paths.append(folder / f"{stem}.svg")
        # Text as text and no date: small files that change only when the numbers do.
        with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ncbench"}):
            figure.savefig(paths[-1], metadata={"Date": None})
    return paths
