"""The quantities in the paper's theorems, computed where the distribution is known."""

from ncbench.theory.bayes import bayes_optimal
from ncbench.theory.bounds import Population

__all__ = [
    "Population", "bayes_optimal",
]  # fmt: skip
