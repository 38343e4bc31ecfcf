"""The opponent model of `policy-search`: what it finds likely, and the deals that it proposes."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest
from support import positions
from support_daihinmin import keep_only, redealt

from closedhand import make_agent, make_game
from closedhand.agents.daihinmin import default
from closedhand.agents.daihinmin.policy import pattern_policy, styles
from closedhand.core import contract
from closedhand.core.game import State
from closedhand.core.numba.jit import with_distinct_name
from closedhand.games.daihinmin.plays import PASS, cards_in

GAME = make_game("daihinmin", classes="random")
RNG = np.random.default_rng
STYLES = with_distinct_name(styles.styles_of(pattern_policy.load()))
IDS = np.empty(GAME.num_actions, np.int32)
DEAL = (
    "01234;41302;4c4s6h7c8c9hJdJhAs2s*;4d5d5s7h8h8sTcJcKdKs;3h3s5h7s9cThJsQcKcAc2c;"
    "3d5c6c6s7d9dTdQdQh2d2h;3c4h6d8d9sTsQsKhAdAh"
)
"""A round with an exchange: player_3 is the daifugo, player_0 the daihinmin."""
REFUSED = (
    "01234;-;4c8h8s9sThQcQdQsKdAs2c;3s5d5s8c8d9c9hKs2h*;4d4h5h7d7h7sTcTdJsAh;"
    "3c4s6d6h9dTsJcJdJhQhKc;3d3h5c6c6s7cKhAcAd2d2s"
)
"""player_4 leads: player_1 would follow 5c6c7c with the joker below 8c9c, and 3d, 4c with Ks."""


def _seen(seed: int, games: int) -> Iterator[tuple[State, int]]:
    """Every seventh position of some games that are not over, and the player to act."""
    for state in islice(positions(GAME, seed, games), 0, None, 7):
        if not GAME.over(state):
            yield state, int(state.player)


def _look_back(state: State, player: int) -> int:
    """Let the model see what a player has seen; returns the number of the others' decisions."""
    view = GAME.view(state, player)
    number = styles.look_back(GAME.rules, view, player, STYLES.past, RNG(0))
    STYLES.number[0] = number
    return number


def test_it_sees_every_decision_of_the_others_as_it_was() -> None:
    client, seen = make_agent(GAME, "default"), Counter()
    for state, player in _seen(3, 6):
        if state.leader < 0:
            assert _look_back(state, player) == 0
            continue
        number, chance, k = _look_back(state, player), np.zeros((5, 2)), 0
        again = GAME.parse_deal(GAME.deal_text(state))
        for action in state.history[: state.moves].tolist():
            if again.leader >= 0 and again.player != player:
                then, acting = STYLES.past[k], int(again.player)
                assert (then.player, then.action) == (acting, action)
                assert int(state.hands[acting] | then.later) == int(again.hands[acting])
                for field in ("target", "lock", "revolution"):
                    assert then[field] == again[field]
                choice = client.act(GAME.view(again, acting))
                expected = contract.admit(GAME.rules, again, choice, IDS)
                if action == expected:
                    case = styles.BOTH_PASS if action == PASS else styles.SAME
                else:
                    other = styles.PASSES if action == PASS else styles.ANOTHER
                    case = styles.PLAYS if expected == PASS else other
                chance[acting] += styles.LOG_CHANCES[:, case]
                seen[case] += 1
                k += 1
            GAME.play(again, action)
        assert k == number
        likely, _ = styles.log_likelihood(
            STYLES, GAME.rules, state.copy(), player, -np.inf, RNG(1), IDS
        )
        # Both styles are equally likely before: each player's odds are 0.
        either = np.log(np.exp(chance - np.log(2)).sum(axis=1))
        assert likely == pytest.approx(np.delete(either, player).sum())
    assert len(seen) == 5


@pytest.mark.parametrize("locked", [False, True])
def test_a_choice_of_default_that_the_rules_refuse_counts_as_a_pass(locked: bool) -> None:
    game = make_game("daihinmin", number_lock=locked)
    state = game.parse_deal(REFUSED)
    for text in ("3d", "4c") if locked else ("5c6c7c", "PASS"):
        game.play(state, game.parse(text))
    acting, before = int(state.player), state.copy()
    assert default.choose(game.rules, state, IDS) not in game.legal(state)
    game.play(state, PASS)
    now = game.view(state, int(state.player))
    number = styles.look_back(game.rules, now, int(state.player), STYLES.past, RNG(0))
    then = STYLES.past[number - 1]
    assert (then.player, then.action) == (acting, PASS)
    hand = state.hands[acting] | then.later
    assert styles.expected_of(game.rules, then, hand) == PASS
    me, guess = int(state.player), 1 << acting
    payoffs = [
        styles.evaluate(STYLES, game.rules, at.copy(), me, guess, RNG(2), IDS)
        for at in (before, state)
    ]
    assert payoffs[0] == payoffs[1]


def test_what_it_proposes_is_a_deal_that_fits_the_view() -> None:
    rng, changed = RNG(4), 0
    for state, player in _seen(5, 8):
        view = GAME.view(state, player)
        other = GAME.redeal(view, player, rng)
        for _ in range(8):
            before = other.hands.copy()
            styles.propose(STYLES, GAME.rules, other, player, rng)
            changed += (other.hands != before).any()
            assert GAME.valid(other) == ""
            assert GAME.view(other, player).tobytes() == view.tobytes()
            again = GAME.parse_deal(GAME.deal_text(other))
            for action in other.history[: other.moves]:
                GAME.play(again, int(action))
            assert (again.hands == other.hands).all()
    assert changed > 100


def test_its_proposals_leave_deals_as_frequent_as_they_are_dealt() -> None:
    """The daihinmin has paid two cards, better than any kept, that the daifugo holds."""
    rng, state = RNG(0), GAME.parse_deal(DEAL)
    while state.leader < 0:
        GAME.play(state, int(GAME.legal(state)[0]))
    # The payer's best card that is out is Jh; As, Ks, Ac and 3c are hidden.
    keep_only(state, {0: "As", 1: "Ks", 2: "Ac", 3: "5c", 4: "3c"})
    world, found, draws = redealt(GAME, GAME.view(state, 3), 3, rng), Counter(), 6000
    for _ in range(draws):
        styles.propose(STYLES, GAME.rules, world, 3, rng)
        found["".join(cards_in(world.hands[0]))] += 1
    # Above Jh the daifugo held QdQh2d2h2s*, above each of the others 2d2h2s* alone.
    for card in ("3c", "Ac", "Ks", "As"):
        assert found[card] / draws == pytest.approx((15 if card == "3c" else 6) / 33, abs=0.05)


@pytest.mark.slow
def test_it_learns_in_a_match_who_plays_like_default() -> None:
    game = make_game("daihinmin", rounds=24)
    names = ["policy-search:100", "default", "kou", "default", "policy"]
    agents = [make_agent(game, name, 3) for name in names]
    state = game.deal(RNG(7))
    while not game.over(state):
        player = int(state.player)
        game.play(state, agents[player].act(game.view(state, player)))
    odds = agents[0]._styles.odds
    assert min(odds[1], odds[3]) > 1 and max(odds[2], odds[4]) < -1
    state = game.deal(RNG(8))
    while state.player:
        player = int(state.player)
        game.play(state, agents[player].act(game.view(state, player)))
    agents[0].act(game.view(state, 0))
    assert not odds.any(), "another match begins with nothing known"
