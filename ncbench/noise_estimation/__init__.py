"""What a T estimator is given, how its estimate is repaired, and what held-out labels say."""

from ncbench.noise_estimation.dawid_skene import Crowd, dawid_skene
from ncbench.noise_estimation.held_out import HeldOut, Performance
from ncbench.noise_estimation.posterior import (
    LEARNERS,
    NoisePosterior,
    fit_noise_posterior,
    held_out_logs,
)
from ncbench.noise_estimation.repair import (
    diagnostics,
    project_columns,
    repair_estimate,
    restored,
    stored,
)
from ncbench.noise_estimation.sample import CleanLabels, NoisySample
from ncbench.noise_estimation.share import LEVEL, Share, share_of_wrong

__all__ = [
    "LEARNERS", "LEVEL", "CleanLabels", "Crowd", "HeldOut", "NoisePosterior", "NoisySample",
    "Performance", "Share", "dawid_skene", "diagnostics", "fit_noise_posterior", "held_out_logs",
    "project_columns", "repair_estimate", "restored", "share_of_wrong", "stored",
]  # fmt: skip
