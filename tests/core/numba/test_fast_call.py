"""Rules and policies cross quickly, and mean the same on the other side."""

import pickle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from support import VARIANTS, assert_alike_without_compiler, variant_id

from closedhand import make_game
from closedhand.core import contract
from closedhand.core.numba.fast_call import PLAIN, Crossing, borrowed, entry, pack, unpack
from closedhand.core.numba.jit import kernel

HERE = Path(__file__).parent


class Inner(NamedTuple):
    """A tuple within a tuple."""

    kernels = "test_fast_call"

    table: np.record
    factor: int


class Outer(NamedTuple):
    """A tuple with everything that rules and policies hold."""

    kernels = "test_fast_call"

    inner: Inner
    weights: np.ndarray
    name: bool


def example() -> Outer:
    table = np.zeros(1, np.dtype((np.record, [("width", "i4"), ("rows", "f8", 3)])))[0]
    table.width, table.rows[:] = 7, (1, 2, 3)
    return Outer(Inner(table, 5), np.arange(4.0), True)


@kernel
def total(value):
    """A number that all parts of an `Outer` enter into; its table is changed."""
    value = unpack(value)
    value.inner.table.width += 1
    rows = value.inner.table.rows[0] + value.inner.table.rows[2]
    return value.inner.table.width * value.inner.factor + rows + value.weights.sum() + value.name


COUNTER = np.dtype((np.record, [("number", "i4")]))


@kernel
def counted(value, state):
    """`total`; counts its calls in a state."""
    state = unpack(state)
    state.number += 1
    return total(value)


def test_packed_tuples_are_the_same_and_share_their_memory() -> None:
    value = example()
    packed = pack(value)
    assert type(packed) is Outer and type(packed.inner) is Inner
    assert packed.inner.table.shape == () and packed.weights is value.weights
    assert total(packed) == 8 * 5 + 4 + 6 + 1
    assert value.inner.table.width == 8
    assert total(value) == 9 * 5 + 4 + 6 + 1  # what is not packed stays as it is
    assert pack(4) == 4 and pack((value, 3))[1] == 3


@kernel
def doubled(value, out):
    """Double the numbers of an `Outer` row by row, and write them."""
    value, out = borrowed((value, out))
    for i in range(len(out)):
        row = out[i]
        row[0] = 2 * value.weights[i]
        value.weights[i] = row[0]


def test_borrowed_arrays_share_their_memory_and_stay_with_their_owners() -> None:
    value, out = example(), np.zeros((4, 1))
    owned = out[:]
    for times in (2, 4, 8):
        doubled(value, owned)
        assert out[:, 0].tolist() == value.weights.tolist() == [0, times, 2 * times, 3 * times]
    del value, owned
    assert out[3, 0] == 24


def test_a_kernel_that_is_called_again_sees_what_it_changed() -> None:
    value, state = example(), np.zeros(1, COUNTER)[0]
    crossing = Crossing(value, COUNTER)
    assert [crossing(counted, state), crossing(counted, state)] == [8 * 5 + 11, 9 * 5 + 11]
    assert (value.inner.table.width, state.number) == (9, 2)


@pytest.mark.skipif(PLAIN, reason="NumPy cannot write into a record that has been unpickled")
@pytest.mark.parametrize("name", ["leduc", "doudizhu"])
def test_unpickled_states_are_played_on(name: str) -> None:
    game = make_game(name)
    state = pickle.loads(pickle.dumps(game.deal(np.random.default_rng(1))))
    played = state.copy()
    for one in (state, played):
        game.play(one, int(game.legal(one)[0]))
    assert state.tobytes() == played.tobytes() and state["moves"] == 1


def test_compiled_code_that_was_looked_up_is_that_of_the_kernel() -> None:
    packed = pack(example())
    assert entry(total, packed)(packed) == 8 * 5 + 11
    assert entry(len, packed) is len


def test_it_is_the_same_without_the_compiler() -> None:
    folders = [str(HERE), str(HERE.parents[1])]
    assert_alike_without_compiler(
        f"import sys; sys.path[:0] = {folders}; import test_fast_call as t;"
        "print(t.total(t.pack(t.example())))"
    )


@kernel
def number_legal(rules, states, ids):
    """The number of legal actions of the first state."""
    return contract.legal(unpack(rules), states[0], ids)


@pytest.mark.parametrize("variant", [VARIANTS[1], VARIANTS[-2]], ids=variant_id)
def test_rules_of_games_cross(variant: tuple[str, dict[str, Any]]) -> None:
    name, options = variant
    game = make_game(name, **options)
    states, ids = game.empty(1), np.empty(game.num_actions, np.int32)
    states[0] = game.deal(np.random.default_rng(0))
    packed = pack(game.rules)
    look = entry(number_legal, packed, states, ids)
    assert look(packed, states, ids) == len(game.legal(states[0]))
