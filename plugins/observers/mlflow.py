"""MLflow: one MLflow run per cell, with its configuration, losses and record.

``MLFLOW_TRACKING_URI`` selects the destination, and the parameter ``experiment`` the experiment: by
default ``MLFLOW_EXPERIMENT_NAME`` or ``ncbench``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ncbench import hookimpl

NCBENCH_API = 2
NCBENCH_NEEDS = {"mlflow": "pip install 'ncbench[mlflow]'"}

_STATUS = {"done": "FINISHED", "skipped": "FINISHED", "failed": "FAILED"}
_run_of: dict[str, str] = {}
_logged: dict[str, set[int]] = {}


@dataclass
class Settings:
    """The parameters of the observer."""

    experiment: str | None = None

    @property
    def name(self) -> str:
        """The name of the experiment."""
        return self.experiment or os.environ.get("MLFLOW_EXPERIMENT_NAME", "ncbench")


NCBENCH_SETTINGS = Settings


@hookimpl
def ncbench_run_started(config: Mapping[str, Any], settings: Settings) -> None:
    """Start an MLflow run."""
    _run_of[config["id"]] = _begin(config["id"], config, settings)


@hookimpl
def ncbench_trial_finished(config: Mapping[str, Any], trial: Mapping[str, Any]) -> None:
    """Log the losses of a trial, so that the run can be followed."""
    run = _run_of.get(config["id"])
    if run is not None:
        _client().log_batch(run, metrics=_losses(trial))
        _logged.setdefault(config["id"], set()).add(trial["trial"])


@hookimpl
def ncbench_run_finished(record: Mapping[str, Any], settings: Settings) -> None:
    """Log the losses, per trial and on average, and the record; end the run."""
    from mlflow.entities import Metric, RunTag

    identity = record["id"]
    run = _run_of.pop(identity, None) or _left_running(identity, settings)
    run = run or _begin(identity, record["config"], settings)
    now = int(time.time() * 1000)
    trials = record.get("trials", [])
    logged = _logged.pop(identity, set())
    metrics = [m for trial in trials if trial["trial"] not in logged for m in _losses(trial)]
    metrics += [
        Metric(measure, sum(t["losses"][measure] for t in trials) / len(trials), now, 0)
        for measure in (trials[0]["losses"] if trials else ())
    ]
    tags = [RunTag("ncbench.status", record["status"])]
    tags += [RunTag(f"ncbench.{kind}", owner) for kind, owner in record["plugins"].items()]
    if "reason" in record:
        tags.append(RunTag("ncbench.reason", record["reason"][:5000]))
    client = _client()
    for start in range(0, len(metrics), 1000):  # the limit of MLflow
        client.log_batch(run, metrics=metrics[start : start + 1000])
    client.log_batch(run, tags=tags)
    client.log_dict(run, dict(record), "record.json")
    client.set_terminated(run, _STATUS[record["status"]])


def _losses(trial: Mapping[str, Any]) -> list[Any]:
    from mlflow.entities import Metric

    now = int(time.time() * 1000)
    return [
        Metric(f"trial.{measure}", loss, now, trial["trial"])
        for measure, loss in trial["losses"].items()
    ]


def _client() -> Any:
    from mlflow.tracking import MlflowClient

    return MlflowClient()


def _experiment(client: Any, name: str) -> str:
    from mlflow.exceptions import MlflowException

    found = client.get_experiment_by_name(name)
    if found is None:
        try:
            return str(client.create_experiment(name))
        except MlflowException:  # another process was faster
            found = client.get_experiment_by_name(name)
    return str(found.experiment_id)


def _begin(identity: str, config: Mapping[str, Any], settings: Settings) -> str:
    from mlflow.entities import Param

    client = _client()
    title = f"{config['measure']['name']} {config['dataset']['name']} {config['algo']['name']}"
    run = client.create_run(
        _experiment(client, settings.name),
        tags={"ncbench.id": identity},
        run_name=f"{title} sigma={config['sigma']:g}",
    )
    parameters = [Param(key, str(value)[:6000]) for key, value in _flat(config)]
    for start in range(0, len(parameters), 100):  # the limit of MLflow
        client.log_batch(run.info.run_id, params=parameters[start : start + 100])
    return str(run.info.run_id)


def _flat(config: Mapping[str, Any]) -> list[tuple[str, Any]]:
    flat: list[tuple[str, Any]] = []
    for key, value in config.items():
        if not isinstance(value, Mapping):
            flat.append((key, value))
        elif "name" in value:  # a plug-in with its parameters
            flat.append((key, value["name"]))
            flat += [(f"{key}.{k}", v) for k, v in value.items() if k != "name"]
    return flat


def _left_running(identity: str, settings: Settings) -> str | None:
    """Find a run that was started by a process that was killed since."""
    client = _client()
    runs = client.search_runs(
        [_experiment(client, settings.name)],
        f"tags.`ncbench.id` = '{identity}' and attributes.status = 'RUNNING'",
        max_results=1,
    )
    return runs[0].info.run_id if runs else None
