"""State that plug-ins keep, and what the check says; the attacks have more ways to keep it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from broken_plugins.measures import Good

from ncbench.testing import Build, DoesNotApply
from ncbench.testing.state import check_state


def test_a_class_that_no_other_process_can_import_is_not_checked() -> None:
    class Inside(Good):
        pass

    with pytest.raises(DoesNotApply, match=r"a new process cannot import it: .*Inside"):
        check_state(Build("measure", Inside))


@pytest.mark.slow(reason="new processes for each plug-in")
def test_a_script_is_not_run_again_by_the_new_processes(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "print('once', flush=True)\n"
        "from ncbench.testing import run_checks\n"
        "print({r.check: r.status for r in run_checks('measure', 'zero_one')}['state'])\n"
    )
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert run.stdout == "once\nok\n"
