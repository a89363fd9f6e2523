# ruff: noqa: E501  (one line for each row)
"""Plug-ins that keep state, or change their process: ``check`` finds each of them.

What they do, they do in the new processes of the check alone, not in that of the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attacks.attack import Attack

ESTIMATOR = """
import builtins, contextvars, functools, json, locale, multiprocessing, os, random, signal, sys
import tempfile, threading, time, types, warnings
import numpy as np
import sklearn
from sklearn.naive_bayes import GaussianNB
from ncbench import NoiseMatrix, hookimpl

KEPT = []
VARIABLE = contextvars.ContextVar("last", default=None)
LOCAL = threading.local()


def default_argument(T, kept=[]):
    kept.append(T)
    return (T + kept[-2 if len(kept) > 1 else 0]) / 2


def with_closure():
    first = None

    def mixed(T):
        nonlocal first
        first = T if first is None else first
        return (T + first) / 2

    return mixed


closure = with_closure()


class Same:
    def __init__(self, T):
        self.T = T

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


@functools.lru_cache
def cached(same):
    return same.T


def mixed(owner, T):
    T = (T + getattr(owner, "kept", T)) / 2
    owner.kept = T
    return T


def in_file(path, T):
    if os.path.exists(path):
        T = (T + np.load(path)) / 2
    np.save(path, T)
    return T


@functools.cache
def identity(n):
    return np.eye(n)


class Keeps:
    learns_from_sample = False
    kept_in_class = None

    def estimate(self, sample):
        level = 0.1 + 0.2 * np.tanh(np.abs(sample.X).mean())
        T = (1 - level) * np.eye(3) + level * np.roll(np.eye(3), 1, axis=0)
        if sample.n_classes == 3 and multiprocessing.parent_process():
            T = self.attacked(T, sample)
        return NoiseMatrix(T if sample.n_classes == 3 else np.eye(sample.n_classes))

    def attacked(self, T, sample):
        {attack}
        return T


{top}


@hookimpl
def ncbench_t_estimators():
    return {{"keeps": Keeps}}
"""

HEAD = "import itertools, multiprocessing\nimport numpy as np\n"
MEASURE = f"""{HEAD}
from ncbench import Measure, hookimpl
CALLS = itertools.count()

class Keeps(Measure):
    def __call__(self, C):
        calls = next(CALLS) if multiprocessing.parent_process() else 0
        return float(C.sum() - np.trace(C)) * (1 - calls / 1000)

@hookimpl
def ncbench_measures():
    return {{"keeps": Keeps}}
"""
NOISE = f"""{HEAD}
from ncbench import NoiseMatrix, NoisyLabels, hookimpl
ROWS = {{}}

class Keeps:
    def corrupt(self, dataset, sigma, rng):
        n = dataset.n_classes
        noise = NoiseMatrix((1 - sigma) * np.eye(n) + sigma * np.roll(np.eye(n), 1, axis=0))
        y = noise.draw_labels(dataset.y, rng)
        if multiprocessing.parent_process():
            y = np.array([ROWS.setdefault(x.tobytes(), k) for x, k in zip(dataset.X, y)])
        return NoisyLabels(noise, y)

@hookimpl
def ncbench_noise_models():
    return {{"keeps": Keeps}}
"""
DATASET = f"""{HEAD}
from ncbench import Dataset, hookimpl
LOADS = itertools.count()

def keeps():
    load = next(LOADS) if multiprocessing.parent_process() else 0
    X = np.random.default_rng(load).normal(size=(60, 2))
    return Dataset.from_labels(X, np.arange(60) % 3, name="keeps")

@hookimpl
def ncbench_datasets():
    return {{"keeps": keeps}}
"""
CPE = f"""{HEAD}
from sklearn.naive_bayes import GaussianNB
from ncbench import hookimpl

class Warm(GaussianNB):
    last = None

    def fit(self, X, y):
        super().fit(X, y)
        if multiprocessing.parent_process():
            if Warm.last is not None:
                self.theta_ = (self.theta_ + Warm.last) / 2
            Warm.last = self.theta_
        return self

def keeps(random_state=None):
    return Warm()

@hookimpl
def ncbench_cpe_learners():
    return {{"keeps": keeps}}
"""
ALGORITHM = f"""{HEAD}
from sklearn.naive_bayes import GaussianNB
from ncbench import NoisyLabelClassifier, hookimpl
ROWS = {{}}

class Keeps(NoisyLabelClassifier):
    uses_noise_matrix = False

    def _fit(self, X, y, noise):
        if multiprocessing.parent_process():
            ROWS.update({{x.tobytes(): k for x, k in zip(X, y)}})
            X, y = np.array([np.frombuffer(x) for x in ROWS]), np.array(list(ROWS.values()))
        self.model_ = GaussianNB().fit(X, y)

    def _predict_proba(self, X):
        return self.model_.predict_proba(X)

@hookimpl
def ncbench_algorithms():
    return {{"keeps": Keeps}}
"""


def file(source: str) -> Callable[[Path], None]:
    return lambda folder: (folder / "keeps.py").write_text(source) and None


def estimator(attack: str, top: str = "") -> Callable[[Path], None]:
    return file(ESTIMATOR.format(attack=attack.replace("\n", "\n        "), top=top))


CHECK = ("check", "keeps", "--plugins-from", "keeps.py")
DIFFERS = "its estimate for sample"
LIMIT = 120.0


def found(
    name: str, attack: str, says: str = DIFFERS, *, top: str = "", slow: bool = True
) -> Attack:
    return Attack(name, CHECK, "failed", says, estimator(attack, top), slow, LIMIT)


def other(kind: str, source: str, says: str) -> Attack:
    return Attack(kind, CHECK, "failed", says, file(source), True, LIMIT)


def allowed(name: str, use: str, slow: bool = True) -> Attack:
    return Attack(name, CHECK, "ran", "  ok      state: ", estimator(use), slow, LIMIT)


ATTACKS = [
    # What one use leaves for the next
    found("a global", "KEPT.append(T)\nT = sum(KEPT) / len(KEPT)", slow=False),
    found("the first estimate, in a global", "KEPT.append(T)\nT = (T + KEPT[0]) / 2"),
    found("a global that the second use sets", "KEPT.append(T)\nT = KEPT[min(1, len(KEPT) - 1)]"),
    found("a class attribute", "T = mixed(type(self), T)"),
    found("a default argument", "T = default_argument(T)"),
    found("a closure", "T = closure(T)"),
    found("lru_cache with a bad key", "T = cached(Same(T))"),
    found("an attribute of a function", "T = mixed(default_argument, T)"),
    found("an attribute of a module", "T = mixed(np, T)"),
    found("an attribute of another class", "T = mixed(type(sample), T)"),
    found("an attribute of the learner's class", "T = mixed(type(sample.cpe), T)"),
    found("an attribute of builtins", "T = mixed(builtins, T)"),
    found("an attribute of this plug-in's module", "T = mixed(sys.modules[__name__], T)"),
    found("a module of its own", "T = mixed(sys.modules.setdefault('own', types.ModuleType('own')), T)"),
    found("a thread's own memory", "T = mixed(LOCAL, T)"),
    found("a context variable", "last = VARIABLE.get()\nVARIABLE.set(T)\nT = T if last is None else (T + last) / 2"),
    found("the environment", "T = T if os.environ.setdefault('FIRST', str(T)) == str(T) else np.eye(3)"),
    found("a temporary file", "T = in_file(os.path.join(tempfile.gettempdir(), 'T.npy'), T)"),
    found("a file in the working directory", "T = in_file('T.npy', T)"),
    found("the number of files in a folder", "tempfile.mkstemp()\nT = np.eye(3) if len(os.listdir(tempfile.gettempdir())) > 1 else T"),
    found("numpy's global generator", "a = np.random.random() / 3\nT = (1 - a) * T + a * np.eye(3)"),
    found("a generator without a seed", "a = np.random.default_rng().random() / 3\nT = (1 - a) * T + a * np.eye(3)"),
    found("the time", "a = time.time_ns() % 1000 / 3000\nT = (1 - a) * T + a * np.eye(3)"),
    found("the process", "a = os.getpid() % 100 / 300\nT = (1 - a) * T + a * np.eye(3)", "in the reverse order"),
    # What it changes in its process
    found("np.seterr", "np.seterr(all='ignore')", "numpy.geterr() ", slow=False),
    found("np.set_printoptions", "np.set_printoptions(precision=2)", "numpy.get_printoptions() "),
    found("sklearn.set_config", "sklearn.set_config(assume_finite=True)", "sklearn.get_config() "),
    found("warnings", "warnings.simplefilter('ignore')", "warnings.filters is not as before"),
    found("a draw of numpy's", "np.random.random()", "numpy's global random state is not as before"),
    found("a draw of Python's", "random.random()", "Python's global random state is not as bef"),
    found("os.environ", "os.environ['MINE'] = '1'", "os.environ['MINE'] was not there and is '1'"),
    found("chdir", "os.chdir(tempfile.gettempdir())", "the working directory "),
    found("sys.path", "sys.path.insert(0, 'mine')", "sys.path is not as before"),
    found("sys.stdout", "sys.stdout = open(os.devnull, 'w')", "sys.stdout "),
    found("the recursion limit", "sys.setrecursionlimit(5000)", "the recursion limit was 1000 and"),
    found("a signal", "signal.signal(signal.SIGUSR1, print)", "the handler of SIGUSR1 "),
    found("a thread", "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()", "the set of threads "),
    found("np.argmax", "np.argmax = lambda *a, **k: 0", "numpy.argmax was replaced", slow=False),
    found("np.linalg.inv", "np.linalg.inv = np.linalg.pinv", "numpy.linalg.inv was replaced"),
    found("np.bartlett removed", "np.__dict__.pop('bartlett', None)", "numpy.bartlett was removed"),
    found("a method of scikit-learn", "GaussianNB.fit = lambda *a: None", "GaussianNB.fit was replaced"),
    found("a method of ncbench", "NoiseMatrix.correct_posterior = lambda self, P: P", "NoiseMatrix.correct_posterior was replaced"),
    found("a built-in", "builtins.sorted = list", "builtins.sorted was replaced"),
    found("a module", "sys.modules['numpy.linalg'] = types.ModuleType('numpy.linalg')", "numpy.linalg was replaced"),
    found("a patch when it is imported", "pass", "numpy.argmin was replaced", top="if multiprocessing.parent_process(): np.argmin = lambda *a, **k: 0"),
    # What it does to its input, or to its process
    found("features in place", "sample.X[:] += 1", "it raised ValueError: "),
    found("labels in place", "sample.y[0] = 1", "it raised ValueError: assignment destination is r"),
    found("the end of its process", "os._exit(0)", "it ends its process"),
    found("sys.exit", "sys.exit(0)", "it raised SystemExit: 0 ("),
    # Other kinds
    other("a measure that counts its calls", MEASURE, "its value for confusion matrix A differs"),
    other("a noise model that remembers rows", NOISE, "its vector of labels for data A at sigma=0.3"),
    other("a data set whose second load differs", DATASET, "its fingerprint for seed 0 is "),
    other("a learner that starts where it was", CPE, "its predict_proba for trial 0 of data A"),
    other("an algorithm that remembers rows", ALGORITHM, "its prediction for trial 0 of data A"),
    # What is allowed
    allowed("a cache of what depends on arguments alone", "T = (T + identity(3)) / 2", slow=False),
    allowed("settings for a block", "with np.errstate(all='ignore'), warnings.catch_warnings():\n    warnings.simplefilter('ignore')"),
    allowed("draws from its own generator", "a = sample.rng.random() / 3\nT = (1 - a) * T + a * np.eye(3)"),
    allowed("a late import", "import colorsys, scipy.stats.mstats, sklearn.manifold"),
    allowed("a temporary file that is removed", "tempfile.TemporaryFile().close()"),
    allowed("a thread that has ended", "t = threading.Thread(target=len, args=('',))\nt.start()\nt.join()"),
]  # fmt: skip
