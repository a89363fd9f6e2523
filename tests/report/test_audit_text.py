"""The text of estimate-noise."""

from __future__ import annotations

from ncbench.noise_estimation import repair_estimate
from ncbench.report.audit_text import _mixed


def test_counts_that_were_changed_to_be_invertible_are_not_called_counts_alone() -> None:
    assert _mixed(repair_estimate([[0.9, 0.2], [0.1, 0.8]])) == ""
    singular = repair_estimate([[0.5, 0.5], [0.5, 0.5]])
    assert (
        _mixed(singular)
        == f", and {singular.a:.2f} of the identity, without which T has no inverse"
    )
