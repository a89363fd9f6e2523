"""For people with doubtful labels: a classifier, the labels to look at again, estimated losses.

Import ``table_model`` and ``model_file`` by their paths.
"""

from ncbench.doubtful_labels.corrected_classifier import NoiseCorrectedClassifier
from ncbench.doubtful_labels.diagnosis import Gain, correction_gains, labels_to_look_at
from ncbench.doubtful_labels.issues import find_label_issues
from ncbench.doubtful_labels.performance import HeldOut, Performance, estimate_performance

__all__ = [
    "Gain", "HeldOut", "NoiseCorrectedClassifier", "Performance", "correction_gains",
    "estimate_performance", "find_label_issues", "labels_to_look_at",
]  # fmt: skip
