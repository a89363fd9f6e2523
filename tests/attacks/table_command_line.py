"""Arguments, parameters and data files that a run must refuse, or bear, in one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from attacks.attack import Attack

QUICK = ("dataset=iris", "trials=1", "algo=cpe_argmax", "cpe=logistic", "cpe.C=1.0")
HUGE = "99999999999999999999999"
CSV = ("dataset=file", "dataset.path=in.csv", "dataset.target=y", *QUICK[1:])
NPZ = ("dataset=file", "dataset.path=in.npz", *QUICK[1:])


def odd(name: str, says: str, *argv: str, sweep: bool = False) -> Attack:
    return Attack(name, (*(("-m",) if sweep else ()), *QUICK, *argv), "refused", says)


ARGUMENTS = [
    odd("test_size below one example", "is less than one example", "test_size=1e-9"),
    odd("test_size above all but one", "is less than one example", "test_size=0.9999999"),
    odd("cache is a number", "cache=2; expected true or false", "cache=2"),
    odd("force is a fraction", "force=0.5; expected true or false", "force=0.5"),
    odd("job of a sweep", "job=5: only a sweep sets this key", "job=5"),
    odd("config path", "--config-path /nope: not supported", "--config-path", "/nope"),
    odd("config name", "Cannot find primary config 'nope'", "--config-name", "nope"),
    odd("unknown option", "unrecognized arguments: --frobnicate", "--frobnicate"),
    odd("no key", "=0.1: expected KEY=VALUE", "=0.1"),
    odd("experiment is null", "+experiment=null: expected KEY", "+experiment=null", sweep=True),
    odd("no sigma", "sigma=[]; expected a number", "sigma=[]"),
    odd("environment variable", "data_dir: ", "data_dir=${oc.env:NO_SUCH}"),
    odd("interpolation of itself", "data_dir: Recursive", "data_dir=${data_dir}"),
    odd("interpolation in a circle", "_dir: ", "data_dir=${output_dir}", "output_dir=${data_dir}"),
    odd("unknown resolver", "data_dir: Unsupported", "data_dir=${os.system:ls}"),
    odd("interpolation of nothing", "sigma: Interpolation key 'nope'", "sigma=${nope}"),
    odd("interpolation of a list", "sigma: ", "sigma=${oc.decode:'[1,2]'}"),
    odd("empty range", "sigma=range(0,0): no values", "sigma=range(0,0)", sweep=True),
    odd("empty range of seeds", "seed=range(5,1): no values", "seed=range(5,1)", sweep=True),
    odd("range without step", "seed=range(1,5,0): ", "seed=range(1,5,0)", sweep=True),
    odd("huge range", "more than 100000 cells", "seed=range(0,400000)", sweep=True),
    odd("endless range", "more than 100000 cells", f"seed=range(0,{HUGE})", sweep=True),
    odd("huge product", "cells (", "seed=range(0,5000)", "trials=range(1,100)", sweep=True),
    odd("interval", "sigma=interval(0,1): ", "sigma=interval(0,1)", sweep=True),
    odd("empty glob", "algo=glob(zzz*): no values", "algo=glob(zzz*)", sweep=True),
    odd("no such sweeper", "Could not find 'hydra/sweeper/nope'", "hydra/sweeper=nope", sweep=True),
    odd("sweeper that is code", "not code", "hydra.sweeper._target_=os.system", sweep=True),
    odd("another folder", "hydra.job.chdir=true: not", "hydra.job.chdir=true", sweep=True),
    odd("backslash in a folder", "a sweep cannot use \\", "output_dir='a\\\\'", sweep=True),
    odd("no jobs", "expected at least 1", "hydra.launcher.n_jobs=0", sweep=True),
    odd("no time", "timeout=0.0; expected seconds above 0", "timeout=0"),
    odd("time below none", "timeout=-1.0; expected", "timeout=-1"),
    odd("endless time", "timeout=inf; expected", "timeout=inf"),
]

PARAMETERS = [
    Attack(
        f"{algo}: huge {parameter}",
        ("dataset=iris", "trials=1", f"algo={algo}", measure, f"algo.{parameter}={HUGE}"),
        "refused",
        f"algo.{parameter}={HUGE}; expected a number up to",
    )
    for algo, measure, parameter in (
        ("bs", "measure=micro_f1", "max_iter"),
        ("ncbs", "measure=micro_f1", "max_iter"),
        ("fw", "measure=h_mean", "max_iter"),
        ("ncfw", "measure=h_mean", "max_iter"),
        ("nc_selected", "measure=h_mean", "max_iter"),
        ("nc_selected", "measure=h_mean", "search_iter"),
        ("nc_selected", "measure=h_mean", "folds"),
    )
] + [
    Attack(
        f"{algo}: more steps than can end",
        ("dataset=iris", "trials=1", f"algo={algo}", measure, "algo.max_iter=900000000"),
        "refused",
        "max_iter=900000000; expected 1 to 10000000 steps",
    )
    for algo, measure in (("ncbs", "measure=micro_f1"), ("ncfw", "measure=h_mean"))
]


def csv(content: str) -> Callable[[Path], object]:
    return lambda folder: (folder / "in.csv").write_bytes(content.encode("latin-1"))


def npz(**arrays: np.ndarray) -> Callable[[Path], object]:
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    return lambda folder: np.savez(folder / "in.npz", **{"X": X, "y": y, **arrays})


def rows(*values: str) -> str:
    return "x,z,y\n" + "".join(f"{values[k % len(values)]},{k},{'ab'[k % 2]}\n" for k in range(40))


T = np.array([[0.8, 0.2], [0.2, 0.8]])
RECORDED = ("noise=recorded", "sigma=0.2")
DATA = [
    Attack("NUL bytes", CSV, "refused", "NUL bytes", csv(rows("1", "\0\0"))),
    Attack("a second target", CSV, "refused", "have the name 'y'", csv("x,y,y\n1,a,a\n2,b,b\n")),
    Attack("an index", CSV, "notice", "first column has no name", csv("," + rows("1,2", "1,3"))),
    Attack("huge constant", CSV, "refused", "x (constant)", csv(rows("1e300"))),
    Attack("largest float", CSV, "refused", "squares overflow", csv(rows("1.7e308", "-1.7e308"))),
    Attack(
        "infinite label",
        NPZ,
        "refused",
        "label inf",
        npz(y=np.arange(40) % 2 / 0.0 ** (np.arange(40) % 2)),
    ),
    Attack(
        "bytes that are no text", NPZ, "refused", "not UTF-8", npz(y=np.array([b"\xff", b"a"] * 20))
    ),
    Attack(
        "T is text",
        (*NPZ, *RECORDED),
        "refused",
        "not a matrix of",
        npz(noise_matrix_2=T.astype(str)),
    ),
    Attack(
        "T is complex", (*NPZ, *RECORDED), "refused", "not a matrix of", npz(noise_matrix_2=T * 1j)
    ),
    Attack(
        "T of a huge sigma", NPZ, "refused", "at most 10", npz(**{f"noise_matrix_{HUGE * 20}": T})
    ),
    Attack(
        "T in an empty file",
        (*QUICK, "noise=matrix", "noise.path=in.csv"),
        "refused",
        "the file is empty",
        csv(""),
    ),
    Attack(
        "T singular",
        (*QUICK, "noise=matrix", "noise.matrix=[[0.5,0.5,0],[0.5,0.5,0],[0,0,1]]"),
        "refused",
        "condition number",
    ),
    Attack(
        "costs that overflow",
        (
            "dataset=iris",
            "measure=cost",
            "measure.matrix=[[0,1e308,0],[0,0,0],[0,0,0]]",
            "algo=ncfw",
            "trials=1",
        ),
        "refused",
        "expected at most 1e+100",
    ),
]

ALWAYS = {
    *("cache is a number", "no key", "unknown resolver", "empty range", "endless range"),
    *("another folder", "bs: huge max_iter", "NUL bytes", "infinite label", "T is text"),
}
ATTACKS = [
    replace(attack, slow=attack.name not in ALWAYS) for attack in (*ARGUMENTS, *PARAMETERS, *DATA)
]
