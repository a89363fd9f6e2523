"""Named streams: functions of seed and names, and of nothing else."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations

import numpy as np
from hypothesis import given, strategies as st

from ncbench.core.random_streams import split_random_state, stream

names = st.lists(st.one_of(st.text(max_size=5), st.integers(), st.floats(allow_nan=False)))


def draws(*address: object) -> list[float]:
    return stream(*address).random(4).tolist()


@given(st.integers(0, 400_000), names)
def test_same_address_same_numbers(seed: int, path: list) -> None:
    assert draws(seed, *path) == draws(seed, *path)


def test_different_addresses_different_numbers() -> None:
    addresses = [
        (0,),
        (1,),
        (0, "noise"),
        (0, "noise", "iris"),
        (0, "noiseiris"),
        (0, "iris", "noise"),
        (0, "noise", "iris", 0.1),
        (0, "noise", "iris", 0.2),
        (0, "noise", "iris", "0.1"),
        (1, "noise", "iris", 0.1),
        (0, "noise', 'iris"),
        (0, 1),
        (0, "1"),
    ]
    for a, b in combinations(addresses, 2):
        assert draws(*a) != draws(*b), (a, b)


def test_streams_do_not_disturb_each_other() -> None:
    alone = draws(0, "b")
    other = stream(0, "a")
    other.random(1000)
    assert draws(0, "b") == alone


def test_streams_leave_the_global_generator_alone() -> None:
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    stream(0, "noise").random(10)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_another_process_draws_the_same() -> None:
    code = (
        "from ncbench.core.random_streams import stream; "
        "print(stream(3, 'noise', 'iris', 0.1).random(4).tolist())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert eval(done.stdout) == draws(3, "noise", "iris", 0.1)


def test_a_numpy_number_is_the_number() -> None:
    # sigma from np.linspace is a float, too, and must give the same noise as the literal.
    assert draws(0, "noise", np.float64(0.1)) == draws(0, "noise", 0.1)
    assert draws(np.int64(7), "noise") == draws(7, "noise")


def test_streams_look_uniform() -> None:
    # The mean of 2000 first draws of different streams: 0.5 with standard error 1/sqrt(24000).
    first = [stream(seed, "noise").random() for seed in range(2000)]
    assert abs(np.mean(first) - 0.5) < 4 / np.sqrt(12 * 2000)


def test_split_of_seed_zero_is_the_trial_as_in_the_paper() -> None:
    assert [split_random_state(0, trial) for trial in range(5)] == list(range(5))


def test_splits_of_different_seeds_and_trials_differ_and_fit_scikit_learn() -> None:
    states = {split_random_state(seed, trial) for seed in (0, 1, 2) for trial in range(10_000)}
    assert len(states) == 30_000
    assert split_random_state(400_000, 9_999) < 2**32  # the largest that configs.resolve allows
