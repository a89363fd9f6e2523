"""For people with doubtful labels: how wrong they are, which ones, and a classifier to ship."""

from ncbench.own_labels.arguments import has_background, named_measure
from ncbench.own_labels.audit import (
    DEFAULT_T_ESTIMATOR,
    PEOPLE_T_ESTIMATOR,
    estimate_noise,
    examine,
    plan,
    uncertainty,
)
from ncbench.own_labels.classifier import DEFAULT_LEARNER, NoiseCorrectedClassifier
from ncbench.own_labels.data import (
    OwnData,
    one_label_each,
    read_annotations,
    read_noise_matrix,
    read_own_data,
)
from ncbench.own_labels.diagnosis import AsRanked, Gain, correction_gains, labels_to_look_at
from ncbench.own_labels.estimate import NoiseEstimate, shown_names
from ncbench.own_labels.issues import find_label_issues, rank_labels
from ncbench.own_labels.model import TableModel
from ncbench.own_labels.model_file import read_model, require_storable, write_model
from ncbench.own_labels.performance import estimate_performance, hold_out
from ncbench.own_labels.verdict import cheap_doubts, cheap_verdict, classes_gone

__all__ = [
    "DEFAULT_LEARNER", "DEFAULT_T_ESTIMATOR", "PEOPLE_T_ESTIMATOR", "AsRanked", "Gain",
    "NoiseCorrectedClassifier", "NoiseEstimate", "OwnData", "TableModel", "cheap_doubts",
    "cheap_verdict", "classes_gone", "correction_gains", "estimate_noise",
    "estimate_performance", "examine", "find_label_issues", "has_background", "hold_out",
    "labels_to_look_at", "named_measure", "one_label_each", "plan", "rank_labels",
    "read_annotations", "read_model", "read_noise_matrix", "read_own_data", "require_storable",
    "shown_names", "uncertainty", "write_model",
]  # fmt: skip
