"""Unknown keys: the closest known one, and who has a parameter."""

from __future__ import annotations

from ncbench.config.schema import unknown_key


def test_the_message_names_what_would_work() -> None:
    for key, fragments in (
        ("datasett", ["did you mean 'dataset'?"]),
        ("cpe.C", ["the chosen CPE learner has no such parameter", "logistic", "power_logistic"]),
        ("algo.tol", ["In a sweep over several algo=..., those need a sweep of their own"]),
        ("qqqq", ["qqqq: no such key; Keys and parameters: python -m ncbench plugins"]),
    ):
        for fragment in fragments:
            assert fragment in unknown_key(key)


def test_nothing_far_off_is_suggested() -> None:
    assert "did you mean" not in unknown_key("qqqq")
    assert "did you mean" not in unknown_key("cpe.C")  # it exists: its owners are named instead
