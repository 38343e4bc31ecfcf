"""Open hands of Dou Dizhu against plain search of all legal actions."""

from typing import Any

import numpy as np
import pytest

from closedhand import Game, make_game
from closedhand.core.game import InputError, State
from closedhand.core.numba.jit import with_distinct_name
from closedhand.games.doudizhu.counts import RANKS, pack
from closedhand.search import WON, Uniform, exact, solve

GAME = make_game("doudizhu")
WIN = make_game("doudizhu", objective="win")
SIZES = ((2, 2), (4, 3), (2, 2, 2), (3, 3), (3, 3, 2), (5, 4), (4, 2, 1), (3, 2), (5, 1, 2))


def small(number: int, seed: int = 1) -> list[State]:
    """Positions with few cards of few ranks, so that there are groups; some with a play to beat."""
    rng = np.random.default_rng(seed)
    found: list[State] = []
    while len(found) < number:
        first, span = int(rng.integers(9)), int(rng.integers(3, 7))
        deck = list(4 * RANKS[:13][first : first + span] + "SB" * int(rng.integers(2)))
        rng.shuffle(deck)
        hands = []
        for size in SIZES[len(found) % len(SIZES)]:
            hands.append("".join(deck[:size]))
            deck = deck[size:]
        state = exact.place(GAME, hands, int(rng.integers(len(hands))))
        if rng.random() < 0.4:
            WIN.play(state, WIN.sample(rng, state))
            state.moves = 0
        if not WIN.over(state) and state.player < len(hands):
            found.append(state)
    return found


def value_by_plain_search(state: State, action: int, game: Game = WIN) -> float:
    """The payoff of an action by trying everything, without a table."""
    states, ids = game.empty(60), np.empty((60, game.num_actions), np.int32)
    states[0] = state
    player, friends = int(state.player), 1 if state.player == 0 else 6
    game.play(states[0], action)
    if game.over(states[0]):
        return float(game.returns(states[0])[player])
    policy = with_distinct_name(Uniform())
    found, _ = solve(policy, game.rules, states, ids, player, friends, 0.0, 10**9)
    return 1.0 if found == WON else -1.0


@pytest.mark.parametrize("number", [150, pytest.param(3000, marks=pytest.mark.slow)])
def test_plays_have_the_values_of_plain_search(number: int) -> None:
    plays, won = 0, 0
    for state in small(number):
        found = exact.endgame(GAME, state)
        for play in found.plays:
            assert play.low == play.high == value_by_plain_search(state, play.action)
        assert sorted(play.action for play in found.plays) == WIN.legal(state).tolist()
        plays, won = plays + len(found.plays), won + (found.value == 1)
        for player, text in found.line:
            assert state.player == player
            WIN.play(state, WIN.parse(text))
        assert WIN.over(state) and WIN.returns(state)[found.player] == found.value
    assert plays > 2 * number and 0.3 < won / number < 0.9


def test_shuttles_have_the_values_of_plain_search() -> None:
    game = make_game("doudizhu", rules="botzone", bidding=False, objective="win")
    seen = set[str]()
    for hands in (["333344448", "55556666"], ["33334444S", "555566667"], ["44445555", "33336666"]):
        state = exact.place(game, hands, 0)
        found = exact.endgame(game, state)
        assert sorted(play.action for play in found.plays) == game.legal(state).tolist()
        for play in found.plays:
            assert play.low == play.high == value_by_plain_search(state, play.action, game)
            seen.add(play.text)
    assert {"33334444", "44445555"} <= seen


@pytest.mark.parametrize(
    ("hands", "turn", "beat", "best"),
    [
        (["33S", "4QB"], 0, None, "33"),
        (["345", "44B"], 1, "3", "B"),
        (["3", "B", "22"], 0, None, "3"),
    ],
)
def test_puzzles(hands: list[str], turn: int, beat: str | None, best: str) -> None:
    found = exact.endgame(GAME, exact.place(GAME, hands, turn, beat))
    assert (found.player, found.value, found.plays[0].text) == (turn, 1.0, best)
    assert found.line[0] == (turn, best)


def test_twenty_cards_in_two_hands_take_no_time_but_forty_may_be_unknown() -> None:
    found = exact.endgame(GAME, exact.place(GAME, ["3456789TJQ", "334QQKKA2S"]), seconds=30)
    assert found.value is not None and found.seconds < 30
    hands = ["3445567899TJQKKA222S", "3345667789TJJQQKAAAB"]
    short = exact.endgame(GAME, exact.place(GAME, hands), seconds=0.1)
    assert short.value is None and (short.low, short.high) == (-1.0, 1.0)
    assert short.line == ((0, short.plays[0].text),)


def test_results_do_not_depend_on_memory() -> None:
    hands = ["3455678TQK", "346799JQKA"]
    state = exact.place(GAME, hands)
    usual, small = (exact.endgame(GAME, state, memory=size) for size in (2**30, 2**20))
    assert usual.plays == small.plays


@pytest.mark.parametrize(
    ("hands", "turn", "beat", "by", "reason"),
    [
        (["3"], 0, None, None, "two or three hands"),
        (["3", "4", "5", "6"], 0, None, None, "two or three hands"),
        (["3", ""], 0, None, None, "player_1 has no cards"),
        (["3X", "4"], 0, None, None, "'X' is not a card"),
        (["333", "33"], 0, None, None, "more cards 3"),
        (["333", "4"], 0, "33", None, "more cards 3"),
        (["3333"] * 3, 0, "3333", None, "more cards 3"),
        (["4444"] * 3, 0, "4444", None, "more cards 4"),
        ([33, 44], 0, None, None, "the hand of player_0 is a text, not 33"),
        ("33", 0, None, None, "hands are a list of texts"),
        (["3", "4"], 2, None, None, "turn is a seat"),
        (["3", "4"], 0, "PASS", None, "a pass"),
        (["3", "4"], 0, "5", 0, "by is another seat"),
        (["3", "4"], 0, "35", None, "not a play"),
        (["3", "4"], 0, None, 1, "the seat of the play to beat"),
        (["34567" * 4 + "8", "9"], 0, None, None, "no hand more than 20"),
    ],
)
def test_what_is_no_position_is_refused(
    hands: Any, turn: int, beat: str | None, by: int | None, reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        exact.place(GAME, hands, turn, beat, by)


def test_an_auction_is_refused() -> None:
    with pytest.raises(InputError, match="leave out the auction"):
        exact.place(make_game("doudizhu", bidding=True), ["3", "4"])


def test_hands_are_packed_as_they_are_named() -> None:
    state = exact.place(GAME, ["4 3 s", "k"], 1, "5")
    assert state.hands.tolist() == [int(pack("34S")), int(pack("K")), 0]
    assert (state.player, state.owner, GAME.text(state.target)) == (1, 0, "5")
