"""Notices about labels in a user's table that are misspelt, or that a feature gives away."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncbench.data import TableEncoder, at_row, plain_name
from ncbench.errors import notice_once
from ncbench.types import Labels

if TYPE_CHECKING:
    import pandas as pd

    from ncbench.data.columns import Column


def shown_names(classes: Sequence[str]) -> tuple[str, ...]:
    """Return names for a table, in quotes where only capitals or spaces tell them apart.

    Examples
    --------
    >>> shown_names(["pear", "pear ", "apple"])
    ("'pear'", "'pear '", 'apple')
    """
    plain = [plain_name(name) for name in classes]
    return tuple(
        repr(name) if plain.count(same) > 1 or name != name.strip() else name
        for name, same in zip(classes, plain, strict=True)
    )


def only_checked(name: str, known: Sequence[str]) -> str:
    """Say that a class occurs only among checked labels, and what it may be meant to be.

    Examples
    --------
    >>> only_checked("pear", ["Pear", "apple"])
    "class 'pear' occurs only among the checked labels; if 'Pear' is meant, write it so"
    >>> only_checked("gourd", ["Pear", "apple"])
    "class 'gourd' occurs only among the checked labels, so no noisy label can be right there"
    """
    said = f"class {name!r} occurs only among the checked labels"
    alike = [other for other in known if plain_name(other) == plain_name(name)]
    if alike:
        return f"{said}; if {alike[0]!r} is meant, write it so"
    return f"{said}, so no noisy label can be right there"


def notice_only_checked(
    clean: Labels, classes: Sequence[str], noisy: int, table: pd.DataFrame, where: str
) -> None:
    """Point out classes that occur only among checked labels, with the first row of each.

    Parameters
    ----------
    clean : array of shape (m,)
        Numbers of the checked labels.
    classes : sequence of str
    noisy : int
        How many of the classes, the first ones, occur among the noisy labels.
    table : DataFrame
    where : str
    """
    for k in range(noisy, len(classes)):
        place = at_row(table, int(np.argmax(clean == k)))
        notice_once(f"{where}, {place}: {only_checked(classes[k], classes[:noisy])}")


def notice_given_away(
    table: pd.DataFrame, labels: NDArray[Any], encoder: TableEncoder, where: str
) -> None:
    """Point out features that have one value for each label, or the names of classes.

    With such a feature every label can be predicted, so that no label looks wrong.

    Parameters
    ----------
    table : DataFrame
        Without the labels.
    labels : array of shape (m,)
    encoder : TableEncoder
        Fitted to the table.
    where : str
    """
    import pandas as pd

    classes = np.unique(labels)
    for position, column in enumerate(encoder.columns):
        values = table.iloc[:, position]
        name, present = column["name"], values.notna().to_numpy()
        distinct = values.nunique()
        if column["kind"] == "left out" or not 2 <= distinct <= 2 * len(classes):
            continue
        found = labels[present]
        pairs = pd.DataFrame({"value": values[present].to_numpy(), "label": found})
        enough = 2 * len(found) >= len(labels) and len(found) > 2 * distinct
        if enough and distinct == len(np.unique(found)) == len(pairs.drop_duplicates()):
            notice_once(
                f"{where}: column {name!r} has one value for each label: it gives the labels away, "
                f"and no label looks wrong; leave it out with --drop {quote(name)}"
            )
        elif labels.dtype.kind == "U" and _names_classes(column, classes):
            notice_once(
                f"{where}: column {name!r} is a feature, but its values are names of classes; if "
                f"they are checked labels, give --clean-column {quote(name)}, if they repeat the "
                f"labels, leave them out with --drop {quote(name)}"
            )


def notice_names_of_classes(classes: Sequence[str], encoder: TableEncoder, where: str) -> None:
    """Point out features with the names of classes, in a table that several people labeled."""
    for column in encoder.columns:
        if _names_classes(column, classes):
            name = column["name"]
            notice_once(
                f"{where}: column {name!r} is a feature, but its values are names of classes; if "
                f"they are labels of one more person, name it among --annotators, if they are "
                f"checked, give --clean-column {quote(name)}, if they come from the others, leave "
                f"them out with --drop {quote(name)}"
            )


def _names_classes(column: Column, classes: Sequence[Any] | NDArray[Any]) -> bool:
    names = {plain_name(str(name)) for name in classes}
    values = {plain_name(value) for value in column["values"] if value}
    return column["kind"] == "categories" and len(values) > 1 and values <= names
