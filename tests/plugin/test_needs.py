"""What plug-ins declare that they need, and what happens without a declaration."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from ncbench import NcbenchError
from ncbench.plugin import Withheld, needs_of


def declares(needs: Any) -> Any:
    return type("Mine", (), {"needs": needs})()


@pytest.mark.parametrize("needs", ["noise_matrix", 3])
def test_needs_that_are_not_a_tuple_are_refused(needs: Any) -> None:
    with pytest.raises(NcbenchError, match=r"Mine\.needs is .* expected a tuple such as"):
        needs_of(declares(needs))


def test_any_use_of_what_is_withheld_raises_but_it_can_be_copied() -> None:
    withheld = copy.deepcopy(pickle.loads(pickle.dumps(Withheld("noise_matrix", "Mine"))))
    for use in (
        lambda: withheld.matrix,
        lambda: np.asarray(withheld),
        lambda: withheld.of_share(1),
    ):
        with pytest.raises(NcbenchError, match=r'needs = \("noise_matrix",\)'):
            use()
