"""The shipped experiment on T estimators: it composes, and reaches the numbers of its page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from commands import records_in

# Mean over sigma = 0.1..0.4 of prototypes: mean |T^ - T| and ||T^-1 error||_1 on vehicle.
VEHICLE = {
    "anchor": (0.073, 0.82),
    "dual_t": (0.098, 3.90),
    "volmin": (0.056, 1.14),
    "forward_map": (0.038, 0.53),
    "confident_joint": (0.077, 3.60),
    "hoc": (0.114, 10.7),
}


@pytest.mark.slow(reason="the experiment of a page")
def test_errors_on_vehicle_are_those_of_the_page(ncbench, shared_data: Path, tmp_path: Path):
    """The other data sets take minutes: docs/noise_matrix.md has their numbers."""
    names = ",".join([*VEHICLE, "cautious_map", "identity"])
    run = ncbench(
        *("-m", "+experiment=t_estimators", f"data_dir={shared_data}"),
        *("dataset=vehicle", f"t_estimator={names}", "trials=1"),
    )
    assert run.code == 0, run.err
    errors: dict[str, list[tuple[float, float]]] = {}
    for record in records_in(tmp_path):
        for trial in record["trials"]:
            found = trial["noise_matrix_diagnostics"]
            errors.setdefault(record["config"]["t_estimator"]["name"], []).append(
                (found["T_error"], found["inverse_error"])
            )
    means = {name: np.mean(pairs, axis=0) for name, pairs in errors.items()}
    for name, expected in VEHICLE.items():
        assert (means[name] <= 1.15 * np.array(expected)).all(), (name, means[name])
    assert means["identity"] == pytest.approx((0.125, 1.032), abs=1e-3)
    assert (means["cautious_map"] < means["identity"]).all()
