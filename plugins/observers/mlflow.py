"""MLflow: one MLflow run per cell, with its configuration, losses and record.

``MLFLOW_TRACKING_URI`` selects the destination, and the parameter ``experiment`` the experiment: by
default ``MLFLOW_EXPERIMENT_NAME`` or ``ncbench``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from ncbench import NcbenchError

_STATUS = {"done": "FINISHED", "skipped": "FINISHED", "failed": "FAILED"}


class MLflow:
    """MLflow: one MLflow run per cell, with its configuration, losses and record.

    Parameters
    ----------
    experiment : str, optional
        Name of the experiment; by default ``MLFLOW_EXPERIMENT_NAME`` or ``ncbench``.
    """

    def __init__(self, experiment: str | None = None) -> None:
        if find_spec("mlflow") is None:
            raise NcbenchError(
                "observers=[mlflow]: mlflow is not installed: pip install 'ncbench[mlflow]'"
            )
        self.experiment = experiment
        self._run_of: dict[str, str] = {}
        self._logged: dict[str, set[int]] = {}

    @property
    def _name(self) -> str:
        return self.experiment or os.environ.get("MLFLOW_EXPERIMENT_NAME", "ncbench")

    def run_started(self, config: Mapping[str, Any]) -> None:
        """Start an MLflow run."""
        self._run_of[config["id"]] = _begin(config["id"], config, self._name)

    def trial_finished(self, config: Mapping[str, Any], trial: Mapping[str, Any]) -> None:
        """Log the losses of a trial, so that the run can be followed."""
        run = self._run_of.get(config["id"])
        if run is not None:
            _client().log_batch(run, metrics=_losses(trial))
            self._logged.setdefault(config["id"], set()).add(trial["trial"])

    def run_finished(self, record: Mapping[str, Any]) -> None:
        """Log the losses, per trial and on average, and the record; end the run."""
        from mlflow.entities import Metric, RunTag

        identity = record["id"]
        run = self._run_of.pop(identity, None) or _left_running(identity, self._name)
        run = run or _begin(identity, record["config"], self._name)
        now = int(time.time() * 1000)
        trials = record.get("trials", [])
        logged = self._logged.pop(identity, set())
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


def _begin(identity: str, config: Mapping[str, Any], experiment: str) -> str:
    from mlflow.entities import Param

    client = _client()
    title = f"{config['measure']['name']} {config['dataset']['name']} {config['algo']['name']}"
    run = client.create_run(
        _experiment(client, experiment),
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


def _left_running(identity: str, experiment: str) -> str | None:
    """Find a run that was started by a process that was killed since."""
    client = _client()
    runs = client.search_runs(
        [_experiment(client, experiment)],
        f"tags.`ncbench.id` = '{identity}' and attributes.status = 'RUNNING'",
        max_results=1,
    )
    return runs[0].info.run_id if runs else None
