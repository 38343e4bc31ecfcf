"""Whole numbers and JSON from outside."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from closedhand import InputError
from closedhand.core.parsing import LARGEST, MOST_DEPTH, TEXT, check_fields, parse_json, parse_whole

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)  # fmt: skip


@given(VALUES)
def test_whatever_is_written_as_json_is_read_back(value: Any) -> None:
    assert parse_json(json.dumps(value)) == value
    assert parse_json(json.dumps(value, ensure_ascii=False)) == value


def test_json_may_be_nested_to_a_limit() -> None:
    # Brackets in texts do not count, however many there are.
    texts = json.dumps(["[{" * 99, '"[', "\\["] * 99)
    deepest = "[" * (MOST_DEPTH - 1) + texts + "]" * (MOST_DEPTH - 1)
    assert parse_json(deepest)
    for text in (f"[{deepest}]", '{"a":' * (MOST_DEPTH + 1) + "1" + "}" * (MOST_DEPTH + 1)):
        with pytest.raises(InputError, match="nested to more than"):
            parse_json(text)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1,]", "NaN", "[Infinity]", "-Infinity", "1e999", "-1e999", "9" * 301, "[" * 10**5,
     '{"a": 1, "a": 1}', "\ufeff1", '"\n"', "'a'", "01", "nan", "1 2", '"\\x"', "\0"],
)  # fmt: skip
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_json(text)


def test_the_largest_number_is_that_of_kernels() -> None:
    assert np.iinfo(np.int64).max == LARGEST


@given(st.integers(-(2**63) + 1, 2**63 - 1))
def test_whole_numbers_are_read_back(number: int) -> None:
    assert parse_whole(f" {number}\n", "x", -(2**63) + 1) == number


@pytest.mark.parametrize(
    "text",
    ["", "-1", "+1", "1_0", "1.0", "1e3", "0x1", "²", "٣", "9" * 19, "9" * 5000, "1 2", "\0"],
)
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="x is a whole number of 0 or more, not "):
        parse_whole(text, "x")
    with pytest.raises(InputError, match="from 2 to 5"):
        parse_whole("6", "x", 2, 5)


def test_fields_are_checked() -> None:
    assert check_fields({"a": "x", "b": None}, "it", {"a": TEXT}, {"b": TEXT})["a"] == "x"
    for data, message in (
        ([], "it is a JSON object, not"),
        ({}, "it lacks 'a'"),
        ({"a": None}, "'a' is a text, not None"),
        ({"a": "x", "b": 1}, "'b' is a text, not 1"),
    ):
        with pytest.raises(InputError, match=message):
            check_fields(data, "it", {"a": TEXT}, {"b": TEXT})
