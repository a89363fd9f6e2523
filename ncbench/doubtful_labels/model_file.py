"""Model files: written by ``fit``, and read without running anything that is in them.

A model file is a zip file of skops, with the description of the model as ``ncbench.json``. Its
comment, at the end, has the number of the format and a checksum of all bytes before it.
"""

from __future__ import annotations

import hashlib
import io
import json
import platform
import re
import sys
import zipfile
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.base import BaseEstimator

import ncbench
from ncbench.data import TableEncoder
from ncbench.doubtful_labels.corrected_classifier import NoiseCorrectedClassifier
from ncbench.doubtful_labels.table_model import TableModel
from ncbench.errors import NcbenchError, UnknownName
from ncbench.files import write_output
from ncbench.learning import cpe_learner, fit_cpe
from ncbench.plugin import get_registry

FORMAT = 1

TRUSTED = frozenset(
    {
        "ncbench.core.mixture.Mixture",
        "ncbench.core.noise_matrix.NoiseMatrix",
        "ncbench.data.columns.TableEncoder",
        "ncbench.doubtful_labels.corrected_classifier.NoiseCorrectedClassifier",
        "ncbench.learning.linear_softmax.LinearSoftmax",
        "ncbench.noise_estimation.repair.EstimatedNoiseMatrix",
    }
)
"""Types of a model file, beside the learners of plug-ins and what skops trusts.

skops trusts numbers, text, arrays and scikit-learn's estimators, without trees: their nodes are
indices that scikit-learn follows without checking them.
"""

_DESCRIPTION = "ncbench.json"
_COMMENT = re.compile(rb"ncbench model ([0-9]{1,6}) ([0-9a-f]{64})\Z")


def write_model(out: Path, model: TableModel) -> None:
    """Write a model file, completely or not at all.

    Parameters
    ----------
    out : Path
    model : TableModel
    """
    from skops import io as skops

    parts = {"encoder": model.encoder, "classifier": model.classifier, "seen": model.seen}
    _refuse_untrusted(skops.dumps(model.classifier), f"cpe={model.about['cpe']}", model.about)
    stream = io.BytesIO(skops.dumps(parts))
    with zipfile.ZipFile(stream, "a") as file:
        about = {**model.about, "versions": _versions(model.about["cpe"]), **_others()}
        file.writestr(_DESCRIPTION, json.dumps(about, indent=1))
        file.comment = b"ncbench model %d " % FORMAT + b"0" * 64
    content = stream.getvalue()[:-64]
    write_output(out, content + _digest(content))


def read_model(path: str | Path) -> TableModel:
    """Read a model file; raise NcbenchError, before anything is built, if it is not as written.

    Parameters
    ----------
    path : str or Path
    """
    from skops import io as skops

    where = f"model {str(path)!r}"
    content = _checked(path, where)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in file.infolist()):
                raise ValueError("compressed parts, which ncbench does not write")
            about = json.loads(file.read(_DESCRIPTION))
        _require_versions(about["versions"], about["cpe"], where)
        trusted = _refuse_untrusted(content, where, about)
        parts = skops.loads(content, trusted=sorted(trusted))
        expected = {
            "encoder": TableEncoder,
            "classifier": NoiseCorrectedClassifier,
            "seen": np.ndarray,
        }
        for name, kind in expected.items():
            if not isinstance(parts[name], kind):
                raise TypeError(f"{name} is not a {kind.__name__}")
        return TableModel(**{name: parts[name] for name in expected}, about=about)
    except NcbenchError:
        raise
    except Exception as error:  # whatever readers raise for a file that somebody made up
        reason = str(error).partition("\n")[0]
        raise NcbenchError(f"{where}: cannot be read: {reason}; fit it again") from error


def require_storable(cpe: str) -> None:
    """Raise NcbenchError if a model file cannot hold a learner, as fitted to a few numbers."""
    from skops import io as skops

    rng = np.random.default_rng(0)
    learner = fit_cpe(cpe_learner(cpe, 0), rng.normal(size=(60, 2)), np.arange(60) % 2, None)
    _refuse_untrusted(skops.dumps(learner), f"cpe={cpe}", {"cpe": cpe})


def _checked(path: str | Path, where: str) -> bytes:
    """Return the bytes of a model file whose format is known and whose checksum is right."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise NcbenchError(f"{where}: {error.strerror}") from error
    comment = _COMMENT.search(content[-90:])
    if comment is None:
        raise NcbenchError(
            f"{where}: not a file that `ncbench fit` wrote, or cut off; nothing of it was loaded. "
            "Pickle and joblib files can run code, so they are not read"
        )
    if int(comment[1]) != FORMAT:
        raise NcbenchError(
            f"{where}: format {int(comment[1])}, but ncbench {ncbench.__version__} reads format "
            f"{FORMAT}; use the ncbench that wrote it, or fit again"
        )
    if _digest(content[:-64]) != comment[2]:
        raise NcbenchError(
            f"{where}: damaged, its checksum does not match; copy it again from where it was "
            "written, or fit again"
        )
    return content


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _versions(cpe: str) -> dict[str, str]:
    """Return the versions that must be the same when a model is read."""
    learner = get_registry().plugin("cpe", cpe)
    return {
        "ncbench": ncbench.__version__,
        "scikit-learn": sklearn.__version__,
        learner.distribution: learner.version,
    }


def _others() -> dict[str, str]:
    """Return versions that are kept for the reader only."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "skops": metadata.version("skops"),
    }


def _require_versions(written: Mapping[str, str], cpe: str, where: str) -> None:
    try:
        here = _versions(cpe)
    except UnknownName:
        here = {"ncbench": ncbench.__version__, "scikit-learn": sklearn.__version__}
    for name in dict.fromkeys([*here, *written]):
        version, found = written.get(name, "?"), here.get(name)
        if found == version:
            continue
        remedy = f"pip install '{name}=={version}'"
        if name.endswith(".py"):
            remedy = f"give the file it was fitted with, --plugins-from {name}"
        raise NcbenchError(
            f"{where}: written with {name} {version}, but "
            + (f"{name} {found} is installed" if found else "that is not here")
            + f"; a model is read by the versions that wrote it: {remedy}, or fit again"
        )


def _refuse_untrusted(content: bytes, where: str, about: Mapping[str, Any]) -> set[str]:
    """Return the types of a skops file that need trust; raise NcbenchError if one has none."""
    from skops import io as skops

    found = set(skops.get_untrusted_types(data=content))
    unknown = sorted(found - TRUSTED - _learners(found - TRUSTED))
    if unknown:
        trees = any("tree" in name.lower() for name in unknown)
        raise NcbenchError(
            f"{where}: has {', '.join(unknown[:3])}, which a model file may not have: "
            + (
                "trees cannot be checked when they are read; use another learner, such as "
                "--cpe stacked or --cpe forward"
                if trees
                else f"not of ncbench, nor of a plug-in that registers the learner {about['cpe']!r}"
            )
        )
    return found


def _learners(names: Iterable[str]) -> set[str]:
    """Return the names that are estimators in a package that registers a learner.

    Only modules that are imported already count: a file cannot make us import one.
    """
    registry = get_registry()
    learners = [plugin for plugin in registry.plugins() if plugin.kind == "cpe"]
    for plugin in learners:
        registry.target("cpe", plugin.name)
    packages = {plugin.module.partition(".")[0] for plugin in learners}
    return {name for name in names if name.partition(".")[0] in packages and _is_estimator(name)}


def _is_estimator(name: str) -> bool:
    module, _, attribute = name.rpartition(".")
    found = vars(sys.modules[module]).get(attribute) if module in sys.modules else None
    return isinstance(found, type) and issubclass(found, BaseEstimator)
