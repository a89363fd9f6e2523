"""Data sets, noisy labels, and reading them from files."""

from ncbench.data.annotated import annotated_dataset, annotated_labels
from ncbench.data.column_values import plain_name
from ncbench.data.columns import TableEncoder
from ncbench.data.dataset import (
    Annotations,
    Dataset,
    InstanceNoise,
    MatrixNoise,
    NoisyLabels,
    identified_by,
    positions,
    random_matrix,
    read_only,
    require_clean,
)
from ncbench.data.encoding import (
    features_and_labels,
    fitted_encoder,
    notice_spellings,
    require_columns,
    split_labels,
)
from ncbench.data.labels import UNKNOWN, Classes, given_labels, label_array, plain_array
from ncbench.data.npz import (
    Arrays,
    content_of_path,
    digest,
    examples,
    read_npz,
    recorded_noise,
    write_npz,
)
from ncbench.data.tables import TABLES, as_written, at_row, lines_of, read_table, table_name

__all__ = [
    "TABLES", "UNKNOWN", "Annotations", "Arrays", "Classes", "Dataset", "InstanceNoise",
    "MatrixNoise", "NoisyLabels", "TableEncoder", "annotated_dataset", "annotated_labels",
    "as_written", "at_row", "content_of_path", "digest", "examples", "features_and_labels",
    "fitted_encoder", "given_labels", "identified_by", "label_array", "lines_of",
    "notice_spellings", "plain_array", "plain_name", "positions", "random_matrix", "read_npz",
    "read_only", "read_table", "recorded_noise", "require_clean", "require_columns", "split_labels",
    "table_name", "write_npz",
]  # fmt: skip
