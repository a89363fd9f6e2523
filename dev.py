"""Sets up an environment and runs the main job, the tests, or builds the site.

Needs Python 3.11 or newer alone.

python3 dev.py demo    an environment in .venv, and the README's sweep on embedded data
python3 dev.py test    the same with all that development needs, and ruff, mypy and pytest
                       (--all: with the tests that are marked slow)
python3 dev.py docs    the site, in site/; a warning or a broken internal link is an error
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
DEMO = [
    *("-m", "ncbench", "-m", "dataset=digits", "algo=ncfw,weighted_logistic"),
    *("sigma=0.2,0.4", "t_estimator=held_out_map"),
]
DOCS = ["-m", "sphinx", "-W", "--keep-going", "-q", "-c", "docs", ".", "site"]
TESTS = [
    ["-m", "ruff", "check", "."],
    ["-m", "ruff", "format", "--check", "."],
    ["-m", "mypy"],
    ["-m", "pytest", "-n", "2", "--dist", "loadgroup", "--durations", "10"],
]


def environment(folder: Path, extras: str) -> str:
    """Make an environment with ncbench in it, unless there is one; return its interpreter."""
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        venv.create(folder, with_pip=True)
    installed = folder / f"installed{extras}"
    project = ROOT / "pyproject.toml"
    if not installed.exists() or installed.stat().st_mtime < project.stat().st_mtime:
        # What is imported is compiled then; compiling all of it first takes longer.
        pip = [str(python), "-m", "pip", "install", "--quiet", "--no-compile", "--editable"]
        subprocess.run([*pip, f"{ROOT}{extras}"], check=True)
        installed.touch()
    return str(python)


def main() -> int:
    """Run what was asked for and return its exit code."""
    if sys.version_info < (3, 11):  # noqa: UP036
        sys.exit(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["demo", "test", "docs"])
    parser.add_argument("--all", action="store_true", help="test: run the slow tests too")
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv", help="default: .venv")
    args = parser.parse_args()
    extras, commands = {
        "demo": ("", [DEMO]),
        "test": ("[dev]", TESTS),
        "docs": ("[docs]", [DOCS]),
    }[args.what]
    python = environment(args.venv.absolute(), extras)
    environ = dict(os.environ)
    if args.what == "test":
        environ["OMP_NUM_THREADS"] = "1"  # two test processes: more threads wait for each other
        environ["OMP_WAIT_POLICY"] = "passive"  # and those that a test asks for wait without work
        # Tests start many processes; each would compile all that it imports again.
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for command in commands:
        if args.all and "pytest" in command:
            command = [*command, "--all"]
        print("$ python", *command, flush=True)
        code = subprocess.run([python, *command], cwd=ROOT, env=environ, check=False).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
