"""Unknown keys: the closest known one, and who has a parameter."""

from __future__ import annotations

import pytest

from ncbench.config.schema import unknown_key


@pytest.mark.parametrize(
    ("key", "fragments"),
    [
        ("sigmaa", ["sigmaa: no such key", "did you mean 'sigma'?"]),
        ("datasett", ["did you mean 'dataset'?"]),
        ("algo.max_itre", ["the chosen algorithm has no such parameter", "'algo.max_iter'?"]),
        ("cpe.C", ["the chosen CPE learner has no such parameter", "logistic", "power_logistic"]),
        ("algo.tol", ["In a sweep over several algo=..., those need a sweep of their own"]),
        ("qqqq", ["qqqq: no such key; Keys and parameters: python -m ncbench plugins"]),
    ],
)
def test_the_message_names_what_would_work(key: str, fragments: list[str]) -> None:
    for fragment in fragments:
        assert fragment in unknown_key(key)


def test_nothing_far_off_is_suggested() -> None:
    assert "did you mean" not in unknown_key("qqqq")
    assert "did you mean" not in unknown_key("cpe.C")  # it exists: its owners are named instead
