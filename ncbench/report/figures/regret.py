"""Figures of the regret against the sample size and against the amount of noise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ncbench.errors import NcbenchError
from ncbench.files import make_folder
from ncbench.results.regret import CURVE, curve_keys, slopes


def draw(frame: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw ``regret_<measure>_<algo>.svg`` for each curve of ``terms``; return the paths.

    If an algorithm has several curves for a measure, the file name has the keys that differ.

    The left panel shows regret against m for each sigma, with the fitted slope. The right panel
    shows regret against ``||T^-1||_1`` for each m. All axes are logarithmic; error bars are one
    standard error.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise NcbenchError("figures need matplotlib: pip install 'ncbench[report]'") from error
    make_folder(folder)
    paths: list[Path] = []
    fits, keys = slopes(frame), curve_keys(frame)
    for key, curve in frame.groupby(keys):
        names = dict(zip(keys, map(str, key), strict=True))
        figure = Figure(figsize=(9, 3.6), layout="constrained")
        against_m, against_noise = figure.subplots(1, 2, sharey=True)
        colors = mpl.colormaps["viridis"](np.linspace(0, 0.9, curve["sigma"].nunique()))
        for color, (sigma, line) in zip(colors, curve.groupby("sigma"), strict=True):
            label = f"$\\sigma$ = {sigma:g}"
            fit = fits[(fits[[*keys, "sigma"]] == [*key, sigma]).all(axis=1)]
            if len(fit):
                slope, at_1 = fit[["slope", "at_1"]].iloc[0]
                label += f", slope {slope:.2f}"
                ends = np.array([line["m"].min(), line["m"].max()])
                against_m.plot(ends, at_1 * ends**slope, ":", color=color, linewidth=1)
            bars = {"color": color, "marker": "o", "markersize": 4, "linewidth": 1, "capsize": 2}
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
        others = _differing(frame, names)
        figure.suptitle(", ".join([names["algo"], names["measure"], *others]), fontsize=10)
        paths.append(_free(folder, ["regret", names["measure"], names["algo"], *others], paths))
        # Text as text, and no date, so that files are small and change only with the numbers.
        with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ncbench"}):
            figure.savefig(paths[-1], metadata={"Date": None})
    return paths


def _differing(frame: pd.DataFrame, names: dict[str, str]) -> list[str]:
    """Return the settings in which a curve differs from others of its measure and algorithm."""
    alike = frame[(frame["measure"] == names["measure"]) & (frame["algo"] == names["algo"])]
    keys = [key for key in names if alike[key].nunique() > 1 and names[key] != ""]
    # The name of a plug-in is clear without its key; a number is not.
    return [names[key] if key in CURVE else f"{key}={names[key]}" for key in keys]


def _free(folder: Path, words: Sequence[str], taken: Sequence[Path]) -> Path:
    """Return a path that no other curve has; words may contain any character."""
    stem = "_".join(re.sub(r"[^\w.=-]+", "-", word) for word in words)
    path, number = folder / f"{stem}.svg", 2
    while path in taken:
        path, number = folder / f"{stem}_{number}.svg", number + 1
    return path
