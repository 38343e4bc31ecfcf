"""Options: one typed table for each game and agent, and one parser for text and Python values."""

import json
from collections.abc import Iterator
from functools import partial
from importlib.metadata import entry_points
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from closedhand import GAMES, InputError, make_game
from closedhand.core import agents
from closedhand.core.options import (
    LARGEST,
    READERS,
    WORDS,
    Option,
    Options,
    Range,
    options_of,
    takes,
)

GARBAGE: list[Any] = [
    "maybe", "", " ", "1.5", "-", "NaN", "Infinity", "[[", "'", "9" * 5000, 10**5000, 10**30,
    -(10**30), 2.5, float("nan"), float("inf"), (), [], {}, b"1", object(), 1j, type,
]  # fmt: skip
"""Values that no bool and no number with a range takes."""


def all_options() -> Iterator[Any]:
    for game, spec in GAMES.items():
        for option in spec.option_table:
            yield pytest.param(game, option, id=f"{game}-{option.name}")


def good_values(option: Option) -> list[Any]:
    if option.choices:
        return list(option.choices)
    if isinstance(option.default, bool):
        return [True, False]
    return [option.least, option.most]


@pytest.mark.parametrize(("game", "option"), list(all_options()))
def test_every_option_of_a_game_means_the_same_as_text_and_as_a_value(
    game: str, option: Option
) -> None:
    assert option.text and "\n" not in option.text and not option.text.endswith(".")
    table = GAMES[game].option_table
    for value in good_values(option):
        texts = [str(value)]
        if isinstance(value, bool):
            texts = [word for word, meaning in WORDS.items() if meaning is value]
            texts += [word.upper() for word in texts] + [f" {word} " for word in texts]
        for text in texts:
            assert table.read({option.name: text}) == {option.name: value}, text
        (read,) = table.read({option.name: value}).values()
        assert read == value and type(read) is type(value)


@pytest.mark.parametrize(("game", "option"), list(all_options()))
def test_every_option_of_a_game_refuses_garbage_in_one_line(game: str, option: Option) -> None:
    bad = [*GARBAGE, "no such choice", option.name]
    if option.default is not None:
        bad += [None]
    if option.choices:
        bad += [True, 0, option.choices[0].upper() + "x"]
    elif isinstance(option.default, bool):
        bad += [0, 1, 3, "2"]
    else:
        bad += [True, option.least - 1, option.most + 1, str(option.most + 1)]
    for value in bad:
        with pytest.raises(InputError) as error:
            make_game(game, **{option.name: value})
        line = str(error.value)
        assert option.name in line and option.values in line and "options are rules" in line
        assert "\n" not in line and len(line) < 600


@pytest.mark.parametrize("text", ["no", "off", "false", "0", "No"])
def test_what_is_switched_off_by_a_text_is_off(text: str) -> None:
    """Any text but an empty one is true for Python."""
    game = make_game("doudizhu", spring=text, bidding=text, substeps=text)
    assert game.options == make_game("doudizhu").options


def test_options_state_values_of_their_types() -> None:
    """Nothing that equals a value and is of another type gets into a game's options."""
    options = make_game("doudizhu", base=np.int64(7), spring=np.True_).options
    assert type(options["base"]) is int and options["spring"] is True
    json.dumps(dict(options))


def test_presets_change_defaults_and_not_what_is_given() -> None:
    table = GAMES["daihinmin"].option_table
    assert table.complete({"rules": "paper"})["seat_period"] == 100
    assert table.complete({"rules": "paper", "seat_period": "3"})["seat_period"] == 3
    assert table.complete({}) == table.defaults == make_game("daihinmin").options


def test_texts_of_numbers_and_truth_values_are_guessed_without_a_type() -> None:
    for text, value in (("1", 1), ("-2.5", -2.5), ("1e3", 1000.0), ("true", True)):
        assert READERS[object](text) == value
    for text in ("yes", "01", "null", "[1]", '"a"', "", "[" * 10**6, "9" * 10**4):
        assert READERS[object](text) == text


def plain(
    a: int = 1,
    b: Annotated[float | None, Range(0, 1), "a share"] = None,
    *,
    c: Literal["x", "y"] = "x",
    d: bool = False,
    e: Any = None,
    f: "str" = "",
    g: Annotated[int, Range(1), "rounds"] | None = None,
) -> None:
    """A maker whose signature is its table."""


def test_a_signature_is_a_table() -> None:
    table = options_of(plain, "plain")
    assert table.read({"a": "7", "b": "0.5", "c": "y", "d": "yes", "e": "3", "f": "3"}) == {
        "a": 7, "b": 0.5, "c": "y", "d": True, "e": 3, "f": "3",
    }  # fmt: skip
    assert table.read({"b": "none"}) == {"b": None}
    assert table["b"].text == "a share"
    assert [option.values for option in table] == [
        "a whole number of at most 9 digits", "a number from 0 to 1, or none", "x or y",
        "true or false", "any value", "a text",
        "a whole number of 1 or more, of at most 9 digits, or none",
    ]  # fmt: skip
    assert table["g"].text == "rounds"
    for name, value in (
        ("a", "x"), ("a", 1.0), ("a", LARGEST + 1), ("b", 2), ("b", float("nan")), ("b", "inf"),
        ("b", 10**400), ("b", True), ("c", "z"), ("c", 1), ("d", "maybe"), ("f", 1),
        ("g", 0), ("g", LARGEST + 1),
    ):  # fmt: skip
        with pytest.raises(InputError, match=rf"plain: {name} is .*; the options are a, b, c"):
            table.read({name: value})
    with pytest.raises(InputError, match=r"plain has no option 'h'; it has a, b, c, d, e, f"):
        table.read({"h": 1})


class Maker:
    """A maker that is a class; its hints are texts, as after an import of annotations."""

    def __init__(self, size: "Annotated[int, Range(1, 5)]" = 3) -> None:
        pass


class Caller:
    """A maker that is a callable object."""

    def __call__(self, size: "Annotated[int, Range(1, 5)]" = 3) -> None:
        pass


@pytest.mark.parametrize("maker", [Maker, Caller(), partial(Maker), partial(partial(Caller()))])
def test_the_hints_of_any_maker_are_read(maker: Any) -> None:
    with pytest.raises(InputError, match="size is a whole number from 1 to 5, not '6'"):
        options_of(maker, "maker").read({"size": "6"})


def test_what_a_hint_names_need_not_be_imported() -> None:
    def make(a: int = 1, b: "Unknown" = None) -> "Unknown":  # type: ignore[name-defined]  # noqa: F821
        """A maker with hints for readers only."""

    table = options_of(make, "make")
    assert table.read({"a": "7", "b": "x"}) == {"a": 7, "b": "x"}
    with pytest.raises(InputError, match="make: a is a whole number"):
        table.read({"a": "x"})


def test_an_attached_table_comes_before_the_signature() -> None:
    table = Options("own", Option("size", 3, "how large", least=1))

    @takes(table)
    def make(**given: Any) -> None:
        """A maker with a table."""

    assert options_of(make, "other") is table
    assert table["size"].values == "a whole number of 1 or more, of at most 9 digits"


def test_a_maker_of_any_options_gets_them_as_they_are() -> None:
    def make(**anything: Any) -> None:
        """A maker without a table."""

    assert options_of(make, "open").read({"x": "1", "y": [2]}) == {"x": 1, "y": [2]}


def test_every_agent_has_a_typed_table() -> None:
    for point in entry_points(group=agents.GROUP):
        try:
            factory = point.load()
        except (ImportError, InputError):
            continue  # it needs an extra that is not installed
        for option in options_of(factory, point.name, skip=3):
            fractions = ("1.5", 2.5) if option.values.startswith("a number") else ()
            if option.kind is str:
                continue  # a text, such as the name of an agent, is read by the factory
            for value in [*GARBAGE, *[True, "true"] * (option.kind is not bool)]:
                if value in fractions:
                    continue
                with pytest.raises(InputError, match=option.name):
                    options_of(factory, point.name, skip=3).read({option.name: value})


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=30) | st.integers() | st.floats() | st.booleans() | st.none())
def test_any_value_is_read_or_refused(value: Any) -> None:
    for kind in READERS:
        option = Option("it", None, kind=kind, least=-5, most=5)
        try:
            read = option.read(value)
        except ValueError:
            continue
        assert read is None or kind is object or type(read) is kind
