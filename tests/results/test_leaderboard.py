"""The leaderboard: ranks over data sets, T known and estimated apart, and own cells beside them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up_files import typed

from ncbench.errors import NcbenchError
from ncbench.results import leaderboard
from ncbench.results.leaderboard import Solution, addable, boards
from ncbench.run import ESTIMATED, KNOWN

MADE = Callable[..., Solution]


def solution(record: dict[str, Any]) -> Solution:
    return leaderboard.solution(typed(record))


@pytest.fixture
def made(make_record: Any) -> MADE:
    """Return a function that makes up the solution of a problem."""

    def make(
        algo: str, loss: float, dataset: str = "iris", t: str = "held_out_map",
        noise: str = "random", **more: Any,
    ) -> Solution:  # fmt: skip
        config = {"t_estimator": {"name": t}, "noise": {"name": noise}, **more.pop("config", {})}
        record = make_record(algo, dataset, losses=[loss], config=config, **more)
        if t == "known":
            record["trials"][0]["told"] = {"t_estimator": {"noise_matrix": True}}
        return solution(record)

    return make


def test_ranks_are_over_data_sets_and_T_known_is_apart(made: MADE) -> None:
    solutions = [
        made(algo, loss, f"d{k}", t)
        for k in range(6)
        for algo, loss, t in (
            ("ncfw", 0.2, "held_out_map"), ("ncfw", 0.1, "known"), ("fw", 0.3, "identity"),
        )
    ]  # fmt: skip
    estimated, known = boards(solutions)
    assert (estimated.use_of_T, known.use_of_T) == (ESTIMATED, KNOWN)
    assert [(s.method, s.noise_matrix, s.loss) for s in estimated.standings] == [
        ("ncfw", "held_out_map", pytest.approx(0.2)), ("fw", "ignored", pytest.approx(0.3)),
    ]  # fmt: skip
    assert [s.noise_matrix for s in known.standings] == ["known", "ignored"]
    assert estimated.ranks.n_datasets == 6


def test_problems_of_a_data_set_are_averaged(made: MADE) -> None:
    # fw wins three of four problems of each data set, and loses on average.
    solutions = [
        made(algo, loss, f"d{k}", noise=noise)
        for k in range(3)
        for noise, ncfw, fw in (("a", 0.2, 0.1), ("b", 0.2, 0.1), ("c", 0.2, 0.1), ("d", 0.2, 0.9))
        for algo, loss in (("ncfw", ncfw), ("fw", fw))
    ]
    (board,) = boards(solutions)
    assert board.standings[0].method == "ncfw"
    assert board.standings[0].by_noise == {"a": 2, "b": 2, "c": 2, "d": 1}
    assert [b.noise for b in boards(solutions, by_noise=True)] == ["a", "b", "c", "d"]


def test_an_algorithm_that_is_not_told_the_measure_is_on_every_board(make_record: Any) -> None:
    solutions = []
    for measure in ("h_mean", "g_mean"):
        record = make_record("ncfw", losses=[0.2], measure=measure)
        record["trials"][0]["losses"] = {"h_mean": 0.2, "g_mean": 0.4}
        solutions.append(solution(record))
    record = make_record("nclr_forward", losses=[0.3], measure="zero_one")
    record["trials"][0]["losses"] = dict.fromkeys(("zero_one", "h_mean", "g_mean"), 0.3)
    solutions.append(solution(record))
    found = {b.measure: [(s.method, s.loss) for s in b.standings] for b in boards(solutions)}
    assert found == {
        "g_mean": [("nclr_forward", 0.3), ("ncfw", 0.4)],
        "h_mean": [("ncfw", 0.2), ("nclr_forward", 0.3)],
    }


def test_settings_that_differ_name_a_method(made: MADE) -> None:
    def steps(count: int) -> dict[str, Any]:
        return {"algo": {"name": "ncfw", "max_iter": count, "tol": 0.0}}

    solutions = [made("ncfw", 0.1 * k, config=steps(k)) for k in (1, 2)]
    (board,) = boards([*solutions, made("fw", 0.4)])
    names = [standing.method for standing in board.standings]
    assert names == ["ncfw algo.max_iter=1", "ncfw algo.max_iter=2", "fw"]


def test_a_cell_that_read_another_ones_work_costs_what_it_saved(make_record: Any) -> None:
    solutions = []
    for algo, seconds in (("ncfw", (4.0, 2.0)), ("fw", (0.01, 0.02))):
        record = make_record(algo, losses=[0.2])
        t, cpe = seconds
        record["trials"][0]["seconds"] = {"t_estimate": t, "fit": cpe + 1.0, "cpe": cpe}
        solutions.append(solution(record))
    (board,) = boards(solutions)
    assert [s.seconds for s in board.standings] == pytest.approx([7.0, 7.0])


def test_seconds_are_those_of_the_problems_that_all_have_solved(make_record: Any) -> None:
    solutions = []
    for algo, dataset, seconds in (("ncfw", "a", 2.0), ("ncfw", "b", 90.0), ("fw", "a", 1.0)):
        record = make_record(algo, dataset, losses=[0.2])
        record["trials"][0]["seconds"] = {"fit": seconds, "cpe": 0.0}
        solutions.append(solution(record))
    (board,) = boards(solutions)
    assert {s.method: s.seconds for s in board.standings} == {"ncfw": 2.0, "fw": 1.0}
    assert (board.problems, board.left_out) == (1, 1)


def test_own_cells_stand_beside_published_ones_only_where_they_agree(
    made: MADE, make_record: Any
) -> None:
    published = [made(algo, 0.2, f"d{k}") for algo in ("ncfw", "fw") for k in range(3)]
    other = make_record("mine", "d1", losses=[0.1], config={
        "t_estimator": {"name": "held_out_map"}, "noise": {"name": "random"}})  # fmt: skip
    other["trials"][0]["confusion"] = [[0.5, 0.1], [0.1, 0.3]]
    own = [made("mine", 0.1, "d0"), solution(other), made("mine", 0.1, "new"), published[0]]
    fit, reasons = addable(published, own)
    assert [(each.settings["algo"], each.problem.dataset) for each in fit] == [("mine", "d0")]
    assert dict(reasons) == {
        "dataset=d1 noise=random sigma=0.1 seed=0: other test examples": 1,
        "dataset=new noise=random sigma=0.1 seed=0: no published cell has these settings": 1,
        "already published": 1,
    }
    (board,) = boards([*published, *fit])
    assert [s.method for s in board.standings if s.added] == ["mine"]
    assert (board.problems, board.left_out) == (1, 2)


@pytest.mark.slow(reason="simulates many tables")
def test_six_equal_methods_are_rarely_told_apart(made: MADE) -> None:
    """At most 5% of tables, all measures and uses of T together."""
    rng = np.random.default_rng(0)
    template = [made(f"m{j}", 0.5, f"d{k}") for k in range(10) for j in range(6)]
    false = 0
    for _ in range(200):
        hardness = np.repeat(rng.random(10), 6)
        losses = hardness + 0.1 * rng.standard_normal(60)
        solutions = [
            Solution(**{**vars(each), "losses": {"h_mean": loss, "g_mean": loss + noise}})
            for each, loss, noise in zip(
                [Solution(**{**vars(t), "measure": None}) for t in template],
                losses, 0.1 * rng.standard_normal(60), strict=True,
            )
        ]  # fmt: skip
        found = boards(solutions, ["h_mean", "g_mean"])
        assert len(found) == 2
        false += any(board.ranks.differ for board in found)
    assert false <= 10


def test_what_cannot_be_ranked_is_said(made: MADE, ncbench: Any) -> None:
    assert boards([made("ncfw", 0.1)]) == []
    with pytest.raises(NcbenchError, match="h_maen"):
        boards([made("ncfw", 0.1), made("fw", 0.1)], ["h_maen"])
    assert ncbench("algo=cpe_argmax", "dataset=iris", "trials=1", "cpe.C=1").code == 0
    assert "no two methods" in ncbench("leaderboard", "outputs").err


def write(records: list[dict[str, Any]], folder: str) -> None:
    for number, record in enumerate(records):
        file = Path(folder, str(number), "record.json")
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(record))


def test_an_older_record_does_not_win_though_it_is_read_last(
    make_record: Any, ncbench: Any
) -> None:
    new, other = make_record("ncfw", losses=[0.1]), make_record("fw", losses=[0.2])
    old = make_record("ncfw", losses=[0.9])
    old["provenance"]["time"] = "2025-01-01T00:00:00+0000"
    failed = make_record("bs", status="failed", reason="why")
    write([new, other, old, failed], "all")
    board = ncbench("leaderboard", "all", "--format", "json")
    standings = json.loads(board.out)["boards"][0]["standings"]
    assert [each["loss"] for each in standings] == [0.1, 0.2]
    assert "left out: 1 older record of the same configurations" in board.err
    assert "left out: 1 cell (failed)" in board.err


def test_where_is_checked_in_published_and_own_records_together(
    make_record: Any, ncbench: Any
) -> None:
    def steps(count: int) -> dict[str, Any]:
        return {"algo": {"name": "ncfw", "max_iter": count}}

    of_steps = [make_record("ncfw", losses=[0.1 * k], config=steps(k)) for k in (1, 2)]
    write([*of_steps, make_record("cpe_argmax", losses=[0.4])], "all")
    write([make_record("mine", losses=[0.3], config={"algo": {"name": "mine", "own": 1}})], "my")
    for where, said in (("nosie=random", "nosie"), ("dataset=iirs", "did you mean 'iris'")):
        refused = ncbench("leaderboard", "all", "--where", where)
        assert refused.code == 2
        assert said in refused.err
    found = ncbench("leaderboard", "all", "--where", "algo.max_iter=1", "--format", "json")
    methods = {each["method"] for each in json.loads(found.out)["boards"][0]["standings"]}
    assert methods == {"ncfw", "cpe_argmax"}  # which does not have the parameter
    found = ncbench("leaderboard", "all", "--add", "my", "--where", "algo.own=1")
    assert found.code == 0, found.err


MINE = """
from sklearn.naive_bayes import GaussianNB
from ncbench import hookimpl

class Mine(GaussianNB):
    def __init__(self):
        super().__init__()

    def fit(self, X, y, noise_matrix=None):
        return super().fit(X, y)

@hookimpl
def ncbench_algorithms():
    return {"mine": Mine}
"""


@pytest.mark.slow(reason="two sweeps; the board itself is always tested")
def test_a_plug_in_file_enters_by_two_commands(ncbench: Any) -> None:
    problems = ("dataset=iris,wine", "sigma=0.2", "trials=1", "cpe.C=1", "t_estimator=identity")
    assert ncbench("-m", "algo=cpe_argmax,weighted_logistic", *problems, "output_dir=all").code == 0
    assert ncbench("pack", "all", "--out", "all.jsonl.gz").code == 0
    Path("mine.py").write_text(MINE)
    assert ncbench("-m", "algo=mine", "plugins_from=mine.py", *problems).code == 0
    outcome = ncbench("leaderboard", "all.jsonl.gz", "--add", "outputs", "--measure", "h_mean")
    assert outcome.code == 0, outcome.err
    (row,) = [line for line in outcome.out.splitlines() if line.startswith("mine")]
    assert row.split()[0] == "mine+"
    assert "Over 2 data sets" in outcome.out
    ncbench("leaderboard", "all.jsonl.gz", "--measure", "h_mean", "--figures", "drawn")
    assert "weighted_logistic" in Path("drawn/h_mean-ignored.svg").read_text()
    as_json = ncbench("leaderboard", "all.jsonl.gz", "--format", "json").out
    assert '"method": "weighted_logistic"' in as_json
