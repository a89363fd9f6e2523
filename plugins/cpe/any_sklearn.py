"""Any scikit-learn classifier, by its class name."""

from __future__ import annotations

import inspect
from typing import Any

from sklearn.utils.discovery import all_estimators

from ncbench.errors import NcbenchError, UnknownName


def sklearn_classifier(
    estimator: str, params: dict[str, Any] | None = None, random_state: int | None = None
) -> Any:
    """Any scikit-learn classifier with predict_proba, by its class name.

    Parameters
    ----------
    estimator : str
        Class name, such as ``RandomForestClassifier``.
    params : dict, optional
        Its keyword arguments.
    random_state : int, optional
        Passed on if the classifier has this parameter and ``params`` does not set it.

    Examples
    --------
    >>> sklearn_classifier("GaussianNB", {"var_smoothing": 1e-8})
    GaussianNB(var_smoothing=1e-08)
    """
    classifiers = {
        name: cls
        for name, cls in all_estimators(type_filter="classifier")
        if hasattr(cls, "predict_proba")
    }
    if estimator not in classifiers:
        raise UnknownName.among("cpe.estimator: scikit-learn classifier", estimator, classifiers)
    cls = classifiers[estimator]
    arguments = dict(params or {})
    known = inspect.signature(cls).parameters
    for name in arguments:
        if name not in known:
            raise UnknownName.among(f"cpe.params: parameter of {estimator}", name, known)
    if "random_state" in known:
        arguments.setdefault("random_state", random_state)
    try:
        classifier = cls(**arguments)
    except TypeError as error:  # meta-classifiers cannot be built from a name alone
        raise NcbenchError(f"cpe.estimator={estimator}: {error}") from error
    _check(classifier, estimator)
    return classifier


def _check(classifier: Any, estimator: str) -> None:
    """Raise NcbenchError now for what scikit-learn would reject in the middle of a run."""
    try:
        classifier._validate_params()
    except ValueError as error:
        raise NcbenchError(f"cpe.params of {estimator}: {error}") from error
    if not hasattr(classifier, "predict_proba"):  # for some classifiers this depends on parameters
        raise NcbenchError(
            f"cpe.estimator={estimator}: it has no predict_proba with these cpe.params; use "
            "another classifier, such as RandomForestClassifier"
        )
