"""Tables: hands, undo, duplicate deals, saving and restoring."""

import json
from pathlib import Path

import numpy as np
import pytest

from closedhand import InputError, make_game
from closedhand.core.registry import GAMES
from closedhand.web.connection import Connection
from closedhand.web.lobby import Lobby
from closedhand.web.remote_seat import RemoteSeat
from closedhand.web.serialization import describe_table, without_files
from closedhand.web.table import Seat, Table, restored


def seated(name: str, persons: int = 1, **options) -> Table:
    """A table with persons in the first seats, and `random` in the others."""
    game = make_game(name, **options).flat
    seats = [
        Seat(name=f"p{seat}", token=f"token{seat}", player=seat)
        if seat < persons
        else Seat(agent="random", player=seat)
        for seat in range(game.num_players)
    ]
    return Table("t", game, seats, game.deal(np.random.default_rng((5, 0))), seed=5)


def play_out(table: Table, rng: np.random.Generator, most: int = 10**6) -> None:
    while not table.over and len(table.actions) < most:
        table.play(table.game.sample(rng, table.state))


@pytest.mark.parametrize("name", list(GAMES))
def test_a_saved_table_is_the_same_table(name: str) -> None:
    """A table is restored from JSON in the middle of a hand and at its end."""
    table, rng = seated(name), np.random.default_rng(1)
    for most in (1, 7, 10**6):
        play_out(table, rng, most)
        again = restored("t", json.loads(json.dumps(table.saved())))
        assert again.state.tobytes() == table.state.tobytes()
        assert again.actors == table.actors
        assert again.saved() == table.saved()
    assert [hand.returns for hand in table.hands] == [table.game.returns(table.state).tolist()]


def test_a_match_of_rounds_goes_on_after_a_round() -> None:
    table, rng = seated("daihinmin", rounds=2), np.random.default_rng(2)
    play_out(table, rng)
    assert len(table.hands) == 1
    again = restored("t", json.loads(json.dumps(table.saved())))
    assert again.actors == table.actors
    assert len(table.actors) == len(table.game.history(table.state))


def test_undo_returns_to_the_own_decision() -> None:
    table, rng = seated("doudizhu"), np.random.default_rng(3)
    with pytest.raises(InputError, match="nothing to undo"):
        table.undo(0)
    start = table.state.tobytes()
    play_out(table, rng, 4)
    second = table.actions[:3]
    table.undo(0)
    assert table.actions == second
    table.undo(0)
    assert table.state.tobytes() == start


def test_players_of_one_name_have_results_of_their_own() -> None:
    """Also after a rotation, and where nobody is named."""
    table, rng = seated("leduc", persons=2), np.random.default_rng(4)
    table.seats = [Seat(token=f"token{number}", player=number) for number in range(2)]
    for same in (True, True, False, True):
        play_out(table, rng)
        table.again(same)
    assert [hand.players for hand in table.hands] == [[0, 1], [1, 0], [0, 1], [0, 1]]
    assert {who for hand in table.hands for who in hand.occupants} == {"person"}
    again = restored("t", json.loads(json.dumps(table.saved())))
    assert again.hands == table.hands and again.seats == table.seats


def test_undo_takes_a_result_back() -> None:
    table, rng = seated("uh_leduc"), np.random.default_rng(4)
    play_out(table, rng)
    assert len(table.hands) == 1
    table.undo(0)
    assert not table.hands
    assert not table.over


def test_no_undo_behind_the_back_of_another_person() -> None:
    table, rng = seated("doudizhu", persons=2), np.random.default_rng(5)
    play_out(table, rng, 2)
    with pytest.raises(InputError, match="another person"):
        table.undo(0)


def acted(table: Table, *texts: str) -> Table:
    for text in texts:
        table.play(table.game.parse(text, table.state))
    return table


@pytest.mark.parametrize("actions", ["raise call", "raise call raise call", "raise fold"])
def test_no_undo_of_what_has_shown_cards_where_others_play(actions: str) -> None:
    """A call turns the flop, or leads to the showdown."""
    table = acted(seated("leduc", persons=2), *actions.split())
    with pytest.raises(InputError, match="you have seen more since"):
        table.undo(1)
    assert len(table.actions) == len(actions.split())


def test_no_undo_after_an_agents_play_where_others_play() -> None:
    table = seated("doudizhu", persons=2)
    play_out(table, np.random.default_rng(5), 3)
    with pytest.raises(InputError, match="you have seen more since"):
        table.undo(1)


def test_no_undo_of_a_pass_after_which_cards_are_dealt_again() -> None:
    """Who passes last sees new cards of its own, and nothing else."""
    table = acted(seated("doudizhu", persons=3, bidding=True), "pass", "pass", "pass")
    with pytest.raises(InputError, match="you have seen more since"):
        table.undo(2)


def test_undo_of_a_slip_where_others_play() -> None:
    for table, seat in (
        (acted(seated("leduc", persons=2), "raise", "raise"), 1),
        (acted(seated("leduc", persons=1), "raise", "call"), 0),
    ):
        table.undo(seat)
        assert len(table.actions) == seat
    table = seated("doudizhu", persons=2)
    view = table.state.tobytes()
    play_out(table, np.random.default_rng(5), 1)
    table.undo(0)
    assert table.state.tobytes() == view


def test_the_same_deal_again_with_seats_moved() -> None:
    """After as many rotations as seats, every player has had every seat of the deal."""
    table, rng = seated("doudizhu"), np.random.default_rng(6)
    start, seats = table.state.tobytes(), []
    for _ in range(3):
        seats.append([seat.occupant for seat in table.seats].index("p0"))
        play_out(table, rng)
        table.again(same=True)
        assert table.state.tobytes() == start
    assert sorted(seats) == [0, 1, 2]
    assert [(hand.deal, hand.turn) for hand in table.hands] == [(0, 0), (0, 1), (0, 2)]
    table.again(same=False)
    assert table.state.tobytes() != start
    assert (table.deal, table.turn) == (1, 0)


def test_a_hand_that_was_played_on_begins_at_its_position() -> None:
    """Undo leaves the actions before it, and the same deal begins there."""
    table, rng = seated("doudizhu"), np.random.default_rng(6)
    play_out(table, rng, 4)
    table = Table("t", table.game, table.seats, table.start, table.actions, first=4)
    position = table.state.tobytes()
    with pytest.raises(InputError, match="nothing to undo"):
        table.undo(0)
    play_out(table, rng, 7)
    table.undo(0)
    assert len(table.actions) == 6
    play_out(table, rng)
    table = restored("t", json.loads(json.dumps(table.saved())))
    table.again(same=True)
    assert table.state.tobytes() == position
    table.again(same=False)
    assert (table.actions, table.first) == ([], 0)


def test_tokens_open_their_own_seat_only() -> None:
    table = seated("doudizhu", persons=2)
    table.watch = "watch"
    tokens = ("token0", "token1", "watch", "", "x", "é", "\ud800")
    assert [table.seat_of(token) for token in tokens] == [0, 1, -1, *[None] * 4]


@pytest.mark.parametrize(
    "change",
    [
        {"changed": "now"},
        {"game": "nothing"},
        {"rules": {"rules": "nothing"}},
        {"start": "%%%"},
        {"start": "AAAA"},
        {"start": "é"},
        {"actions": [10**9]},
        {"actions": [-1]},
        {"seats": []},
        {"seats": [{"agent": "random"}] * 3},
        {"hands": [{}]},
        {"pace": "fast"},
        {"first": 1},
        {"seed": -1},
    ],
    ids=str,
)
def test_damaged_tables_are_refused(change: dict) -> None:
    data = seated("doudizhu").saved()
    with pytest.raises(InputError):
        restored("t", {**data, **change})
    for key in data:
        with pytest.raises(InputError):
            restored("t", {name: value for name, value in data.items() if name != key})


def test_a_seat_elsewhere_is_asked_by_its_server_alone() -> None:
    """No decision is awaited before the server asks or after the answer, whoever is to act."""
    game = make_game("daihinmin").flat
    state = game.deal(np.random.default_rng(4))
    own = int(state["player"])
    view = game.view(state, own)
    table = RemoteSeat(game, view, own, Seat(name="p", token="t"), leave=lambda: None)

    def asked() -> bool:
        data = describe_table(table, own)
        assert (data["position"]["legal"] is not None) == data["asked"]
        return data["asked"]

    assert not asked()
    table.ask()
    assert asked()
    action = game.sample(np.random.default_rng(0), view)
    table.play(action)
    assert not asked() and table.wait() == action


@pytest.mark.parametrize(
    ("agent", "shown"),
    [
        ("learned:/home/me/runs/best", "learned"),
        ("theirs[weights=/home/me/w.npz]", "theirs"),
        ("search[policy='learned:/home/me/x']:50ms", "search"),
        *((agent, agent) for agent in ("random", "search:100ms", "ismcts:100", "value-net[tuned=1]",
                                       "search[threads=1,shared=true]:20ms")),
    ],
)  # fmt: skip
def test_guests_are_sent_no_names_of_files(tmp_path: Path, agent: str, shown: str) -> None:
    """Also of agents that the command line no longer gives: a saved table has them."""
    lobby, table = Lobby(tmp_path), seated("leduc")
    table.seats[1] = Seat(agent=agent, player=1)
    private = Connection(lobby, owner=False).private_agents(table)
    assert without_files(agent, private) == shown
    assert describe_table(table, 0, private)["seats"][1]["agent"] == shown
    assert Connection(lobby, owner=True).private_agents(table) == []
    lobby.added["leduc"] = (agent,)  # whatever its argument looks like
    assert Connection(lobby, owner=False).private_agents(table) == [agent]
    lobby.close()
