"""
A measure and an algorithm in one file
======================================

This file is a plug-in, complete as it is. The keyword arguments of a class, with their types and
defaults, are its configuration: ``algo.power=0.5`` works on the command line, and a sweep may go
over it. :ref:`Another example <sphx_glr_docs_gallery_plot_5_own_method.py>` runs it.
"""

import numpy as np

from ncbench import Mixture, PosteriorClassifier, RecallMeasure, hookimpl

# %%
# The measure is a loss of the recalls and its slope, so that Frank-Wolfe can minimize it.


class SquaredMisses(RecallMeasure):
    """Mean over classes of the squared share that is missed."""

    family = "monotonic_convex"

    def value(self, recalls):
        """Return the loss."""
        return np.mean((1 - recalls) ** 2)

    def slope(self, recalls):
        """Return its derivative by each recall."""
        return -2 * (1 - recalls) / len(recalls)


# %%
# The algorithm gets class probabilities that are corrected for noise, and returns a rule: what it
# costs to predict k for y.


class BalancedRule(PosteriorClassifier):
    """Predict the class whose probability exceeds its prior the most."""

    def __init__(self, cpe=None, power: float = 1.0, random_state=None):
        self.cpe = cpe
        self.power = power
        self.random_state = random_state

    def fit_mixture(self, posterior, y, noise):
        """Return the rule."""
        prior = np.maximum(posterior.mean(axis=0), 1 / len(y))
        return Mixture.single(-np.diag(prior**-self.power))


# %%
# Hooks give them their names.


@hookimpl
def ncbench_measures():
    """Enter the measure."""
    return {"squared_misses": SquaredMisses}


@hookimpl
def ncbench_algorithms():
    """Enter the algorithm."""
    return {"balanced_rule": BalancedRule}
