"""Data sets shipped with ncbench."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ncbench import Dataset, hookimpl

from . import file, music_genre, openml, packages, synthetic, uci


@hookimpl
def ncbench_datasets() -> Mapping[str, Callable[..., Dataset]]:
    """Return data sets by name."""
    return {
        "synthetic": synthetic.synthetic,
        "vehicle": uci.vehicle,
        "pageblocks": uci.pageblocks,
        "satimage": uci.satimage,
        "covtype": uci.covtype,
        "covtype_sample": uci.covtype_sample,
        "abalone": uci.abalone,
        **packages.loaders(),
        "music_genre": music_genre.music_genre,
        "openml": openml.openml,
        "file": file.file,
    }
