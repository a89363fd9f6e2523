"""Mutation test of the core, the shipped algorithms and the statistics.

Changes one operator, constant or result at a time, and runs the tests of that module: a mutant that
no test notices is a missing assertion, or is equivalent to the original: ``EQUIVALENT`` lists these
with reasons. They are printed apart, and the score is printed with and without them. Each mutant is
a fork that imports the changed source in place of the module, so nothing is written to the source
tree.

    python benchmarks/mutation.py --sample 200 --seed 0        # stratified by module
    python benchmarks/mutation.py --only statistics            # every mutant of one module
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.abc
import importlib.util
import itertools
import math
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]

# The tests of each module besides its doctests, the quickest first.
TESTS = {
    "ncbench.core.argmin": ["tests/core/test_argmin.py", "tests/core/test_mixture.py"],
    "ncbench.core.confusion": ["tests/core/test_confusion.py"],
    "ncbench.core.measure": ["tests/core/test_measure.py", "tests/plugins/test_measures.py"],
    "ncbench.core.noise_matrix": ["tests/core/test_noise_matrix.py"],
    "ncbench.core.random_streams": ["tests/core/test_random_streams.py"],
    "ncbench_plugins.algorithms.bisection": ["tests/plugins/test_algorithms.py"],
    "ncbench_plugins.algorithms.frank_wolfe": [
        "tests/plugins/test_frank_wolfe_options.py",
        "tests/plugins/test_soft_frank_wolfe.py",
        "tests/plugins/test_algorithms.py",
    ],
    "ncbench_plugins.algorithms.nclr": [
        "tests/plugins/test_nclr.py",
        "tests/plugins/test_algorithms.py",
    ],
    "ncbench_plugins.algorithms.selection": ["tests/testing/test_contract.py", "-k=nc_selected"],
    "ncbench.results.significance": [
        "tests/results/test_significance.py",
        "tests/results/test_ranks.py",
    ],
    "ncbench.results.statistics": [
        "tests/results/test_statistics.py",
        "tests/results/test_rank_tests.py",
        "tests/results/test_ranks.py",
    ],
}

# Survivors that no test can notice: how the source line starts, what it is changed to (anything if
# empty), and why.
EQUIVALENT: dict[str, list[tuple[str, str, str]]] = {
    "ncbench.core.argmin": [
        *[
            (line, "", "decides how labels are computed, not which")
            for line in (
                "LAZY_FROM =",
                "SORT_COST =",
                "SORT_OVERHEAD =",
                "BLOCK =",
                "_CHUNK =",
                "if m <= _CHUNK // 8:",
                "self._posterior = posterior if self._m <",
                "self._patience =",
                "self._work = 0",
                "if blocks > 1:",
                "self._work += blocks * BLOCK",
            )
        ],
        ("_FLOOR =", "1.001", "any positive weights give a valid bound"),
        (
            "weight =",
            "spread - _FLOOR * spread.max()",
            "with a negative weight all examples are evaluated",
        ),
        ("if not weight[0] > 0:", "1", "any positive weights give a valid bound"),
        ("if not weight[0] > 0:", "-1", "the weights are positive, or all are zero"),
        *[
            ("regular =", after, "a tie of rounded numbers")
            for after in ("size >= _TINY * weight.max()", "size <= weight.min() / _TINY")
        ],
        ("_TINY =", "1.0", "at worst evaluates examples that cannot have changed"),
        *[
            (line, after, "scaling by a power of two changes no label")
            for line in ("return _labels(columns, loss if", "if not 1e-100 < square")
            for after in (
                "1.0",
                "2e+100",
                "1e-100 <= square < 1e+100",
                "1e-100 <= np.vdot(loss, loss) < 1e+100",
            )
        ],
        ("return _scores(np.repeat(columns, 2", "3", "any number of copies above one will do"),
        *[
            (line, after, "a larger allowance for rounding is valid, too")
            for line in ("self._unit =", "self._slack =", "move_bound =")
            for after in ("17", "31", "3", "9", "15")
        ],
        ("move_bound =", "-1.0", "tan^2 is below 0 by less than the slack, which is added"),
        ("self._limit =", "", "the cut-off need not be exact"),
        ("near =", "distance < self._limit", "the cut-off need not be exact"),
        ("return int(self._starts", "bound <= self._limit", "a tie of rounded numbers"),
        ("return int(self._starts", "2", "any negative number means all examples"),
        ("return -1", "2", "any negative number means all examples"),
        ("blocks = -1 if", "2", "any negative number means all examples"),
        ("extent = 0", "", "replaced before its first use"),
        (
            "bound = move_bound",
            "self._unit * norm / scale",
            "the allowance for the reference's rounding covers both",
        ),
        ("blocks = -1 if", "+1", "not used where there is no reference"),
        ("blocks = -(-len(reference.near)", "", "blocks beyond the last stay empty"),
        ("index, weights = reduce_support(", "2", "numpy takes any negative size as unknown"),
        ("_, spread, axes = ", "True", "the axes beyond the rank are not used"),
        ("rank = ", "2.0", "rounding and spread are orders of magnitude apart"),
        ("rank = ", "spread >= 1e-12 * max(1.0, spread[0])", "a tie of rounding errors"),
        ("share[active[gone]] = 0.0", "-1.0", "the point is left out all the same"),
        ("if np.abs(dependency).max() < 1e8", "", "both ways give a dependency"),
    ],
    "ncbench.core.confusion": [
        ("negative = -C[C < 0]", "C <= 0", "zeros add nothing to a sum"),
    ],
    "ncbench.core.noise_matrix": [
        ("MAX_CONDITION =", "", "a limit that need not be exact"),
        ("wrong =", "np.abs(sums - 1) >= _TOLERANCE", "a tie of rounded numbers"),
        ("matrix = np.clip(matrix, 0.0, 1.0)", "2.0", "columns are scaled to 1 afterwards"),
    ],
    "ncbench.core.measure": [
        ("for other in (recall[::-1], np.roll(recall, 1)):", "2", "another rotation will do"),
        ("present = prior > _NO_MASS", "prior >= _NO_MASS", "a mass of exactly 1e-300"),
    ],
    "ncbench.results.significance": [
        *[
            (line, "False", "the lists are of the same length by construction")
            for line in (
                "named = zip(",
                "columns = zip(",
                "[sum(column) / len(column)",
                "counts[a, b] = ",
            )
        ],
        (
            'better = int((rejected["difference"] < 0).sum())',
            "rejected['difference'] <= 0",
            "a difference of 0 has p = 1",
        ),
        ("if spread > 0:", "1", "the smallest spread of ranks that are not all tied is 1.5"),
        ("reached = 0", "", "a group has two members: its end is at least 2"),
    ],
    "ncbench.results.statistics": [
        *[
            (line, "x <= 0", "zeros were left out before")
            for line in ("smaller = min(", "return float(ranks[x < 0]")
        ],
        (
            "return np.abs(a - b) <= TIE",
            "np.abs(a - b) < TIE * np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))",
            "a tie of rounded numbers",
        ),
        ("size = int(whole", "2", "the last cells of a larger array stay empty"),
        ("_ENUMERABLE =", "50000001.0", "allows for a fraction of a second more"),
        (
            "if math.factorial(k)",
            "math.factorial(k) * N * size ** (k - 1) >= _ENUMERABLE",
            "allows for a fraction of a second less",
        ),
        ("s = float(difference.std", "-1.0", "not above 0: there is no spread to judge by"),
        ("@lru_cache(maxsize=1024)", "", "decides how often a quantile is computed"),
        ("return r if r <= 1 else", "r < 1", "the two rules meet at 1"),
    ],
    "ncbench_plugins.algorithms.bisection": [
        ("best = 1.0 - np.eye", "2.0", "a constant added to a row changes no argmin"),
    ],
    "ncbench_plugins.algorithms.nclr": [
        ("return Mixture.single(1.0", "2.0", "a constant added to a row changes no argmin"),
    ],
    "ncbench_plugins.algorithms.frank_wolfe": [
        ("elif steps > max(", ">=", "sets the number that it has"),
        ("self.moved = 0.0", "-1.0", "the start of a maximum of nonnegative numbers"),
        ("for key, value in zip(self.path", "False", "three keys and three values"),
    ],
}

_OPERATORS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


class Mutant(NamedTuple):
    module: str
    line: int
    before: str
    after: str
    number: int
    variant: int

    def source(self, path: Path) -> str:
        tree = ast.parse(path.read_text())
        node = next(itertools.islice(ast.walk(tree), self.number, None))
        _mutate(node, self.variant)
        return ast.unparse(tree)


_MUTABLE = (
    ast.Compare, ast.BinOp, ast.AugAssign, ast.BoolOp, ast.UnaryOp, ast.Constant, ast.Return,
)  # fmt: skip


def mutants(module: str, path: Path) -> Iterator[Mutant]:
    """Yield every mutant of a module."""
    tree = ast.parse(path.read_text())
    ignored = _ignored(tree)
    for number, original in enumerate(ast.walk(tree)):
        if id(original) in ignored or not hasattr(original, "lineno"):
            continue
        for variant in range(2):
            if not isinstance(original, _MUTABLE):
                break
            node = copy.deepcopy(original)
            if not _mutate(node, variant):
                break
            before, after = ast.unparse(original), ast.unparse(node)
            if after != before:
                yield Mutant(module, original.lineno, before, after, number, variant)


def _mutate(node: Any, variant: int) -> bool:
    """Change a node in place; return False if there is no such variant."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _OPERATORS and variant == 0:
        node.ops[0] = _OPERATORS[type(node.ops[0])]()
    elif isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp) and variant == 0:
        if type(node.op) not in _OPERATORS:
            return False
        node.op = _OPERATORS[type(node.op)]()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and variant == 0:
        node.op = ast.UAdd()
        node.operand = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and variant == 0:
        node.op = ast.UAdd()
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool) and variant == 0:
        node.value = not node.value
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        node.value = node.value + 1 if variant == 0 else node.value * 2 - 1
    elif isinstance(node, ast.Return) and node.value is not None and variant == 0:
        node.value = ast.Constant(None)
    else:
        return False
    return True


def _ignored(tree: ast.AST) -> set[int]:
    """Return the nodes of annotations and messages, which tests may ignore."""
    parts: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise | ast.JoinedStr):
            parts.append(node)
        hints = (getattr(node, "annotation", None), getattr(node, "returns", None))
        parts += [hint for hint in hints if hint is not None]
    return {id(node) for part in parts for node in ast.walk(part)}


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Import the source of a mutant in place of its module."""

    def __init__(self, mutant: Mutant, path: Path) -> None:
        self.mutant, self.path = mutant, path

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != self.mutant.module:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def exec_module(self, module: Any) -> None:
        exec(compile(self.mutant.source(self.path), str(self.path), "exec"), module.__dict__)


def survives(mutant: Mutant, path: Path, seconds: float) -> bool:
    """Run the tests of a mutant in a fork; a hang counts as noticed, and is printed."""
    pid = os.fork()
    if pid == 0:
        import pytest

        os.chdir(ROOT)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        sys.meta_path.insert(0, _Changed(mutant, path))
        # Rewriting the assertions of a module with doctests would import its own source.
        options = ["-xq", "--assert=plain", "-pno:cacheprovider", "-pno:xdist", "-pno:randomly"]
        os._exit(int(pytest.main([*options, str(path), *TESTS[mutant.module]])) != 0)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    print(
        f"too slow {mutant.module}:{mutant.line}: {mutant.before}  ->  {mutant.after}", flush=True
    )
    return False


def reason(mutant: Mutant, path: Path) -> str | None:
    """Return why a mutant is equivalent to the original, or None if it is not listed."""
    line = path.read_text().splitlines()[mutant.line - 1].strip()
    for start, after, why in EQUIVALENT.get(mutant.module, []):
        if line.startswith(start) and after in ("", mutant.after):
            return why
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, help="number of mutants, equal shares by module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="modules whose path has this text")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one mutant")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after this time")
    args = parser.parse_args()
    end = time.monotonic() + args.seconds

    # Imported once, for all forks.
    for name in ["hypothesis", "hydra", "pandas", "pytest", "scipy.stats", "sklearn.ensemble",
                 "sklearn.linear_model", "sklearn.model_selection"]:  # fmt: skip
        importlib.import_module(name)

    paths = {
        name: ROOT / name.replace("ncbench_plugins", "plugins").replace(".", "/")
        for name in TESTS
        if args.only in name
    }
    chosen: list[tuple[Mutant, Path]] = []
    every = {
        name: list(mutants(name, path.with_suffix(".py"))) for name, path in sorted(paths.items())
    }
    for name in every.keys() & EQUIVALENT:
        lines = [line.strip() for line in paths[name].with_suffix(".py").read_text().splitlines()]
        for start, _, _ in EQUIVALENT[name]:
            if not any(line.startswith(start) for line in lines):
                parser.error(f"EQUIVALENT: {name} has no line that starts with {start!r} any more")
    rng = random.Random(args.seed)
    total = sum(map(len, every.values()))
    for name, found in every.items():
        share = max(1, round(args.sample * len(found) / total)) if args.sample else len(found)
        picked = rng.sample(found, min(share, len(found)))
        chosen += [(mutant, paths[name].with_suffix(".py")) for mutant in picked]
    print(f"{len(chosen)} of {total} mutants, seed {args.seed}", flush=True)
    alive: dict[str, int] = dict.fromkeys(every, 0)
    equivalent: dict[str, int] = dict.fromkeys(every, 0)
    tried: dict[str, int] = dict.fromkeys(every, 0)
    rng.shuffle(chosen)  # a run that stops early has a sample of all modules
    for mutant, path in chosen:
        if time.monotonic() > end:
            break
        tried[mutant.module] += 1
        if survives(mutant, path, args.timeout):
            alive[mutant.module] += 1
            why = reason(mutant, path)
            equivalent[mutant.module] += why is not None
            print(f"{'survived' if why is None else 'equivalent'} {mutant.module}:{mutant.line}: "
                  f"{mutant.before}  ->  {mutant.after}{f'  ({why})' if why else ''}",
                  flush=True)  # fmt: skip
    for name in every:
        _report(name, tried[name], alive[name], equivalent[name])
    _report("score", *(sum(count.values()) for count in (tried, alive, equivalent)))


def _report(name: str, tried: int, alive: int, equivalent: int) -> None:
    killed = tried - alive
    shares = [f"{killed / n:.1%}" for n in (tried, tried - equivalent) if n]
    print(f"{name}: {killed} of {tried} noticed; {equivalent} of the others are equivalent: "
          f"{', without them '.join(shares)}")  # fmt: skip


if __name__ == "__main__":
    main()
