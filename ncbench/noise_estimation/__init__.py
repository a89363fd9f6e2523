"""The input of T estimators, the repair of their estimates, and the audit of a user's labels."""

from ncbench.noise_estimation.audit import (
    DEFAULT_T_ESTIMATOR,
    PEOPLE_T_ESTIMATOR,
    estimate_noise,
    examine,
    plan,
    uncertainty,
)
from ncbench.noise_estimation.dawid_skene import Crowd, dawid_skene
from ncbench.noise_estimation.estimate import LEVEL, NoiseEstimate, share_of_wrong
from ncbench.noise_estimation.label_notices import shown_names
from ncbench.noise_estimation.noise_posterior import (
    LEARNERS,
    NoisePosterior,
    fit_noise_posterior,
    held_out_logs,
)
from ncbench.noise_estimation.own_data import (
    OwnData,
    one_label_each,
    read_annotations,
    read_noise_matrix,
    read_own_data,
)
from ncbench.noise_estimation.repair import (
    diagnostics,
    project_columns,
    repair_estimate,
    restored,
    stored,
)
from ncbench.noise_estimation.sample import CleanLabels, NoisySample
from ncbench.noise_estimation.verdict import cheap_doubts, cheap_verdict, classes_gone

__all__ = [
    "DEFAULT_T_ESTIMATOR", "LEARNERS", "LEVEL", "PEOPLE_T_ESTIMATOR", "CleanLabels", "Crowd",
    "NoiseEstimate", "NoisePosterior", "NoisySample", "OwnData", "cheap_doubts",
    "cheap_verdict", "classes_gone", "dawid_skene", "diagnostics", "estimate_noise", "examine",
    "fit_noise_posterior", "held_out_logs", "one_label_each", "plan", "project_columns",
    "read_annotations", "read_noise_matrix", "read_own_data", "repair_estimate", "restored",
    "share_of_wrong", "shown_names", "stored", "uncertainty",
]  # fmt: skip
