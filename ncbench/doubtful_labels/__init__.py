"""For people with doubtful labels: one classifier that corrects for noise in a measure."""

from ncbench.doubtful_labels.corrected_classifier import NoiseCorrectedClassifier

__all__ = ["NoiseCorrectedClassifier"]
