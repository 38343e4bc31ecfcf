"""Numbers, values in messages, and what agents answer; test_bad_arguments.py has wrong input."""

from typing import Any

import numpy as np
import pytest

from closedhand import InputError, make_game
from closedhand.core import batch, lockstep
from closedhand.core.agents import act_batch
from closedhand.core.checks import id_or_illegal, integers, shown, whole_number
from closedhand.core.registry import GAMES


@pytest.mark.parametrize("value", [5, np.int8(5), np.uint64(5), np.array(5)])
def test_whole_numbers(value: Any) -> None:
    assert whole_number(value) == 5
    assert type(whole_number(value)) is int


@pytest.mark.parametrize("value", [None, True, np.True_, 5.0, np.nan, "5", [5], np.array([5])])
def test_what_is_no_whole_number(value: Any) -> None:
    with pytest.raises(InputError, match=r"^a seed is a whole number, not "):
        whole_number(value, "a seed")


def test_any_value_is_shown_on_one_short_line() -> None:
    class Strange:
        def __repr__(self) -> str:
            raise RuntimeError

    for value in (10**5000, "x" * 10**6, "a\nb", np.zeros(10**5), Strange(), object()):
        text = shown(value)
        assert 0 < len(text) <= 60 and "\n" not in text
    assert shown(10**5000) == "a value of type int"
    assert shown("a") == "'a'"


def test_numbers_beyond_64_bits_are_no_actions() -> None:
    assert [id_or_illegal(number, 3) for number in (0, 2, 3, -1, 2**70, -(2**70))] == [
        0, 2, -1, -1, -1, -1,
    ]  # fmt: skip


@pytest.mark.parametrize("name", list(GAMES))
def test_the_view_of_another_is_not_dealt_again(name: str) -> None:
    """It does not show the player's own cards."""
    game, rng = make_game(name), np.random.default_rng(0)
    state = game.deal(rng)
    view = game.view(state, 0)
    assert not game.valid(game.redeal(view, 0, rng))
    with pytest.raises(InputError, match=f"^that is no view of {name}'s player 1: "):
        game.redeal(view, 1, rng)


def test_integers_are_one_for_each_game() -> None:
    assert integers("seats", np.array([1, 2], np.uint8), 2).tolist() == [1, 2]
    assert integers("seats", np.array([2**64 - 1], np.uint64), 1) < 0
    assert integers("seats", [], 0).dtype == np.int64
    wrong: tuple[Any, ...] = (None, 1, [1], [1.0, 2.0], [[1, 2]], [[1], [2, 3]], "ab", [None] * 2)
    for values in wrong:
        with pytest.raises(InputError, match="seats are 2 whole numbers, one for each game, not "):
            integers("seats", values, 2)


@pytest.mark.parametrize("answer", [[0], [0.0, 1.0], None, [[0, 1]], [None, 0], [True, False]])
def test_agents_answer_with_one_integer_for_each_view(answer: Any) -> None:
    """Anything else would be read out of bounds, or cut off."""
    game = make_game("leduc")
    states = batch.deal(game, range(2))

    class Odd:
        name = "odd"

        def act(self, view: Any) -> int:
            return answer

        def act_batch(self, views: Any) -> Any:
            return answer

    with pytest.raises(
        InputError, match=r"^the actions of agent 'odd' are 2 whole numbers, one fo"
    ):
        act_batch(Odd(), batch.views(game, states))
    with pytest.raises(InputError, match="actions are 2 whole numbers, one for each game, not "):
        lockstep.play_out(game, states, lambda views, chosen: answer, str)
