"""Confusion matrices as figures: shares, and corrected for known noise."""

from __future__ import annotations

import numpy as np
import pytest
from drawn import Make
from made_up import figure_frame
from made_up_files import typed

from ncbench.report.figures.cells import confusion_matrices, confusions


def test_corrected_confusion_is_clean_for_a_known_noise_matrix_and_noisy_for_none(
    make_record: Make,
) -> None:
    record = make_record(sigma=0.2, losses=[0.1, 0.2])
    for trial in record["trials"]:
        trial["confusion"] = [[0.4, 0.1], [0.2, 0.3]]
    clean, noisy, corrected = confusions(typed(record)).values()
    assert noisy == pytest.approx(np.array([[0.36, 0.14], [0.24, 0.26]]))  # T C by hand
    assert corrected == pytest.approx(clean)
    for trial in record["trials"]:
        trial["noise_matrix_estimate"] = [[1, 0], [0, 1]]
    assert confusions(typed(record))["corrected"] == pytest.approx(noisy)


def test_confusion_matrices_show_shares_of_each_label(make_record: Make) -> None:
    record = make_record(sigma=0.2, losses=[0.1])
    record["trials"][0]["confusion"] = [[0.4, 0.1], [0.2, 0.3]]
    figure = confusion_matrices(figure_frame([record]), [typed(record)])
    shown = [text.get_text() for text in figure.axes[0].texts]
    assert shown == ["0.80", "0.20", "0.40", "0.60"]


def test_numbers_fit_their_cells_with_a_single_algorithm(make_record: Make) -> None:
    record = make_record(sigma=0.2, losses=[0.1])
    record["dataset"]["classes"] = ["malignant", "versicolor"]
    figure = confusion_matrices(figure_frame([record]), [typed(record)], side=1.5)
    figure.draw_without_rendering()
    panel = figure.axes[0]
    cell = panel.get_window_extent().width / 2
    assert all(text.get_window_extent().width < cell for text in panel.texts)
