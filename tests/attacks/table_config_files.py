"""Config files from strangers: they cannot run code, read the environment, or stall a command."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

from attacks.attack import Attack

QUICK = ("dataset=iris", "trials=1", "algo=cpe_argmax", "cpe=logistic", "cpe.C=1.0")
SWEEP = ("--config-dir", "cfg", "-m", "+experiment=evil", *QUICK)
SINGLE = ("--config-dir", "cfg", "+experiment=evil", *QUICK)
FOLDER = ("--config-dir", "cfg", "-m", *QUICK)
OWN = ("--config-dir", "cfg", "--config-name", "own", "-m", *QUICK)
ONLY = "of the keys below hydra a config file can set sweeper.params only"
TOUCH = "{x: {_target_: pathlib.Path.touch, self: {_target_: pathlib.Path, _args_: [RAN]}}}"


def files(**contents: str) -> Callable[[Path], None]:
    """Return what writes files: ``experiment__evil`` is cfg/experiment/evil.yaml."""

    def write(folder: Path) -> None:
        for name, content in contents.items():
            path = folder / "cfg" / f"{name.replace('__', '/')}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            text = textwrap.dedent(content)
            path.write_bytes(text.encode("latin-1" if name.endswith("latin") else "utf-8"))

    return write


def evil(content: str, **others: str) -> Callable[[Path], None]:
    text = content if content.startswith("# @package") else f"# @package _global_\n{content}"
    return files(experiment__evil=text, **others)


def handler(text: str) -> str:
    return f"{{version: 1, handlers: {{h: {text}}}, root: {{handlers: [h]}}}}"


# What a file tries to set below hydra, and the key that the answer names.
HYDRA = {
    "callbacks": (f"hydra: {{callbacks: {TOUCH}}}", "hydra.callbacks.x"),
    "callbacks of os.system": (
        "hydra: {callbacks: {x: {_target_: os.system, command: touch RAN}}}",
        "hydra.callbacks.x",
    ),
    "callbacks that use a plug-in file": (
        "hydra: {callbacks: {x: {_target_: ncbench.plugin.use_files, paths: [evil.py]}}}",
        "hydra.callbacks.x",
    ),
    "callbacks that read a pickle": (
        "hydra: {callbacks: {x: {_target_: pandas.read_pickle, filepath_or_buffer: evil.pkl}}}",
        "hydra.callbacks.x",
    ),
    "callbacks that load with joblib": (
        "hydra: {callbacks: {x: {_target_: joblib.load, filename: evil.pkl}}}",
        "hydra.callbacks.x",
    ),
    "callbacks that load with numpy": (
        "hydra: {callbacks: {x: {_target_: numpy.load, file: evil.npy, allow_pickle: true}}}",
        "hydra.callbacks.x",
    ),
    "job_logging with a factory": (
        f"hydra: {{job_logging: {handler('{(): pathlib.Path.touch}')}}}",
        "hydra.job_logging",
    ),
    "job_logging with a file": (
        f"hydra: {{job_logging: {handler('{class: logging.FileHandler, filename: RAN}')}}}",
        "hydra.job_logging",
    ),
    "job_logging with an external object": (
        f"hydra: {{job_logging: {handler('{class: logging.StreamHandler, stream: ext://os}')}}}",
        "hydra.job_logging",
    ),
    "hydra_logging with a factory": (
        f"hydra: {{hydra_logging: {handler('{(): pathlib.Path.touch}')}}}",
        "hydra.hydra_logging",
    ),
    "hydra_logging with a file": (
        f"hydra: {{hydra_logging: {handler('{class: logging.FileHandler, filename: RAN}')}}}",
        "hydra.hydra_logging",
    ),
    "the launcher's target": ("hydra: {launcher: {_target_: os.system}}", "hydra.launcher"),
    "the sweeper's target": ("hydra: {sweeper: {_target_: os.system}}", "hydra.sweeper._target_"),
    "the sweeper's batches": ("hydra: {sweeper: {max_batch_size: 1}}", "max_batch_size"),
    "the mode": ("hydra: {mode: RUN}", "hydra.mode"),
    "verbosity": ("hydra: {verbose: true}", "hydra.verbose"),
    "the folder of a run": ("hydra: {run: {dir: elsewhere}}", "hydra.run.dir"),
    "the folder of a sweep": ("hydra: {sweep: {dir: elsewhere}}", "hydra.sweep.dir"),
    "another folder to run in": ("hydra: {job: {chdir: true}}", "hydra.job.chdir"),
    "environment to set": ("hydra: {job: {env_set: {PYTHONSTARTUP: x.py}}}", "hydra.job.env_set"),
    "environment to copy": ("hydra: {job: {env_copy: [PATH]}}", "hydra.job.env_"),
    "environment to copy that is not there": ("hydra: {job: {env_copy: [NONE_SUCH]}}", "NONE_SUCH"),
    "overrides": ("hydra: {overrides: {task: ['+hydra.callbacks.x=1']}}", "hydra.overrides"),
    "a new key": ("hydra: {mine: 1}", "mine"),
    "the search path": ("hydra: {searchpath: ['file://elsewhere']}", "hydra.searchpath"),
    "an interpolation in place of a mapping": (
        f"hydra: {{callbacks: '${{data_dir}}'}}\ndata_dir: {TOUCH}",
        "experiment/evil",
    ),
    "all of hydra": ("hydra: null", "evil.yaml"),
    "hydra as text": ("hydra: text", "experiment/evil"),
    "the package hydra": (f"# @package hydra\ncallbacks: {TOUCH}", "hydra.callbacks.x"),
    "the package hydra.callbacks": (
        "# @package hydra.callbacks\nx: {_target_: os.system}",
        "hydra.callbacks.x",
    ),
    "defaults that choose a launcher": (
        "defaults: [override /hydra/launcher: joblib]",
        "defaults: override /hydra/launcher: a config file cannot",
    ),
    "defaults that choose logging": (
        "defaults: [override /hydra/job_logging: default]",
        "cannot choose from hydra",
    ),
    "defaults that add a file of hydra's": (
        "defaults: [/hydra/job_logging/default]",
        "cannot choose from hydra",
    ),
    "defaults that put a plug-in below hydra": (
        "defaults: [{/algo@hydra.callbacks.x: ncfw}]",
        "cannot choose from hydra",
    ),
    "a sweep over callbacks": (
        "hydra: {sweeper: {params: {+hydra.callbacks.x._target_: os.system}}}",
        "hydra.callbacks.x",
    ),
    "a sweep over launchers": (
        "hydra: {sweeper: {params: {hydra/launcher: joblib}}}",
        "hydra.launcher",
    ),
    "a sweep over plug-in files": (
        "hydra: {sweeper: {params: {plugins_from: evil.py}}}",
        "set plugins_from on the command line",
    ),
}

SECRET = "a config file cannot call a resolver"
RESOLVERS = {
    "oc.env": "data_dir: ${oc.env:SECRET}",
    "oc.env with a default": "data_dir: ${oc.env:SECRET,none}",
    "oc.env inside text": "data_dir: a/${oc.env:SECRET}/b",
    "oc.env in an interpolation": "data_dir: ${${oc.env:SECRET}}",
    "a resolver whose name is interpolated": "on_error: oc.env\ndata_dir: ${${on_error}:SECRET}",
    "oc.env in a list": "observers: ['${oc.env:SECRET}']",
    "oc.env in a key": "'${oc.env:SECRET}': 1",
    "oc.env in defaults": "defaults: ['override /dataset: ${oc.env:SECRET}']",
    "oc.env in a sweep": "hydra: {sweeper: {params: {data_dir: '${oc.env:SECRET}'}}}",
    "oc.decode": "data_dir: ${oc.decode:x}",
    "oc.create": "data_dir: ${oc.create:x}",
    "hydra's resolver": "data_dir: ${hydra:runtime.cwd}",
    "a resolver of others": "data_dir: ${eval:'1+1'}",
}

BOMB = "\n".join(
    ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10)]
)

YAML = {
    "an anchor bomb": (BOMB, "more than 20000 values, counting aliases"),
    "a recursive anchor": ("a: &a [*a]", "nested in more than 30 levels"),
    "a deep list": ("a: " + "[" * 5000 + "]" * 5000, "nested in more than 30 levels"),
    "a deep mapping": ("a: " + "{b: " * 100 + "1" + "}" * 100, "nested in more than 30 levels"),
    "a scalar": ("3", "at the top, not int"),
    "a text": ("text", "at the top, not str"),
    "a list": ("[1, 2]", "at the top, not seq"),
    "two documents": ("sigma: 0.1\n---\nsigma: 0.2", "not valid YAML"),
    "a tag of Python": ("a: !!python/object/apply:os.system ['touch RAN']", "evil.yaml"),
    "an unknown tag": ("a: !mine 3", "evil.yaml"),
    "a binary file": ("\x00\x01\x02", "evil.yaml"),
    "a long file": ("# " + "x" * 300_000, "longer than 200000 bytes"),
    "a circle of defaults": ("defaults: [/experiment/evil]", "evil.yaml"),
    "defaults that are missing": ("defaults: [/experiment/none]", "experiment"),
    "an interpolation of itself": ("sigma: ${sigma}", "sigma"),
    "plugins_from": ("plugins_from: [evil.py]", "set plugins_from on the command line"),
    "an unknown key": ("_target_: os.system", "_target_"),
    "a target in a group": ("algo: {_target_: os.system}", "_target_"),
}


def fifo(folder: Path) -> None:
    import os

    (folder / "cfg" / "experiment").mkdir(parents=True)
    os.mkfifo(folder / "cfg" / "experiment" / "evil.yaml")


def device(folder: Path) -> None:
    (folder / "cfg" / "experiment").mkdir(parents=True)
    (folder / "cfg" / "experiment" / "evil.yaml").symlink_to("/dev/zero")


OFTEN = (
    *("callbacks", "job_logging with a file", "defaults that choose logging", "overrides"),
    *("oc.env", "an anchor bomb", "a recursive anchor", "a scalar", "plugins_from"),
)
"""The rows that run without --all too."""

BASIC = f"callbacks: {TOUCH}"
ATTACKS = [
    *(Attack(f"{n}, sweep", SWEEP, "refused", k, evil(text), slow=n not in OFTEN)
      for n, (text, k) in HYDRA.items()),
    *(
        Attack(f"{n}, asked with {option}", ("--config-dir", "cfg", option, "+experiment=evil", *o),
               "refused", "evil.yaml", evil(HYDRA[n][0]), slow=True)
        for n in ("callbacks", "job_logging with a file", "hydra_logging with a factory")
        for option, *o in (("--hydra-help",), ("--cfg=job",), ("--info=all",))
    ),
    *(Attack(f"{n}, single", SINGLE, "refused", k, evil(HYDRA[n][0]), slow=True)
      for n, k in (("callbacks", ONLY), ("hydra_logging with a file", ONLY), ("overrides", ONLY))),
    *(Attack(f"{n}, joblib", (*SWEEP, "hydra/launcher=joblib"), "refused", "evil.yaml",
             evil(HYDRA[n][0]), slow=True)
      for n in ("callbacks", "job_logging with a factory")),
    *(Attack(n, SWEEP, "refused", SECRET, evil(text), slow=n not in OFTEN)
      for n, text in RESOLVERS.items()),
    *(
        Attack(n, SWEEP, "refused", says, evil(text), n not in OFTEN, seconds=5)
        for n, (text, says) in YAML.items()
    ),
    Attack("Latin-1", ("--config-dir", "cfg", "-m", "+experiment=latin", *QUICK), "refused",
           "latin.yaml: not UTF-8", files(experiment__latin="data_dir: größe")),
    Attack("a FIFO", SWEEP, "refused", "experiment", fifo, seconds=5),
    Attack("a device", SWEEP, "refused", "experiment", device, seconds=5),
    Attack("a launcher of the folder in place of Hydra's", FOLDER,
           "refused", "hydra.launcher", files(hydra__launcher__basic="_target_: os.system")),
    Attack("a launcher of the folder, named", (*FOLDER, "hydra/launcher=mine"),
           "refused", "hydra/launcher", files(hydra__launcher__mine="_target_: os.system")),
    Attack("a plug-in of the folder in place of a shipped one", FOLDER,
           "refused", "hydra", files(cpe__logistic="# @package _global_\nhydra: {verbose: true}")),
    Attack("a primary config", OWN, "refused", "hydra.callbacks.x",
           files(own=f"defaults: [config, _self_]\nhydra: {{{BASIC}}}")),
    Attack("a primary config with a search path", OWN, "refused", "hydra.searchpath",
           files(own="defaults: [config, _self_]\nhydra: {searchpath: ['file://more']}")),
    Attack("a primary config without the shipped one", OWN, "refused", "with 'config'",
           files(own="defaults: [settings, dataset: iris, noise: random, cpe: logistic, "
                     "t_estimator: known, measure: h_mean, algo: fw, _self_]")),
    Attack("another package in a default", OWN, "refused", "cannot choose from hydra",
           files(own="defaults: [config, {mine@hydra.callbacks.x: evil}, _self_]",
                 mine__evil="_target_: os.system")),
    Attack("a search path that is typed", ("hydra.searchpath=[file://cfg]", *SWEEP[2:]), "refused",
           "hydra.callbacks.x", evil(f"hydra: {{{BASIC}}}")),
    Attack("a search path of its own", ("--config-path", "cfg", *QUICK), "refused", "--config-dir"),
]  # fmt: skip
