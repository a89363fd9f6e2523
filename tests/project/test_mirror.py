"""The tests mirror the rooms: a module's tests are in its room, under its name."""

from __future__ import annotations

import pytest
from needs import ROOT

TESTED_IN = {
    "__main__": "cli/test_main",
    # What a command prints is tested with what it computes.
    "cli/status_text": "run/test_sweep",
    "cli/commands/aggregate": "report/test_grid",
    "cli/commands/bayes": "theory/test_bayes",
    "cli/commands/check": "testing/test_check",
    "cli/commands/compare": "results/test_reference",
    "cli/commands/completion": "cli/test_completion",
    "cli/commands/estimate_noise": "noise_estimation/test_audit",
    "cli/commands/evaluate": "doubtful_labels/test_table_model",
    "cli/commands/figures": "report/figures/test_files",
    "cli/commands/fit": "doubtful_labels/test_table_model",
    "cli/commands/leaderboard": "results/test_leaderboard",
    "cli/commands/pack": "run/test_archive",
    "cli/commands/new_plugin": "plugin/test_scaffold",
    "cli/commands/paper": "report/paper/test_tables",
    "cli/commands/plugins": "cli/test_help",
    "cli/commands/predict": "doubtful_labels/test_table_model",
    "cli/commands/prune": "results/test_outdated",
    "cli/commands/report": "report/html/test_page",
    "cli/commands/rerun": "run/test_rerun",
    "cli/commands/significance": "results/test_significance",
    "cli/commands/status": "run/test_sweep",
    "cli/commands/theory": "report/test_regret_text",
    "cli/commands/issues": "doubtful_labels/test_issues",
    "cli/commands/diagnose": "report/html/test_diagnosis",
    "doubtful_labels/named_measure": "doubtful_labels/test_table_model",
    "doubtful_labels/noise_argument": "doubtful_labels/test_corrected_classifier",
    "learning/kernel_logistic": "learning/test_stack",
    "noise_estimation/label_notices": "noise_estimation/test_own_data",
    "report/model_text": "doubtful_labels/test_table_model",
    "report/issues_text": "doubtful_labels/test_issues",
    "report/html/template": "report/html/test_diagnosis",
    "report/figures/curves": "report/figures/test_loss_against_sigma",
    "report/figures/regret": "report/test_regret_text",
    "report/paper/page": "report/paper/test_tables",
    "report/leaderboard_text": "results/test_leaderboard",
    "report/reference_text": "results/test_reference",
    "report/significance_text": "results/test_significance",
    "data/column_values": "data/test_columns",
    "plugin/current": "plugin/test_file",
    "run/problem": "run/test_trial",
    "results/solutions": "results/test_leaderboard",
    "config/config_files": "attacks/test_attacks",
    "config/hydra_errors": "config/test_hydra_session",
    "config/schema": "config/test_compose",
    # Each check against plug-ins that break it, and every shipped plug-in against each check.
    "testing/algorithms": "testing/test_broken_plugins",
    "testing/cpe_learners": "testing/test_broken_plugins",
    "testing/datasets": "testing/test_broken_plugins",
    "testing/measures": "testing/test_broken_plugins",
    "testing/noise_models": "testing/test_broken_plugins",
    "testing/t_estimators": "testing/test_broken_plugins",
    "testing/problems": "testing/test_broken_plugins",
    "testing/reporting": "testing/test_check",
    "testing/selection": "testing/test_check",
}
"""Modules that share the test file of another one."""

WITHOUT_BEHAVIOUR = {"types"}

MODULES = {
    path.relative_to(ROOT / "ncbench").with_suffix("").as_posix()
    for path in (ROOT / "ncbench").rglob("*.py")
    if path.name != "__init__.py"
}


@pytest.mark.parametrize("module", sorted(MODULES - WITHOUT_BEHAVIOUR))
def test_every_module_has_tests(module: str) -> None:
    folder, _, name = module.rpartition("/")
    own = f"{folder}/test_{name}" if folder else f"test_{name}"
    place = ROOT / "tests" / f"{TESTED_IN.get(module, own)}.py"
    assert place.is_file(), f"ncbench/{module}.py has no tests/{own}.py"
    assert module not in TESTED_IN or not (ROOT / "tests" / f"{own}.py").is_file(), "has its own"


def test_the_list_of_exceptions_names_modules_that_exist() -> None:
    assert TESTED_IN.keys() | WITHOUT_BEHAVIOUR <= MODULES
