"""Model files: written by ``fit``, and read without running anything that is in them.

A model file is a zip file of skops, with the description of the model as ``ncbench.json``. Its
comment, at the end, has the number of the format and a checksum of all bytes before it.
"""

from __future__ import annotations

import copy
import hashlib
import io
import json
import platform
import re
import sys
import zipfile
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_limits

import ncbench
from ncbench.data import TableEncoder
from ncbench.errors import NcbenchError, UnknownName
from ncbench.files import has_no_end, reads, write_output
from ncbench.learning import cpe_learner, fit_cpe
from ncbench.own_labels.arguments import named_measure
from ncbench.own_labels.classifier import NoiseCorrectedClassifier
from ncbench.own_labels.model import TableModel
from ncbench.own_labels.verdict import uncertainty
from ncbench.plugin import get_registry

FORMAT = 1

TRUSTED = frozenset(
    {
        "ncbench.core.argmin.Mixture",
        "ncbench.core.noise_matrix.NoiseMatrix",
        "ncbench.data.columns.TableEncoder",
        "ncbench.own_labels.classifier.NoiseCorrectedClassifier",
        "ncbench.learning.linear_softmax.LinearSoftmax",
        "ncbench.learning.stack.KernelLogistic",
        "ncbench.learning.plain_trees.PlainTrees",
        "ncbench.noise_estimation.repair.EstimatedNoiseMatrix",
        "sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
        "sklearn.linear_model._logistic.LogisticRegression",
        "sklearn.naive_bayes.GaussianNB",
        "sklearn.pipeline.Pipeline",
        "sklearn.preprocessing._data.MinMaxScaler",
        "sklearn.preprocessing._data.PowerTransformer",
        "sklearn.preprocessing._data.StandardScaler",
    }
)
"""Classes of the objects in a model file, beside the estimators in the package of its learner.

skops trusts more: sparse matrices, and estimators of scikit-learn that use them or follow indices.
Nobody checks such indices, so those of a made-up file would lead to any place in memory. The
classes here predict with dense arrays; ``PlainTrees`` checks its own when it is built.
"""

_PLAIN = {
    "DictNode": {"builtins.dict"},
    "ListNode": {"builtins.list"},
    "TupleNode": {"builtins.tuple"},
    "JsonNode": {"builtins.str"},
    "TypeNode": {"builtins.str", "builtins.int"},  # of the keys of dictionaries
    "NdArrayNode": {
        "numpy.ndarray", "numpy.bool", "numpy.float64", "numpy.int32", "numpy.int64",
    },
}  # fmt: skip
"""What skops calls plain data, by the part of skops that reads it."""

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

    cpe = model.about["cpe"]
    # A file holds the name of the measure, not an object of a plug-in.
    classifier = copy.copy(model.classifier).set_params(measure=model.about["measure"])
    vars(classifier).pop("rare_", None)  # rows of a table that is not in the file
    parts = {"encoder": model.encoder, "classifier": classifier, "seen": model.seen}
    stream = io.BytesIO(skops.dumps(parts))
    _refuse_untrusted(stream, f"--cpe {cpe}", cpe)
    with zipfile.ZipFile(stream, "a") as file:
        about = {**model.about, "versions": _versions(cpe)}
        about |= {"python": platform.python_version(), "numpy": np.__version__}
        about["skops"] = metadata.version("skops")
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
        for key in ("classes", "cpe", "measure", "t_estimator", "versions"):
            if key not in about:
                raise ValueError(f"its description has no {key!r}")
        _require_versions(about["versions"], about["cpe"], where)
        trusted = _refuse_untrusted(io.BytesIO(content), where, about["cpe"])
        parts = skops.loads(content, trusted=sorted(trusted))
        expected = {
            "encoder": TableEncoder,
            "classifier": NoiseCorrectedClassifier,
            "seen": np.ndarray,
        }
        for name, kind in expected.items():
            if not isinstance(parts[name], kind):
                raise TypeError(f"{name} is not a {kind.__name__}")
        model = TableModel(**{name: parts[name] for name in expected}, about=about)
        try:
            _try_out(model)
        except NcbenchError as error:  # about one row: does not name the file
            raise ValueError(str(error)) from error
        if about.get("background") is not None:
            psi = named_measure(about["measure"], about["background"])
            model.classifier.set_params(measure=psi)
        return model
    except NcbenchError:
        raise
    except Exception as error:  # whatever readers raise for a file that somebody made up
        reason = str(error).partition("\n")[0]
        raise NcbenchError(f"{where}: cannot be read: {reason}; fit it again") from error


def require_storable(cpe: str) -> None:
    """Raise NcbenchError if a model file cannot hold a learner, as fitted to a few numbers."""
    from skops import io as skops

    rng = np.random.default_rng(0)
    with threadpool_limits(1):  # for so few numbers, starting threads takes longest
        learner = fit_cpe(cpe_learner(cpe, 0), rng.normal(size=(60, 2)), np.arange(60) % 2, None)
    _refuse_untrusted(io.BytesIO(skops.dumps(learner)), f"--cpe {cpe}", cpe)


def _checked(path: str | Path, where: str) -> bytes:
    """Return the bytes of a model file whose format is known and whose checksum is right."""
    reads(path)
    if has_no_end(path):
        raise NcbenchError(f"{where}: not a regular file")
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


def _require_versions(written: Mapping[str, str], cpe: str, where: str) -> None:
    try:
        here = _versions(cpe)
    except UnknownName:
        here = {"ncbench": ncbench.__version__, "scikit-learn": sklearn.__version__}
    for name in dict.fromkeys([*here, *written]):
        version, found = written.get(name, "?"), here.get(name)
        if found == version:
            continue
        # A stranger may have written the name and the version: no command is made of just any text.
        if re.fullmatch(r"\w[\w.-]*\.py", name):
            remedy = f"give the file it was fitted with, --plugins-from {name}"
        elif found is None:
            raise NcbenchError(f"{where}: needs {name!r}, which is not installed")
        elif re.fullmatch(r"[0-9A-Za-z.+!-]+", version):
            remedy = f"pip install '{name}=={version}'"
        else:
            raise NcbenchError(f"{where}: written with {name} {version!r}, which is no version")
        raise NcbenchError(
            f"{where}: written with {name} {version}, but "
            + (f"{name} {found} is installed" if found else "that is not here")
            + f"; a model is read by the versions that wrote it: {remedy}, or fit again"
        )


def _refuse_untrusted(stream: io.BytesIO, where: str, cpe: str) -> set[str]:
    """Return the classes of the objects in a skops file; raise NcbenchError if one has no trust."""
    with zipfile.ZipFile(stream) as file:
        nodes = set(_nodes(json.loads(file.read("schema.json"))))
    objects = {name for loader, name in nodes if loader == "ObjectNode"}
    trusted = TRUSTED | _learners(objects - TRUSTED, cpe)
    unknown = sorted(
        name
        for loader, name in nodes
        if name not in (trusted if loader == "ObjectNode" else _PLAIN.get(loader, ()))
    )
    if unknown:
        trees = [name for name in unknown if "tree" in name.lower()]
        shown = ", ".join(map(repr, (trees or unknown)[:3]))
        raise NcbenchError(
            f"{where}: has {shown}, which a model file may not have: "
            + (
                "trees of scikit-learn cannot be checked when they are read; use a learner that "
                "keeps them as ncbench.learning.PlainTrees, such as --cpe boosting, or no trees"
                if trees
                else f"neither plain data nor trusted, nor of the package of the learner {cpe!r}"
            )
        )
    return objects


def _nodes(schema: Any) -> Iterator[tuple[str, str]]:
    """Yield which part of skops would read each node of a schema, and as what."""
    if isinstance(schema, dict):
        if "__loader__" in schema:
            name = f"{schema.get('__module__')}.{schema.get('__class__')}"
            yield str(schema["__loader__"]), name
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from _nodes(part)


def _learners(names: set[str], cpe: str) -> set[str]:
    """Return the names that are estimators in the package of a learner, unless scikit-learn's.

    Only modules that are imported already count: a file cannot make us import one.
    """
    registry = get_registry()
    try:
        package = registry.plugin("cpe", cpe).module.partition(".")[0]
    except UnknownName:
        return set()
    registry.target("cpe", cpe)
    if package == "sklearn":
        return set()
    return {name for name in names if name.partition(".")[0] == package and _is_estimator(name)}


def _is_estimator(name: str) -> bool:
    module, _, attribute = name.rpartition(".")
    found = vars(sys.modules[module]).get(attribute) if module in sys.modules else None
    return isinstance(found, type) and issubclass(found, BaseEstimator)


def _try_out(model: TableModel) -> None:
    """Raise any error if a model does not fit its description or cannot predict one row."""
    about, classes = model.about, model.classifier.classes_
    if about["classes"] != model.classes or not np.array_equal(classes, np.unique(classes)):
        raise ValueError("its classes are not those of its description")
    for key in ("measure", "algorithm", "t_estimator", "background", "target"):
        value = about.get(key)
        # A model without an estimator was given T; only Micro F1 has a background.
        if not isinstance(value, str) and (key == "measure" or value is not None):
            raise TypeError(f"{key} is {value!r}, which is not a name")
    if not isinstance(about.get("repeated_rows", 0.0), float):
        raise TypeError("repeated_rows is not a number")
    if about.get("background") not in [None, *model.classes]:
        raise ValueError("its background is not one of its classes")
    used = model.encoder.used
    row = [column["values"][0] if column["values"] else np.nan for column in used]
    table = pd.DataFrame([row], columns=[column["name"] for column in used])
    model.other_columns(table)
    model.share_seen(model.features(table, "its columns"))
    model.predict(table, "its columns")
    uncertainty(model.classifier.noise_matrix_, np.ones(len(classes), dtype=np.int64))
