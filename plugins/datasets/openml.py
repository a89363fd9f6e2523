"""Any classification data set on OpenML."""

from __future__ import annotations

from typing import Any

from ncbench import Dataset, NcbenchError, identified_by
from ncbench.data import features_and_labels


@identified_by(lambda **_: "", added=("drop", "keep", "categorical"))
def openml(
    id: str,
    version: str = "active",
    target: str | None = None,
    drop: list[str] | None = None,
    keep: list[str] | None = None,
    categorical: list[str] | None = None,
) -> Dataset:
    """Any OpenML data set, by name or number.

    Downloaded once and then read from scikit-learn's cache (``SCIKIT_LEARN_DATA``). Columns become
    features as those of ``dataset=file`` do.

    Parameters
    ----------
    id : str
        A name (``"vehicle"``) or a number (``"54"``) on openml.org.
    version : str
        Version of a name: a number, or ``"active"`` for the oldest active version.
    target : str, optional
        Column of the labels; by default the target given by OpenML.
    drop, keep, categorical : list of str, optional
        Columns to leave out, to use though they look like ids or dates, to use as categories.

    Returns
    -------
    Dataset
        Named ``<name>_v<version>``, because versions of the same name may be different data.
    """
    # On the command line a number arrives as text; in Python code it may not.
    id, version = str(id), str(version)
    bunch = _fetched(id, version)
    details = bunch.details
    where = f"OpenML {details['id']} ({details['name']} version {details['version']})"
    if target is None and len(bunch.target_names) == 1:
        target = bunch.target_names[0]
    columns = {"drop": drop, "keep": keep, "categorical": categorical}
    X, labels = features_and_labels(bunch.frame, target, where=where, **columns)
    return Dataset.from_labels(
        X,
        labels,
        name=f"{details['name']}_v{details['version']}",
        source=f"OpenML {details['id']} version {details['version']}",
    )


def _fetched(id: str, version: str) -> Any:
    from sklearn.datasets import fetch_openml

    if version != "active" and not version.isdecimal():
        raise NcbenchError(f"data set 'openml': version={version!r}; expected a number or 'active'")
    if id.isdecimal():
        if version != "active":
            raise NcbenchError(
                f"data set 'openml': id={id} already names one version; leave out "
                f"version={version}, or give the data set's name as id"
            )
        key: dict[str, Any] = {"data_id": int(id)}
    else:
        key = {"name": id, "version": version if version == "active" else int(version)}
    try:
        return fetch_openml(**key, as_frame=True)
    except (OSError, ValueError) as error:  # no network, no such data set, or a sparse one
        raise NcbenchError(
            f"data set 'openml': id={id!r}, version={version!r} could not be loaded: "
            f"{type(error).__name__}: {error}. Check the name on openml.org and the network "
            "connection; for your own data use dataset=file"
        ) from error
