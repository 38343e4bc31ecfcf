"""Exact search against brute force."""

import numpy as np
import pytest
from support_daihinmin import duel

from closedhand import Game, make_game
from closedhand.agents.daihinmin.policy import light_policy
from closedhand.core.game import InputError, State
from closedhand.games.daihinmin.plays import CARDS, PASS
from closedhand.search import LOST, UNKNOWN, WON, Uniform, alpha_beta, exact, solve
from closedhand.search.alpha_beta import SLOTS


def force(game: Game, state: State, nodes: int = 100_000) -> tuple[int, int]:
    """Whether the player to act comes fourth, and by which action."""
    states, ids = game.empty(40), np.empty((40, game.num_actions), np.int32)
    states[0] = state
    player = int(state.player)
    policy = light_policy.policy_of(np.zeros(light_policy.FEATURES))
    return solve(policy, game.rules, states, ids, player, 1 << player, 2.0, nodes)


def brute_force(game: Game, state: State, player: int) -> bool:
    """The same by recursion over the game itself; a leader may pass, but not again and again."""
    if game.over(state):
        return bool(state.places[player] == 3)
    results = []
    for action in game.legal(state).tolist():
        if action == PASS and state.target < 0 and state.passes > 0:
            continue
        child = state.copy()
        game.play(child, action)
        results.append(brute_force(game, child, player))
    return any(results) if state.player == player else all(results)


@pytest.mark.parametrize(
    ("first", "second", "value"),
    [
        ("3c4c", "5c5d", LOST),
        ("3c5d", "4c", WON),
        ("3c8c", "2c2d2h", WON),
        ("3c8c4d", "2c2d", LOST),
    ],
)
def test_duels_with_a_known_end(first: str, second: str, value: int) -> None:
    game, state = duel(first, second)
    found, action = force(game, state)
    assert found == value and (action >= 0) == (value == WON)


def test_duels_agree_with_brute_force() -> None:
    rng = np.random.default_rng(7)
    won = 0
    for _ in range(40):
        cards = rng.choice(53, 5, replace=False)
        names = [CARDS[i] for i in cards]
        game, state = duel("".join(names[:3]), "".join(names[3:]))
        value, action = force(game, state)
        assert (value == WON) == brute_force(game, state, 0)
        if value == WON:
            won += 1
            game.play(state, action)
            assert brute_force(game, state, 0)
    assert 5 < won < 40


def test_a_search_that_may_not_look_on_says_so() -> None:
    game, state = duel("3c4d6h9s", "5c7dTsJd")
    assert force(game, state, nodes=2) == (UNKNOWN, -1)


def payoff_of(game: Game, state: State, player: int) -> float:
    """The payoff of a player if all play perfectly with open hands, by recursion."""
    if game.over(state):
        return float(game.returns(state)[player])
    children = []
    for action in game.legal(state).tolist():
        child = state.copy()
        game.play(child, action)
        children.append(payoff_of(game, child, player))
    return max(children) if state.player == player else min(children)


def test_payoffs_of_open_deals_of_leduc() -> None:
    """A game with many payoffs, and without keys of positions."""
    game = make_game("leduc")
    values = set()
    for deal in ("SK;HJ;HK", "SK;HK;HJ", "SJ;SK;HJ", "SJ;HK;SQ"):
        found = exact.endgame(game, state := game.parse_deal(deal))
        for play in found.plays:
            child = state.copy()
            game.play(child, play.action)
            assert play.low == play.high == payoff_of(game, child, found.player)
            values.add(play.low)
        for _, text in found.line:
            game.play(state, game.parse(text, state))
        assert game.returns(state)[found.player] == found.value
    assert len(values) > 2


@pytest.mark.parametrize(("answer", "tables"), [(WON, (-3.0, -2.0)), (LOST, (3.0, 2.0))])
def test_a_table_that_grows_may_take_the_place_of_another(
    answer: int, tables: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The questions of both tables could answer one more; the first one turns out not to."""
    game = make_game("leduc")
    state = game.parse_deal("SK;HJ;HK")
    search = exact._Search(game, Uniform(), state, (0, 1), 9.0, 0)
    for least in tables:
        search.table_of(least).seen[:2] = 1.0, -1.0
    asked = []

    def decide(state: State, least: float) -> int:
        asked.append(least)
        search.tables = {least: search.table_of(least)}
        search.tables[least].seen[:2] = least, least - 0.1
        return answer

    monkeypatch.setattr(search, "decide", decide)
    assert search.keeps(state, 0.5 if answer == WON else -0.5, answer)
    assert len(asked) == 2 and asked[0] == tables[0]


@pytest.mark.parametrize(
    ("places", "full", "left"),
    [
        (8 + 32 - 1, 0.5, [8, 8]),
        (8 + 32, 0.5, [32]),
        (8 + 8 + 32 - 1, 0.5, [32]),
        (8 + 8 + 32, 0.5, [32, 8]),
        (8 + 8 + 32, 0.375, [8, 8]),
    ],
)
def test_a_table_grows_when_it_is_half_full(places: int, full: float, left: list[int]) -> None:
    """The old and the new one fit into the memory together; another table may have to go."""
    game = make_game("leduc")
    search = exact._Search(game, Uniform(), game.parse_deal("SK;HJ;HK"), (0, 1), 9.0, 0)
    search.smallest, search.memory = 8, places * exact.PLACE
    table, _ = search.table_of(1.0), search.table_of(2.0)
    keys = np.arange(1, 5, dtype=np.uint64) << np.uint64(8)
    for key in keys:
        alpha_beta.keep(table.places, key, key, WON)
    table.seen[alpha_beta.KEPT] = full * 8
    found = search.grow(1.0)
    assert search.tables[1.0] is found and found.seen is table.seen
    assert [each.places.nbytes for each in search.tables.values()] == [
        size * exact.PLACE for size in left
    ]
    assert all(alpha_beta.look_up(found.places, key, key) == WON for key in keys)


def test_a_group_of_a_table_keeps_as_many_positions_as_it_has_places() -> None:
    table = np.zeros((4 * SLOTS, 2), np.uint64)
    keys = [(np.uint64(2 + 4 * i), np.uint64(7 * i << 8)) for i in range(SLOTS + 1)]
    values = [(LOST, WON)[i % 2] for i in range(SLOTS + 1)]
    *fitting, last = zip(keys, values, strict=True)
    for key, value in fitting:
        assert alpha_beta.look_up(table, *key) == UNKNOWN
        assert alpha_beta.keep(table, *key, value) == 1
    assert all(alpha_beta.look_up(table, *key) == value for key, value in fitting)
    key, value = last
    assert alpha_beta.keep(table, *key, value) == 0  # it replaces one
    assert alpha_beta.look_up(table, *key) == value
    assert sum(alpha_beta.look_up(table, *key) == value for key, value in fitting) == SLOTS - 1
    assert not np.delete(table.reshape(4, -1), 2, axis=0).any()


def test_teams_decide_whose_payoff_is_maximised() -> None:
    game = make_game("leduc")
    state = game.parse_deal("SK;HJ;HK")
    alone, together = (exact.endgame(game, state, teams=teams) for teams in ((0, 1), (0, 0)))
    assert together.value == 13 > alone.value  # type: ignore[operator]


def test_teams_form_in_an_auction() -> None:
    """The landlord plays against the two others, whatever its seat."""
    game = make_game("doudizhu", bidding=True)
    state = game.deal(np.random.default_rng(0))
    assert len(set(exact.teams_of(game, state))) == 3
    for text in ("PASS", "BID3"):
        game.play(state, game.parse(text, state))
    assert exact.teams_of(game, state) == (1, 0, 1)


def test_what_has_no_line_to_search_is_refused() -> None:
    game = make_game("chinese_poker")
    with pytest.raises(InputError, match="at the same time"):
        exact.endgame(game, game.deal(np.random.default_rng(0)))
    game = make_game("leduc")
    state = game.parse_deal("SK;HJ;HK")
    with pytest.raises(InputError, match="teams are 2 whole numbers"):
        exact.endgame(game, state, teams=(0, 1, 1))
    with pytest.raises(InputError, match="teams are 2 whole numbers"):
        exact.endgame(game, state, teams=5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="teams are 2 whole numbers"):
        exact.endgame(game, state, teams=("us", "them"))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="builds no positions"):
        exact.place(game, ["SK", "HJ"])
    with pytest.raises(InputError, match="is over"):
        exact.endgame(game, game.playout(state, np.random.default_rng(0)))
