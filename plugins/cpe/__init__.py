"""CPE learners: scikit-learn classifiers that estimate class probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ncbench import hookimpl

from .any_sklearn import sklearn_classifier
from .forward_models import anchored, forward, power_forward
from .gradient_boosting import boosting
from .log_linear_blend import blend
from .logistic_regression import logistic, power_logistic


@hookimpl
def ncbench_cpe_learners() -> Mapping[str, Callable[..., Any]]:
    """Return CPE learners by name."""
    return {
        "logistic": logistic,
        "power_logistic": power_logistic,
        "forward": forward,
        "anchored": anchored,
        "blend": blend,
        "power_forward": power_forward,
        "boosting": boosting,
        "sklearn": sklearn_classifier,
    }
