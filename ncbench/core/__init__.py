"""The objects of the paper: T, C, psi, argmin classifiers, mixtures of them, random streams."""

from ncbench.core.argmin import ConfusionPath, Mixture
from ncbench.core.confusion import expected_confusion, project_to_joint, with_possible_recalls
from ncbench.core.measure import Family, Measure, RecallMeasure
from ncbench.core.noise_matrix import MAX_CONDITION, NoiseMatrix, SingularNoise
from ncbench.core.random_streams import split_random_state, stream

__all__ = [
    "MAX_CONDITION", "ConfusionPath", "Family", "Measure", "Mixture", "NoiseMatrix",
    "RecallMeasure", "SingularNoise", "expected_confusion", "project_to_joint",
    "split_random_state", "stream", "with_possible_recalls",
]  # fmt: skip
