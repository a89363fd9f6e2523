"""A plug-in's signature as its configuration: what is understood, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, Optional, Union

import pytest

from ncbench.errors import NcbenchError
from ncbench.plugin.signature import TYPES, Parameter, annotation_of, parameters_of


def function_of(annotation: Any, *default: Any) -> Callable[..., Any]:
    def required(alpha): ...

    def defaulted(alpha=default[0] if default else None): ...

    chosen = defaulted if default else required
    chosen.__annotations__ = {"alpha": annotation}
    return chosen


def only(target: Callable[..., Any]) -> Parameter:
    (parameter,) = parameters_of(target)
    return parameter


EXAMPLES = {
    "bool": True,
    "int": 3,
    "float": 0.5,
    "str": "x",
    "int | str": "x",
    "float | str": "x",
    "list[int]": [1],
    "list[float]": [0.5],
    "list[str]": ["x"],
    "list[list[float]]": [[0.5]],
    "tuple[int, ...]": (1, 2),
    "tuple[float, ...]": (0.5,),
    "tuple[str, ...]": (),
    "dict[str, Any]": {"a": 1},
}


def test_each_type_in_all_spellings() -> None:
    for name in TYPES:
        annotation, example = TYPES[name], EXAMPLES[name]
        assert only(function_of(annotation)) == Parameter("alpha", name, required=True)
        plain = (
            list(example) if isinstance(example, tuple) else example
        )  # as in a cached description
        assert only(function_of(annotation, example)) == Parameter("alpha", name, default=plain)
        namespace = {"Any": Any}  # as under ``from __future__ import annotations``
        exec(f"def target(alpha: {name!r}): ...", namespace)
        assert only(namespace["target"]).type == name
        expected = Parameter("alpha", name, optional=True, default=None)
        for spelling in (annotation | None, Optional[annotation], Union[None, annotation]):  # noqa: UP007, UP045
            assert only(function_of(spelling, None)) == expected
        assert only(function_of(annotation | None)) == replace(expected, required=True)


def test_literal_is_a_string_with_choices() -> None:
    expected = Parameter("alpha", "str", default="b", choices=("a", "b"))
    assert only(function_of(Literal["a", "b"], "b")) == expected
    optional = only(function_of(Literal["a", "b"] | None, None))
    assert optional == Parameter("alpha", "str", optional=True, choices=("a", "b"))


def test_unknown_types_and_no_type_are_refused_with_the_known_ones() -> None:
    def target(alpha=1): ...

    refused = [
        *(complex, object, Any, tuple, tuple[bool, ...], tuple[int, list[int]], list, list[bool]),
        *(list[list[int]], dict[str, int], int | float, int | float | None, int | list[int]),
        *(Literal["a", 1], Literal[True, 1], Literal["a", None], Callable[[], int]),
    ]
    for function in (target, *map(function_of, refused)):
        with pytest.raises(NcbenchError, match=r"'alpha' of .* has (no )?type") as caught:
            parameters_of(function)
        assert all(name in str(caught.value) for name in TYPES)
        assert function is target or "Literal of strings or of numbers" in str(caught.value)


def test_literal_may_be_of_numbers() -> None:
    whole = only(function_of(Literal[1, 2], 2))
    assert whole == Parameter("alpha", "int", default=2, choices=(1, 2))
    mixed = only(function_of(Literal[0.5, 1], 0.5))  # type: ignore[valid-type]
    assert mixed == Parameter("alpha", "float", default=0.5, choices=(0.5, 1))


def test_a_tuple_may_have_a_fixed_length() -> None:
    expected = Parameter("alpha", "tuple[float, int]", default=[1, 2])
    assert only(function_of(tuple[float, int], (1, 2))) == expected
    assert annotation_of(expected.type) == tuple[float, int]
    with pytest.raises(NcbenchError, match=r"which is not tuple\[float, int\]"):
        only(function_of(tuple[float, int], (1.0,)))


def test_an_optional_union_is_understood_whatever_was_imported_before() -> None:
    # typing keeps the first of several equal spellings, whoever wrote it.
    for inner in (Union[int, str], Union[str, int], int | str, str | int):  # noqa: UP007
        for spelling in (Optional[inner], Union[inner, None], Union[None, inner]):  # noqa: UP007, UP045
            assert only(function_of(spelling, None)).type == "int | str"


def test_arguments_that_cannot_be_configured_are_refused() -> None:
    def args(*alpha: int): ...

    def kwargs(**alpha: int): ...

    def positional(alpha: int = 1, /): ...

    def named(name: str = "x"): ...

    class Broken:
        def __init__(self, alpha=1) -> None: ...

    for target in (args, kwargs, positional):
        with pytest.raises(NcbenchError, match=r"'alpha' of .*cannot be configured"):
            parameters_of(target)
    with pytest.raises(NcbenchError, match="'name' is reserved for the plug-in's name"):
        parameters_of(named)
    with pytest.raises(NcbenchError, match=rf"{__name__}\.test_arguments_that.*\.Broken"):
        parameters_of(Broken)


def test_supplied_arguments_are_no_configuration_and_need_no_hint() -> None:
    def target(measure, rng=None, alpha: int = 1): ...

    assert [p.name for p in parameters_of(target, supplied=["measure", "rng"])] == ["alpha"]
    with pytest.raises(NcbenchError, match=r"'measure' of .* has no type hint"):
        parameters_of(target, supplied=["rng"])


def test_keyword_only_arguments_and_order() -> None:
    def target(b: int, a: str = "x", *, c: float = 0.5): ...

    assert parameters_of(target) == (
        Parameter("b", "int", required=True),
        Parameter("a", "str", default="x"),
        Parameter("c", "float", default=0.5),
    )


def test_class_is_described_by_its_constructor() -> None:
    class WithInit:
        def __init__(self, alpha: int = 1) -> None: ...

    class Inherits(WithInit):
        """Takes what its parent takes."""

    class Without:
        """Takes nothing."""

    assert (
        parameters_of(WithInit)
        == parameters_of(Inherits)
        == (Parameter("alpha", "int", default=1),)
    )
    assert parameters_of(Without) == ()


def test_default_that_its_own_hint_forbids_is_refused() -> None:
    # Otherwise the option cannot be stored in Hydra, and no run at all can start.
    for annotation, default in ((int, None), (int, "many"), (float, [1.0]), (list[float], 1.0)):
        with pytest.raises(NcbenchError, match="'alpha'"):
            parameters_of(function_of(annotation, default))
    assert only(function_of(float, 1)) == Parameter("alpha", "float", default=1)


def test_text_for_listings() -> None:
    for parameter, text in (
        (Parameter("alpha", "int", required=True), "alpha: int"),
        (Parameter("alpha", "int", default=3), "alpha: int = 3"),
        (Parameter("alpha", "float", optional=True), "alpha: float | None = None"),
        (Parameter("mode", "str", default="a", choices=("a", "b")), "mode: a|b = a"),
    ):
        assert str(parameter) == text
