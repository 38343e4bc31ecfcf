"""Rules and policies of one name and form: each is compiled for itself."""

import pickle
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
import support_policy_first
import support_policy_last

from closedhand import make_game
from closedhand.agents.agent import KernelAgent
from closedhand.agents.random import Uniform
from closedhand.core import batch, game_kernels
from closedhand.core.numba.jit import kernel, with_distinct_name
from closedhand.core.policies import decide_by
from closedhand.core.status import RUNNING
from closedhand.core.stream import make_stream, make_streams


def test_policies_of_one_name_and_form_are_not_confused() -> None:
    game = make_game("leduc")
    states = batch.deal(game, range(20))
    masks = batch.legal_masks(game, states)
    first, last = (
        KernelAgent(game, "extreme", module.Extreme(1)).act_batch(states)
        for module in (support_policy_first, support_policy_last)
    )
    assert (first == masks.argmax(axis=1)).all()
    assert (last == game.num_actions - 1 - np.flip(masks, axis=1).argmax(axis=1)).all()
    assert (first != last).all()


@kernel
def ask(policies: Any, streams: Any, rules: Any, views: Any, ids: Any, actions: Any) -> None:
    """Let each policy decide in as many games as the others."""
    for i in range(len(views)):
        actions[i] = decide_by(policies, i % len(policies), streams, i, rules, views[i], ids)


def test_each_policy_decides_and_draws_from_the_stream_of_the_game() -> None:
    """In kernels, for which policies of several classes are compiled, as in Python."""
    game = make_game("leduc")
    states = batch.deal(game, range(30))
    masks, ids = batch.legal_masks(game, states), np.empty(game.num_actions, np.int32)
    kinds = Uniform(make_stream(1)), support_policy_first.Extreme(1), support_policy_last.Extreme(1)
    policies, before = tuple(map(with_distinct_name, kinds)), kinds[0].stream.copy()
    streams, actions = make_streams(30), np.empty(30, np.int64)
    for i in range(30):
        streams[i] = np.random.default_rng(i).bit_generator.random_raw(), 0
    slow = streams.copy()
    ask(policies, streams, game.rules, states, ids, actions)
    for i, state in enumerate(states):
        assert actions[i] == decide_by(policies, i % 3, slow, i, game.rules, state, ids)
    assert len(set(actions[::3])) > 1 and masks[np.arange(0, 30, 3), actions[::3]].all()
    assert (actions[1::3] == masks[1::3].argmax(axis=1)).all()
    assert (streams == slow).all() and (streams[:, 1] == ([1, 0, 0] * 10)).all()
    assert (kinds[0].stream == before).all()


@pytest.mark.parametrize("seat", range(5))
def test_policies_play_the_seats_after_the_user_in_order(
    seat: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a game of five in which the seats act in turn."""
    asked: list[tuple[int, int]] = []

    def decide(policies: Any, k: int, streams: Any, i: int, rules: Any, view: Any, ids: Any) -> int:
        asked.append((int(view.player), k))
        return 0

    def play(rules: Any, state: Any, action: int, ids: Any) -> int:
        state.player = (state.player + 1) % 5
        return RUNNING

    turns = SimpleNamespace(over=lambda rules, state: False, hide=lambda rules, view, player: None)
    monkeypatch.setattr(game_kernels, "contract", turns)
    monkeypatch.setattr(game_kernels, "decide_by", decide)
    monkeypatch.setattr(game_kernels, "batch_kernels", SimpleNamespace(play=play))
    let_others_play = game_kernels.let_others_play
    plain = getattr(let_others_play, "py_func", let_others_play)
    states = np.rec.array(np.full(1, (seat + 1) % 5, [("player", "i8")]))
    plain(None, (), states, None, 0, seat, 5, states.copy(), 0, None)
    assert asked == [((seat + 1 + k) % 5, k) for k in range(4)]


def test_classes_of_one_name_are_told_apart() -> None:
    def make() -> type:
        class Numbers(NamedTuple):
            one: int

        return Numbers

    names = {type(with_distinct_name(cls(1))).__name__ for cls in (make(), make(), make())}
    assert len(names) == 3
    nested = with_distinct_name(support_policy_first.Extreme(support_policy_last.Extreme(2)))
    assert type(nested).__name__ == "support_policy_first.Extreme"
    assert type(nested.number).__name__ == "support_policy_last.Extreme"
    assert pickle.loads(pickle.dumps(nested)) == nested
    assert with_distinct_name(7) == 7
