"""Every plug-in of the package keeps ncbench's contract; each check says what it promises."""

from ncbench.testing import parametrize_with_checks

FEWER_ROUNDS = {"max_iter": 100}


@parametrize_with_checks(
    "ncbench-minimax", arguments={"algo=ncminimax": FEWER_ROUNDS, "algo=minimax": FEWER_ROUNDS}
)
def test_contract(check):
    check()
