"""Data sets, noisy labels, and reading them from files."""

from ncbench.data.dataset import Dataset, NoisyLabels, identified_by, read_only
from ncbench.data.encoding import features_and_labels, label_array
from ncbench.data.noise_model import MatrixNoise
from ncbench.data.npz import (
    Arrays,
    content_of_path,
    digest,
    examples,
    read_npz,
    recorded_noise,
    write_npz,
)
from ncbench.data.tables import TABLES, read_table

__all__ = [
    "TABLES", "Arrays", "Dataset", "MatrixNoise", "NoisyLabels", "content_of_path", "digest",
    "examples", "features_and_labels", "identified_by", "label_array", "read_npz", "read_only",
    "read_table", "recorded_noise", "write_npz",
]  # fmt: skip
