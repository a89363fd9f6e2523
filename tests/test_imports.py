"""Old names of modules, methods and attributes still work, with a notice."""

from __future__ import annotations

import pydoc
import re
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

import ncbench
from ncbench import Mixture, NoiseMatrix, PosteriorClassifier
from ncbench.imports import NEW_HOMES


def test_every_module_that_moved_is_found_where_it_was() -> None:
    assert len(NEW_HOMES) > 55
    for new in NEW_HOMES.values():
        for home in new:
            import_module(home)


OLD_AND_NEW = [
    ("from ncbench.aggregate import tidy", "from ncbench.results.frame import tidy"),
    ("from ncbench.reading import each_record", "from ncbench.results.read import each_record"),
    ("from ncbench.statistics import paired", "from ncbench.results.statistics import paired"),
    ("import ncbench.noise_matrix as it", "import ncbench.core.noise_matrix as it"),
    ("from ncbench.registry import resolve_measure", "from ncbench.learning import *"),
    (
        "from ncbench.figures.results import results",
        "from ncbench.results.series import results",
    ),
    (
        "from ncbench.figures.loss_against_sigma import loss_against_sigma",
        "from ncbench.report.figures.loss_against_sigma import loss_against_sigma",
    ),
    ("from ncbench.finalise import finalise", "from ncbench.noise_estimation import *"),
    ("from ncbench.plugin import Plugin", "from ncbench.plugin.description import Plugin"),
]


@pytest.mark.slow
def test_an_old_import_gives_the_same_thing() -> None:
    # All in one new process: importing scikit-learn takes seconds.
    code = "import sys\n"
    for number, (old, new) in enumerate(OLD_AND_NEW):
        name = old.split()[-1]
        code += f"print('== {number}', file=sys.stderr)\n{old}\nfirst = {name}\n{new}\n"
        if name == "finalise":
            code += "finalise = repair_estimate\n"
        if name == "it":
            code += "assert first.NoiseMatrix is it.NoiseMatrix\n"
        else:
            code += f"assert first is {name}\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    notices = re.split(r"^== \d+\n", done.stderr, flags=re.MULTILINE)[1:]
    for (old, _), notice in zip(OLD_AND_NEW, notices, strict=True):
        if "ncbench.plugin " not in old:
            assert "FutureWarning: ncbench." in notice, old
            assert "the old name works until" in notice, old


def test_the_matrix_is_still_called_t() -> None:
    noise = NoiseMatrix([[0.9, 0.2], [0.1, 0.8]])
    with pytest.warns(FutureWarning, match=r"NoiseMatrix\.T is now NoiseMatrix\.matrix"):
        old = noise.T
    assert old is noise.matrix


class New(PosteriorClassifier):
    def __init__(self, cpe=None, random_state=None):
        self.cpe = cpe
        self.random_state = random_state

    def fit_mixture(self, posterior, y, noise):
        return Mixture.single(1 - np.eye(noise.n))


def test_a_method_that_writes_mix_still_works_and_may_call_its_parent() -> None:
    with pytest.warns(FutureWarning, match=r"Old\._mix is now fit_mixture"):

        class Old(New):
            def _mix(self, posterior, y, noise):
                mixture = super()._mix(posterior, y, noise)
                return Mixture.single(-mixture.losses[0])

    X, y = np.array([[0.0], [0.1], [1.0], [1.1]] * 10), np.array([0, 0, 1, 1] * 10)
    from sklearn.naive_bayes import GaussianNB

    new, old = (algorithm(cpe=GaussianNB()).fit(X, y) for algorithm in (New, Old))
    assert (new.predict(X) == y).all()
    assert (old.predict(X) == 1 - y).all()


def test_dir_and_help_show_the_public_names() -> None:
    assert set(ncbench.__all__) <= set(dir(ncbench))
    assert "__version__" in dir(ncbench)
    page = pydoc.plain(pydoc.render_doc(ncbench))
    for name in ncbench.__all__:
        assert re.search(rf"\b{name}\b", page), name
