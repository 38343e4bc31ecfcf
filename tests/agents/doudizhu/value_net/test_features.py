"""The inputs of the network, against a slow description in plain words."""

from collections import Counter

import numpy as np
import pytest
from support_agents import games_of

from closedhand import Game, make_game
from closedhand.agents.doudizhu.decompose.features import FEATURES, MOST_FEATURES
from closedhand.agents.doudizhu.value_net import features
from closedhand.agents.doudizhu.value_net.self_play import SAMPLE
from closedhand.core.game import State
from closedhand.games.doudizhu import rules as flat
from closedhand.games.doudizhu.counts import DECK, RANKS, unpack
from closedhand.games.doudizhu.plays import GROUPS


def cards(hand: Counter[str], first: int) -> set[int]:
    return {first + 4 * RANKS.index(rank) + n - 1 for rank, n in hand.items() if n > 0}


def held(hand: np.uint64) -> Counter[str]:
    return Counter(unpack(hand))


def plain_position(game: Game, view: State) -> set[int]:
    """The inputs of a position, from the texts of its cards."""
    player, landlord = int(view.player), int(view.landlord)
    following, last = (player + 1) % 3, (player + 2) % 3
    played = [held(hand) for hand in view.played]
    group = [int(each) for each in game.rules.plays.group]
    found = cards(held(DECK) - held(view.hands[player]) - sum(played, Counter()), features.UNSEEN)
    if player != landlord:
        found |= cards(held(view.public) - played[landlord], features.PUBLIC)
    found |= cards(played[following], features.PLAYED_NEXT)
    found |= cards(played[last], features.PLAYED_LAST)
    found |= {features.LEFT_NEXT + int(view.left[following])}
    found |= {features.LEFT_LAST + int(view.left[last])}
    history = [int(action) for action in view.history[view.words : view.moves]]
    for ago, action in enumerate(history[::-1][:9]):
        found.add(features.RECENT + GROUPS * ago + group[action])
    situation = 0
    if view.target >= 0:
        found.add(features.TARGET + GROUPS * (view.owner == last) + group[view.target])
        partners = landlord not in (player, int(view.owner))
        situation = 2 if partners else 1
    bombs = sum(game.text(each) in ("SB", *(4 * r for r in RANKS)) for each in history)
    found |= {features.BOMBS + min(bombs, 3), features.SITUATION + situation, features.ALWAYS}
    return found


@pytest.mark.parametrize("bidding", [False, True])
def test_positions_are_described(bidding: bool) -> None:
    game = make_game("doudizhu", bidding=bidding)
    out = np.empty(features.MOST_POSITION, np.int64)
    for end in games_of(game, ["greedy", "random", "decompose"], 6, seed=3):
        state = end.copy()
        actions = state.history[: state.moves].copy()
        flat.rewind(state)
        for action in actions[int(state.words) :]:
            view = game.view(state, int(state.player))
            n = features.describe_position(game.rules, view, out)
            assert set(out[:n].tolist()) == plain_position(game, view)
            assert len(set(out[:n].tolist())) == n
            game.play(state, int(action))


def test_changes_lead_to_the_hand_that_is_left() -> None:
    game = make_game("doudizhu")
    changed = np.empty(2 * features.MOST_HAND, np.int64)
    for seed in range(5):
        state = game.deal(np.random.default_rng(seed))
        hand = state.hands[0]
        before = cards(held(hand), features.HAND)
        for action in game.legal(state)[::7]:
            need = game.rules.plays.need[action]
            ended, n = features.describe_change(hand, need, changed)
            after = (before - set(changed[:ended].tolist())) | set(changed[ended:n].tolist())
            assert after == cards(held(hand) - held(need), features.HAND)
            whole = features.write_cards(hand - need, features.HAND, changed, 0)
            assert set(changed[:whole].tolist()) == after


def test_samples_have_room_for_every_index() -> None:
    for name, most in (
        ("inputs", features.INPUTS),
        ("features", FEATURES),
        ("known", features.MOST_INPUTS),
        ("number", MOST_FEATURES),
    ):
        assert np.iinfo(SAMPLE[name].base).max >= most
