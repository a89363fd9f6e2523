"""For people with doubtful labels: how wrong they are, which ones, and a classifier to ship.

Import ``text``, ``estimate_text`` and ``page`` by their paths: they are for the command line.
"""

from ncbench.own_labels.arguments import (
    DEFAULT_T_ESTIMATOR,
    PEOPLE_T_ESTIMATOR,
    has_background,
    named_measure,
    read_noise_matrix,
)
from ncbench.own_labels.classifier import DEFAULT_LEARNER, NoiseCorrectedClassifier
from ncbench.own_labels.data import OwnData, one_label_each, read_annotations, read_own_data
from ncbench.own_labels.diagnosis import AsRanked, Gain, correction_gains, labels_to_look_at
from ncbench.own_labels.estimate import estimate_noise, estimate_own_noise, plan
from ncbench.own_labels.issues import find_label_issues, rank_own_labels
from ncbench.own_labels.model import TableModel
from ncbench.own_labels.model_file import read_model, require_storable, write_model
from ncbench.own_labels.noise_estimate import NoiseEstimate
from ncbench.own_labels.performance import estimate_performance, hold_out

__all__ = [
    "DEFAULT_LEARNER", "DEFAULT_T_ESTIMATOR", "PEOPLE_T_ESTIMATOR", "AsRanked", "Gain",
    "NoiseCorrectedClassifier", "NoiseEstimate", "OwnData", "TableModel", "correction_gains",
    "estimate_noise", "estimate_own_noise", "estimate_performance", "find_label_issues",
    "has_background", "hold_out", "labels_to_look_at", "named_measure", "one_label_each", "plan",
    "rank_own_labels", "read_annotations", "read_model", "read_noise_matrix",
    "read_own_data", "require_storable", "write_model",
]  # fmt: skip
