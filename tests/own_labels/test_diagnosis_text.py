"""A diagnosis in plain words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from made_up_diagnosis import made_up_gain, made_up_issues, made_up_noise

from ncbench.noise_estimation.share import CANNOT_TELL, KNOWN, Share
from ncbench.own_labels.page import summary, worth

CLASSES = ("a", "b")
LEVEL = made_up_gain("g_mean", 0.2, 0.201)
BETTER = made_up_gain("h_mean", 0.2, 0.25)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"verdict": KNOWN, "doubts": ()},
            ["This is known, if mistakes do not follow the features.", "Next, look at the 196"],
        ),
        (
            {"verdict": KNOWN, "doubts": (), "share": Share(0.004, 0.0, 0.01)},
            [
                "About 0.4% of the 400 labels are wrong, some 2",
                "you can use the labels as they are",
            ],
        ),
        ({}, ["Wrong labels of 400: between 22%", "Next, check some labels drawn at random"]),
        (
            {"counts": np.array([300, 100])},  # fewer b than are labeled so by mistake
            ["Next, check some labels of b, of which hardly any is right by this estimate, and"],
        ),
    ],
)
def test_how_wrong_whether_to_rely_on_it_and_what_to_do_next(
    more: dict[str, Any], said: list[str]
) -> None:
    text = summary(made_up_noise(CLASSES, **more), made_up_issues(CLASSES), [LEVEL])
    for part in said:
        assert part in text


def test_without_a_doubtful_label_none_is_to_be_looked_at() -> None:
    noise = made_up_noise(CLASSES, verdict=KNOWN, doubts=())
    text = summary(noise, made_up_issues(CLASSES).assign(p_wrong=0.1), [LEVEL])
    assert text.endswith("No single label is more probably wrong than right.")


def test_only_differences_beyond_chance_are_told() -> None:
    noise = made_up_noise(CLASSES, verdict=KNOWN, doubts=())
    assert worth(noise, [LEVEL]) == (
        "For no measure can we tell whether correcting for the noise helps."
    )
    assert worth(noise, [BETTER]) == (
        "Correcting for the noise lowers the estimated loss of H-mean from 0.250 to 0.200."
    )
    assert worth(noise, [LEVEL, BETTER]).endswith(
        "to 0.200; for the other measures no difference can be told."
    )
    assert worth(made_up_noise(CLASSES), [LEVEL]).endswith(
        "; this rests on an estimate that the labels leave open."
    )


def test_where_the_features_do_not_predict_the_labels_nothing_is_promised() -> None:
    verdict = f"{CANNOT_TELL}: the features do not predict them (held-out accuracy 50%)"
    noise = made_up_noise(CLASSES, verdict=verdict, doubts=())
    said = summary(noise, made_up_issues(CLASSES), [BETTER])
    assert verdict in said
    assert "lowers" not in said
    assert "look at" not in said
    assert "lowers" not in worth(noise, [BETTER])
