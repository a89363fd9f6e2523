"""For people with doubtful labels: a classifier for a measure, and the labels to look at again."""

from ncbench.doubtful_labels.corrected_classifier import NoiseCorrectedClassifier
from ncbench.doubtful_labels.issues import find_label_issues

__all__ = ["NoiseCorrectedClassifier", "find_label_issues"]
