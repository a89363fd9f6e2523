"""The numbers of the paper's statements, and the places that cite them."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAPER = ROOT.parent / "shared" / "paper" / "paper.tex"

# Theorems, lemmas, propositions and definitions share one counter; examples, algorithms and tables
# have one each. A statement without a label in the paper has its title here.
STATEMENTS = {
    "Class-conditional noise matrix": "Definition 1",
    "Confusion matrix": "Definition 2",
    "Performance measure": "Definition 3",
    "Feasible confusion matrices": "Definition 4",
    r"Bayes optimal $\psi$-performance": "Definition 5",
    "Monotonic convex performance measures": "Definition 6",
    "Class probability function, class probability for short": "Definition 7",
    "prop:noisy-bayes-optimal-L": "Proposition 8",
    "prop:relation-clean-noisy-conf": "Proposition 9",
    "Ratio-of-linear performance measures": "Definition 10",
    "thm:noisy-bayes-ratio-of-linear-correcting-psi": "Theorem 11",
    r"$\psi$-regret": "Definition 12",
    r"$\psi$-consistent algorithm when learning from noisy labels": "Definition 13",
    "thm:fw-regret": "Theorem 14",
    "thm:bs-regret": "Theorem 15",
    "thm:fw-regret-add": "Theorem 16",
    "thm:bs-regret-add": "Theorem 17",
    "lem:op1": "Lemma 18",
    "lem:op2": "Lemma 19",
    "thm:fw-regret-standard": "Proposition 20",
    "thm:bs-regret-standard": "Proposition 21",
    "lem:op1-add": "Lemma 22",
    "lem:op2-add": "Lemma 23",
    r"$\L$-performance measures": "Example 1",
    "H-mean, Q-mean and G-mean, all in loss forms": "Example 2",
    "Micro $F_1$ in loss form": "Example 3",
    "alg:fw": "Algorithm 1",
    "alg:bs": "Algorithm 2",
    "tab:state": "Table 1",
    "tab:H-results": "Table 2",
    "tab:F-results": "Table 3",
    "tab:dataset-info": "Table 4",
    "tab:G-results": "Table 5",
    "tab:Q-results": "Table 6",
}

# Where the number is easily mistaken: the functions that carry a statement out.
CITED_BY = {
    ("ncbench/core/noise_matrix.py", "correct_loss"): ["prop:noisy-bayes-optimal-L"],
    ("ncbench/core/noise_matrix.py", "correct_confusion"): ["prop:relation-clean-noisy-conf"],
    ("ncbench/core/noise_matrix.py", "corrupt_confusion"): ["prop:relation-clean-noisy-conf"],
    ("ncbench/core/noise_matrix.py", "inverse_error"): ["thm:fw-regret-add", "thm:bs-regret-add"],
    ("ncbench/theory.py", "op1_terms"): ["lem:op1", "lem:op1-add"],
    ("ncbench/theory.py", "op2_terms"): ["lem:op2", "lem:op2-add"],
}

KINDS = "Theorem|Lemma|Proposition|Definition|Corollary|Example|Algorithm|Table"
_NUMBERS = r"\d+(?:(?:,? (?:and|or|to) |, |-)\d+)*"
_CITATION = re.compile(rf"\b({KINDS.replace('Corollary', 'Corollar(?:y|ie)')})s? ({_NUMBERS})\b")


def citations(text: str) -> Iterator[str]:
    """Yield every statement that a text cites, such as "Lemma 22" for "Lemmas 18 and 22".

    A citation may be broken over two lines, comments included.
    """
    for kind, numbers in _CITATION.findall(re.sub(r"\s*\n[ \t#>]*", " ", text)):
        for part in re.split(r",? (?:and|or) |, ", numbers):
            first, last = (re.split(r" to |-", part) * 2)[:2]
            for number in range(int(first), int(last) + 1):
                yield f"{kind.replace('Corollarie', 'Corollary')} {number}"


def numbered(source: str) -> dict[str, str]:
    r"""Number the statements of a LaTeX source as ``\newtheorem`` and floats do."""
    source = re.sub(r"(?<!\\)%.*", "", source)
    # Environment -> (name that is printed, environment whose counter it uses).
    kinds = {"algorithm": ("Algorithm", "algorithm"), "table": ("Table", "table")}
    declared = re.findall(r"\\newtheorem\{(\w+)\}(?:\[(\w+)\])?\{(\w+)\}", source)
    kinds |= {name: (title, shared or name) for name, shared, title in declared}
    counters: Counter[str] = Counter()
    found = {}
    for environment, body in re.findall(
        rf"\\begin\{{({'|'.join(kinds)})\*?\}}(.*?)\\end\{{\1\*?\}}", source, flags=re.S
    ):
        kind, counter = kinds[environment]
        counters[counter] += 1
        label = re.search(r"\\label\{([^}]*)\}", body) or re.match(r"\[(.*)\]", body)
        assert label, f"{kind} {counters[counter]} has neither a label nor a title"
        found[label[1]] = f"{kind} {counters[counter]}"
    return found


def test_counters_are_shared_as_declared() -> None:
    source = r"""
        \newtheorem{thm}{Theorem} \newtheorem{lem}[thm]{Lemma} \newtheorem{ex}{Example}
        \begin{lem}[A title] \label{a} \end{lem}
        % \begin{thm} \label{commented} \end{thm}
        \begin{ex}[B title] \end{ex}
        \begin{thm} \label{c} \end{thm}
        \begin{table*}[t] \label{d} \end{table*}
    """
    assert numbered(source) == {
        "a": "Lemma 1",
        "B title": "Example 1",
        "c": "Theorem 2",
        "d": "Table 1",
    }


def test_table_is_the_papers() -> None:
    if not PAPER.is_file():
        pytest.skip(
            "NOT TESTED: the paper (../shared/paper/paper.tex) is not beside the checkout; "
            "citations are held to the table of this test alone"
        )
    assert numbered(PAPER.read_text(encoding="utf-8")) == STATEMENTS


def test_citations_are_found() -> None:
    for text, expected in (
        ("by Lemma\n    # 18: x", ["Lemma 18"]),
        ("Lemmas 18, 19, 22 and 23", ["Lemma 18", "Lemma 19", "Lemma 22", "Lemma 23"]),
        ("Lemmas 1 to 3", ["Lemma 1", "Lemma 2", "Lemma 3"]),
        ("Corollaries 1-2 or Theorem 7's", ["Corollary 1", "Corollary 2", "Theorem 7"]),
        ("| Lemma 18 | OP2 | Lemma 19 |", ["Lemma 18", "Lemma 19"]),
        ("a theorem of 1912", []),
    ):
        assert list(citations(text)) == expected


def _texts() -> list[Path]:
    folders = ("ncbench", "plugins", "conf", "docs", "benchmarks", "examples")
    kinds = {".py", ".md", ".yaml", ".template", ".html"}
    files = [path for name in folders for path in (ROOT / name).rglob("*")]
    return [ROOT / "README.md", *(path for path in files if path.suffix in kinds)]


def test_every_citation_is_of_a_statement_of_the_paper() -> None:
    known = set(STATEMENTS.values())
    found = [(path, cited) for path in _texts() for cited in citations(path.read_text("utf-8"))]
    assert len(found) > 20
    wrong = [f"{path.relative_to(ROOT)}: {cited}" for path, cited in found if cited not in known]
    assert not wrong, "the paper has no such statement:\n" + "\n".join(wrong)


def test_functions_cite_what_they_carry_out() -> None:
    for path, function in CITED_BY:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        (node,) = (
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and node.name == function
        )
        expected = [STATEMENTS[label] for label in CITED_BY[path, function]]
        assert list(citations(ast.get_docstring(node) or "")) == expected
