"""For people with doubtful labels: a classifier, the labels to look at again, estimated losses."""

from ncbench.doubtful_labels.corrected_classifier import DEFAULT_LEARNER, NoiseCorrectedClassifier
from ncbench.doubtful_labels.diagnosis import AsRanked, Gain, correction_gains, labels_to_look_at
from ncbench.doubtful_labels.issues import find_label_issues, rank_labels
from ncbench.doubtful_labels.model_file import read_model, require_storable, write_model
from ncbench.doubtful_labels.named_measure import has_background, named_measure
from ncbench.doubtful_labels.performance import (
    HeldOut,
    Performance,
    estimate_performance,
    hold_out,
)
from ncbench.doubtful_labels.table_model import TableModel

__all__ = [
    "DEFAULT_LEARNER", "AsRanked", "Gain", "HeldOut", "NoiseCorrectedClassifier", "Performance",
    "TableModel", "correction_gains", "estimate_performance", "find_label_issues",
    "has_background", "hold_out", "labels_to_look_at", "named_measure", "rank_labels",
    "read_model", "require_storable", "write_model",
]  # fmt: skip
