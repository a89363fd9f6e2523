"""A release has one version, holds every package, and is tested on every Python it is for."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version

import yaml
from needs import ROOT

import ncbench

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
WORKFLOWS = ROOT / ".github" / "workflows"


def test_the_version_is_in_one_place_and_the_citation_repeats_it() -> None:
    assert "version" not in PROJECT["project"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "ncbench.__version__"}
    assert version("ncbench") == ncbench.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == ncbench.__version__


def test_the_changelog_and_the_table_of_releases_have_the_version() -> None:
    heading = rf"^## {re.escape(ncbench.__version__)}\b"
    assert re.search(heading, (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    row = rf"^\| {re.escape(ncbench.__version__)} \|"
    assert re.search(row, (ROOT / "docs" / "releases.md").read_text(), re.MULTILINE)


def test_the_wheel_has_every_package() -> None:
    """Packages are listed by hand; one that is missing works in a clone and not when installed."""
    found = {
        ".".join((name, *path.parent.relative_to(ROOT / folder).parts))
        for name, folder in {"ncbench": "ncbench", "ncbench_plugins": "plugins"}.items()
        for path in (ROOT / folder).rglob("*.py")
        if "templates" not in path.parts
    }
    assert found | {"ncbench_conf", "ncbench_results"} == set(
        PROJECT["tool"]["setuptools"]["packages"]
    )


def test_workflows_test_every_python_and_publish_after_the_tests() -> None:
    tests = yaml.safe_load((WORKFLOWS / "tests.yml").read_text())["jobs"]["tests"]
    assert PROJECT["project"]["requires-python"] == ">=3.11"
    assert tests["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
    publish = yaml.safe_load((WORKFLOWS / "publish.yml").read_text())["jobs"]
    assert publish["tests"]["uses"] == "./.github/workflows/tests.yml"
    assert set(publish["pypi"]["needs"]) == {"tests", "build"}
    assert any("twine check --strict" in step.get("run", "") for step in publish["build"]["steps"])
