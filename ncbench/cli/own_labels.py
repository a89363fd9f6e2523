"""Commands on people's own labels: how wrong they are, which ones, and a classifier to ship.

Every public function is a command. Slow imports are in functions: the arguments are parsed first.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from ncbench.cli.command import Option, one_of
from ncbench.cli.own_data import (
    Background,
    Columns,
    LabeledFile,
    Noise,
    NoiseFile,
    Seed,
    require_background,
    require_buildable,
    require_measures,
    require_out,
    whole_number,
    working,
)
from ncbench.errors import NcbenchError, counted, printable_lines

_DEFAULT, _OF_PEOPLE = "held_out_map", "dawid_skene"  # a test compares them with the package's


def estimate_noise(
    labels: LabeledFile,
    *,
    plan: float | None = None,
    t_estimator: str | None = None,
    cpe: str = "logistic",
    bootstrap: int = 20,
    seed: Seed = 0,
    plot: str | None = None,
    json: bool = False,
) -> None:
    """Estimate the noise matrix of the labels in your own file.

    It says how often each class is labeled as each other class, and whether the estimate is
    reliable.

    Parameters
    ----------
    plan : WIDTH
        say how many labels to check, and which rows, for an interval of the share of wrong labels
        that is at most so wide, for example 0.05
    t_estimator : NAME
        estimator; `ncbench plugins` lists all (default: held_out_map, with several annotators
        dawid_skene)
    cpe : NAME
        class probability learner of some estimators and of the verdict; `ncbench plugins` lists all
    bootstrap : N
        resamples for the intervals of estimators other than held_out_map; 0: no intervals
    plot : FILE
        draw the matrix: .png, .pdf, .svg
    json
        print JSON
    """
    name = t_estimator or (_DEFAULT if labels.target else _OF_PEOPLE)
    require_buildable("--t-estimator", "t_estimator", name)
    require_buildable("--cpe", "cpe", cpe)
    if bootstrap < 0:
        raise NcbenchError(f"--bootstrap {bootstrap}: expected 0 or more resamples")
    if plan is not None and not 0 < plan < 1:
        raise NcbenchError(f"--plan {plan}: expected a width between 0 and 1, such as 0.05")
    require_out(plot, ".png", ".pdf", ".svg", option="--plot")
    if plot:
        from ncbench.report.figures import require

        require("matplotlib")

    from json import dumps

    from ncbench.own_labels import estimate_own_noise, plan as planned
    from ncbench.own_labels.estimate_text import estimate_text, plan_text
    from ncbench.plugin import get_registry

    estimator = get_registry().build("t_estimator", name)
    learner = get_registry().build("cpe", cpe, random_state=0)
    data = labels.read(one_each=False)
    with working(f"Estimating the noise of {len(data.y):,} labels by {name}"):
        noise = estimate_own_noise(
            data, estimator, learner, name=name, bootstrap=bootstrap, seed=seed
        )
    rows = planned(noise, data, plan, seed) if plan else None
    if json:
        answer = noise.as_json()
        if rows is not None:
            answer["plan"] = {"width": plan, "rows": rows.tolist()}
        print(dumps(answer, indent=2))
    else:
        print(printable_lines(estimate_text(noise)))
        if plan and rows is not None:
            print(plan_text(noise, rows, plan))
    if plot:
        noise.plot(plot)


def issues(
    labels: LabeledFile,
    *,
    out: str | None = None,
    show: Annotated[int, Option(whole_number)] = 20,
    noise: Noise,
    cpe: str | None = None,
    seed: Seed = 0,
) -> None:
    """List the labels of your own file that are probably wrong.

    All labels are ranked by the probability that they are wrong.

    Parameters
    ----------
    out : FILE
        write all rows to a CSV file
    show : N
        rows to print
    cpe : NAME
        class probability learner (default: a linear model and trees)
    """
    from ncbench.own_labels import rank_own_labels
    from ncbench.own_labels.text import issues_text, ranked
    from ncbench.show import as_csv, write

    require_out(out, ".csv", "")
    if cpe is not None:
        require_buildable("--cpe", "cpe", cpe)
    T = noise.of(labels)
    if not labels.target and T != "estimate":
        raise NcbenchError(
            f"--t-estimator {T} is for labels of one person; those of several are weighed by "
            "the method of Dawid and Skene: leave it out"
        )
    data = labels.read()
    with working(f"Looking for wrong labels among {len(data.y):,}"):
        ranking = rank_own_labels(data, T, cpe, seed)
    found, known = ranking.issues, ranking.findings
    print(printable_lines(issues_text(found, known, show, noise.noise_matrix is None)))
    _print_doubts(known.doubts)
    if out:
        write(as_csv(ranked(found)).rstrip("\n"), Path(out))
        print(f"written: {out}, with all {len(found)} rows", file=sys.stderr)


def fit(
    labels: LabeledFile,
    *,
    measure: str = "g_mean",
    background: Background = None,
    out: str,
    noise: Noise,
    cpe: str | None = None,
    seed: Seed = 0,
) -> None:
    """Fit a classifier to your own file with doubtful labels.

    It is fitted to the noisy labels, for a measure on clean ones, and written to a model file for
    `ncbench predict` and `ncbench evaluate`.

    Parameters
    ----------
    measure : NAME
        the loss to minimize, such as h_mean, micro_f1 or zero_one
    out : FILE
        the model, NAME.skops
    cpe : NAME
        class probability learner (default: blend)
    """
    from ncbench.own_labels import (
        DEFAULT_LEARNER,
        TableModel,
        has_background,
        require_storable,
        write_model,
    )
    from ncbench.own_labels.text import fitted_text

    require_out(out, ".skops", "")
    require_measures([measure], optimized=True)
    if cpe is not None:
        require_buildable("--cpe", "cpe", cpe)
    T, learner = noise.of(labels), cpe or DEFAULT_LEARNER
    require_storable(learner)
    if background is not None and not has_background(measure):
        raise NcbenchError(
            f"--background {background}: --measure {measure} leaves out no class, unlike "
            "micro_f1; leave --background out"
        )
    data = labels.read()
    require_background(background, data.classes)
    with working(f"Fitting {learner} and {measure} to {len(data.y):,} rows"):
        target = labels.target or ", ".join(data.annotations.names if data.annotations else ())
        model = TableModel.fit(data, target, measure, T, learner, seed, background)
    write_model(Path(out), model)
    print(printable_lines(fitted_text(model.about)))
    _print_doubts(model.about["doubts"])
    print(f"written: {out}", file=sys.stderr)


def _print_doubts(doubts: Iterable[str]) -> None:
    for doubt in doubts:
        print(printable_lines(f"Note: {doubt}"), file=sys.stderr)


def predict(model: str, file: str, *, out: str) -> None:
    """Predict the classes of a table with a model that fit wrote.

    Each row gets its class and the probabilities of the clean classes. Columns that are not
    features, such as ids, are copied as they are written.

    Parameters
    ----------
    model : MODEL
        a file that `ncbench fit` wrote
    file : FILE
        CSV, TSV, Parquet, Excel or ARFF file
    out : FILE
        the predictions, NAME.csv
    """
    from ncbench.data import as_written, lines_of, read_table
    from ncbench.files import write_output
    from ncbench.own_labels import read_model
    from ncbench.own_labels.predictions import predictions_csv

    require_out(out, ".csv", "")
    fitted = read_model(model)
    with working(f"Reading {file}"):
        table = read_table(Path(file))
    with working(f"Predicting {len(table):,} rows"):
        predicted, probabilities = fitted.predict(table, f"file {file!r}")
        fitted.notice_missing(table, f"file {file!r}")
    with working(f"Writing {out}"):
        found = lines_of(table), fitted.classes, predicted, probabilities
        others = as_written(fitted.other_columns(table))
        write_output(Path(out), predictions_csv(others, *found))
    print(f"written: {out}, {counted(len(table), 'row')}", file=sys.stderr)


@one_of("target", "clean_column")
def evaluate(
    model: str,
    file: str,
    *,
    target: str | None = None,
    clean_column: str | None = None,
    measure: Columns = (),
    background: Background = None,
    noise_matrix: NoiseFile = None,
) -> None:
    """Estimate how good a model that fit wrote is on clean labels.

    The rows should not be those that it was fitted to. Noisy labels are corrected for noise;
    checked labels are compared as they are.

    Parameters
    ----------
    model : MODEL
        a file that `ncbench fit` wrote
    file : FILE
        CSV, TSV, Parquet, Excel or ARFF file
    target : COLUMN
        noisy labels
    clean_column : COLUMN
        checked labels; rows without one are left out
    measure : NAMES
        losses, as a,b,c (default: that of the model, and with --clean-column all)
    background : CLASS
        the class that micro_f1 leaves out, such as `none of these` (default: that of the model, or
        its first class)
    """
    from ncbench.data import read_table
    from ncbench.own_labels import (
        has_background,
        hold_out,
        named_measure,
        read_model,
        read_noise_matrix,
    )
    from ncbench.own_labels.text import checked_text, noisy_text
    from ncbench.plugin import get_registry

    column = target or clean_column or ""  # one of them is given
    if clean_column and noise_matrix:
        raise NcbenchError("--noise-matrix is for noisy labels; leave it out with --clean-column")
    require_measures(measure)
    fitted = read_model(model)
    require_background(background, fitted.classes)
    if target and fitted.about.get("people") and not noise_matrix:
        raise NcbenchError(
            f"--target {target}: the noise matrix of the model is that of the most probable "
            "label of several people, which is wrong less often than that of one; give "
            "--clean-column with checked labels, or --noise-matrix with that of this column"
        )
    wanted = measure or [fitted.about["measure"]]
    if clean_column and not measure:
        wanted = [name for name, _ in get_registry().each_built("measure")]
    background = background or fitted.about.get("background") or fitted.classes[0]
    measures = {name: named_measure(name, background) for name in wanted}
    noise: Any = None if clean_column else fitted.classifier.noise_matrix_
    if noise_matrix:
        noise = read_noise_matrix(noise_matrix)
    with working(f"Reading {file}"):
        table = read_table(Path(file))
    with working(f"Predicting {len(table):,} rows"):
        X, y = fitted.labeled(table, column, f"file {file!r}")
        fitted.notice_missing(table, f"file {file!r}")
        held_out, classes = hold_out(fitted.classifier, X, y, noise)
        found = [
            held_out.performance(name, psi.for_classes(classes), classes)
            for name, psi in measures.items()
        ]
        if clean_column:
            text = checked_text(column, fitted.about, held_out.confusion, found)
        else:
            text = noisy_text(column, fitted.about, noise_matrix, found)
    # A model and a table may come from others, with any names.
    print(printable_lines(f"{model} on {file}, {len(y)} rows\n{text}"))
    for name in filter(has_background, measures):
        print(printable_lines(f"{name} leaves out the background class: {background}"))
    equal = {
        "rows that the model was fitted to, beyond those that repeat anyway, which flatters it; "
        "evaluate it on other rows": fitted.share_seen(X),
        "another of them, beyond those that repeat anyway; if they are copies, intervals are too "
        "narrow: leave them out": fitted.share_repeated(X),
    }
    for what, share in equal.items():
        if share > 0.1:
            print(f"Warning: about {share:.0%} of these rows equal {what}", file=sys.stderr)


def diagnose(
    labels: LabeledFile,
    *,
    out: str = "diagnosis.html",
    background: Background = None,
    seed: Seed = 0,
) -> None:
    """Write a page about the labels of your own file.

    It says how many are wrong, how sure that is, what correcting for the noise gains, and which
    labels to look at again.

    Parameters
    ----------
    out : FILE
        the page
    """
    from ncbench.noise_estimation.share import CANNOT_TELL
    from ncbench.own_labels import (
        DEFAULT_T_ESTIMATOR,
        PEOPLE_T_ESTIMATOR,
        AsRanked,
        correction_gains,
        estimate_own_noise,
        labels_to_look_at,
    )
    from ncbench.own_labels.page import summary, write_diagnosis
    from ncbench.plugin import get_registry

    require_out(out, ".html", "")
    data = labels.read()
    require_background(background, data.classes)
    cpe = get_registry().build("cpe", "logistic", random_state=0)
    rows = f"{len(data.y):,} labels"
    if labels.target:
        with working(f"1 of 3: estimating the noise of {rows}"):
            estimator = get_registry().build("t_estimator", DEFAULT_T_ESTIMATOR)
            noise = estimate_own_noise(data, estimator, cpe, name=DEFAULT_T_ESTIMATOR, seed=seed)
        with working(f"2 of 3: ranking {rows}"):
            issues, _ = labels_to_look_at(data, noise, seed)
    else:
        with working(f"1 of 3: ranking {rows}"):
            issues, found = labels_to_look_at(data, seed=seed)
        with working(f"2 of 3: judging the noise of {rows}"):
            name = f"{PEOPLE_T_ESTIMATOR} and the features"
            noise = estimate_own_noise(data, AsRanked(found), cpe, name=name, seed=seed)
    gains = []
    with working("3 of 3: comparing classifiers with and without a correction"):
        if noise.level != CANNOT_TELL:
            gains = correction_gains(data, noise, seed=seed, background=background)
    command = shlex.join(["python", "-m", "ncbench", *sys.argv[1:]])
    write_diagnosis(Path(out), data, noise, issues, gains, command, background)
    print(printable_lines(summary(noise, issues, gains)))
    print(f"written: {out}", file=sys.stderr)
