"""A plug-in's signature as its configuration: what is understood, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
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


def test_the_examples_cover_every_type() -> None:
    assert set(EXAMPLES) == set(TYPES)


@pytest.mark.parametrize("name", TYPES)
def test_each_type_required_and_with_default(name: str) -> None:
    assert only(function_of(TYPES[name])) == Parameter("alpha", name, required=True)
    example = EXAMPLES[name]
    plain = list(example) if isinstance(example, tuple) else example  # as in a cached description
    assert only(function_of(TYPES[name], example)) == Parameter("alpha", name, default=plain)


@pytest.mark.parametrize("name", TYPES)
def test_each_type_as_a_string(name: str) -> None:
    # As under ``from __future__ import annotations``.
    namespace = {"Any": Any}
    exec(f"def target(alpha: {name!r}): ...", namespace)
    assert only(namespace["target"]).type == name


def test_the_order_of_a_union_does_not_matter() -> None:
    # typing keeps one of two equal unions: which one is met depends on what was imported before.
    assert only(function_of(str | int)).type == only(function_of(int | str)).type == "int | str"


@pytest.mark.parametrize("name", TYPES)
def test_each_type_or_none(name: str) -> None:
    expected = Parameter("alpha", name, optional=True, default=None)
    annotation = TYPES[name]
    for spelling in (annotation | None, Optional[annotation], Union[None, annotation]):  # noqa: UP007, UP045
        assert only(function_of(spelling, None)) == expected
    assert only(function_of(annotation | None)) == Parameter(
        "alpha", name, optional=True, required=True
    )


def test_literal_is_a_string_with_choices() -> None:
    expected = Parameter("alpha", "str", default="b", choices=("a", "b"))
    assert only(function_of(Literal["a", "b"], "b")) == expected
    optional = only(function_of(Literal["a", "b"] | None, None))
    assert optional == Parameter("alpha", "str", optional=True, choices=("a", "b"))


@pytest.mark.parametrize(
    "annotation",
    [
        complex,
        object,
        Any,
        tuple,
        tuple[bool, ...],
        tuple[int, list[int]],
        list,
        list[bool],
        list[list[int]],
        dict[str, int],
        int | float,
        int | float | None,
        int | list[int],
        Literal["a", 1],
        Literal[True, 1],
        Literal["a", None],
        Callable[[], int],
    ],
)
def test_unknown_type_is_refused_with_the_known_ones(annotation: Any) -> None:
    with pytest.raises(NcbenchError, match=r"parameter 'alpha' of .* has type") as caught:
        parameters_of(function_of(annotation))
    for name in TYPES:
        assert name in str(caught.value)
    assert "Literal of strings or of numbers" in str(caught.value)


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


def test_no_hint_is_refused_with_the_known_ones() -> None:
    def target(alpha=1): ...

    with pytest.raises(NcbenchError, match=r"'alpha' of .*target has no type hint") as caught:
        parameters_of(target)
    for name in TYPES:
        assert name in str(caught.value)


def test_variadic_and_positional_only_arguments_are_refused() -> None:
    def args(*alpha: int): ...

    def kwargs(**alpha: int): ...

    def positional(alpha: int = 1, /): ...

    for target in (args, kwargs, positional):
        with pytest.raises(NcbenchError, match=r"'alpha' of .*cannot be configured"):
            parameters_of(target)


def test_the_argument_name_is_taken() -> None:
    def target(name: str = "x"): ...

    with pytest.raises(NcbenchError, match="'name' is reserved for the plug-in's name"):
        parameters_of(target)


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


def test_refusal_names_module_and_class() -> None:
    class Broken:
        def __init__(self, alpha=1) -> None: ...

    with pytest.raises(NcbenchError, match=rf"{__name__}\.test_refusal_names.*\.Broken"):
        parameters_of(Broken)


@pytest.mark.parametrize(
    ("annotation", "default"),
    [(int, None), (int, "many"), (float, [1.0]), (list[float], 1.0)],
)
def test_default_that_its_own_hint_forbids_is_refused(annotation: Any, default: Any) -> None:
    # Otherwise the option cannot be stored in Hydra, and no run at all can start.
    with pytest.raises(NcbenchError, match="'alpha'"):
        parameters_of(function_of(annotation, default))


def test_whole_number_may_be_the_default_of_a_float() -> None:
    assert only(function_of(float, 1)) == Parameter("alpha", "float", default=1)


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        (Parameter("alpha", "int", required=True), "alpha: int"),
        (Parameter("alpha", "int", default=3), "alpha: int = 3"),
        (Parameter("alpha", "float", optional=True), "alpha: float | None = None"),
        (Parameter("mode", "str", default="a", choices=("a", "b")), "mode: a|b = a"),
    ],
)
def test_text_for_listings(parameter: Parameter, text: str) -> None:
    assert str(parameter) == text
