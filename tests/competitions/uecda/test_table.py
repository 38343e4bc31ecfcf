"""The table, with clients in memory."""

from collections.abc import Callable
from itertools import count

import numpy as np
import pytest
from support import assert_alike_without_compiler
from support_uecda import GAME, START, Lowest

from closedhand.competitions.uecda import wire
from closedhand.competitions.uecda.table import Seat, Table
from closedhand.core.game import State
from closedhand.games.daihinmin import logs
from closedhand.games.daihinmin.exchange import best_cards
from closedhand.games.daihinmin.notation import parse_cards


class Passing:
    """A client that passes, and calls a function before each answer."""

    gone, late = "", 0

    def __init__(self, name: str, before: Callable[[], None]) -> None:
        self.name = name
        self.queued: list[bytes] = []
        self.heard = b""
        self._before = before

    def queue(self, message: bytes) -> None:
        self.queued.append(message)

    def flush(self) -> None:
        self.heard += b"".join(self.queued)
        self.queued.clear()

    ask = flush

    def answer(self, meanwhile: Callable[[], None]) -> bytes:
        self._before()
        return wire.BLANK

    def leave(self, reason: str) -> None:
        raise AssertionError(reason)


class Watched(Lowest):
    """An agent that calls a function before each action."""

    def __init__(self, before: Callable[[], None]) -> None:
        super().__init__()
        self._before = before

    def act(self, view: State) -> int:
        self._before()
        return super().act(view)


def played(clients: int) -> tuple[list[Passing], Table, int]:
    """Play a round with some clients; return also the number of questions in tricks."""
    asked = 0

    def check() -> None:
        """Clients that are not asked have got all messages."""
        nonlocal asked
        asked += table._state.leader >= 0
        assert not any(each.queued for each in remotes)

    remotes = [Passing(f"player_{player}", check) for player in range(clients)]
    seats = [
        Seat(Watched(check), remotes[player] if player < clients else None) for player in range(5)
    ]
    table = Table(GAME, seats, GAME.parse_deal(START), print, lambda: None)
    table.play_round()
    return remotes, table, asked


def test_turns_are_sent_as_they_happen() -> None:
    for clients in (1, 3, 5):
        remotes, table, asked = played(clients)
        assert not any(each.queued for each in remotes)
        result = table.result(1)
        assert sum(result.decisions) == asked and min(result.seconds) >= 0


@pytest.mark.parametrize("clients", [0, 2, 5])
def test_decisions_are_timed_by_the_clock(clients: int) -> None:
    """Also with clients, where the fugo, player_1, is asked before the daifugo has chosen."""
    ticks = count()
    seats = [
        Seat(Lowest(), Passing("x", lambda: None) if player < clients else None)
        for player in range(5)
    ]
    table = Table(
        GAME, seats, GAME.parse_deal(START), print, lambda: None, lambda: float(next(ticks))
    )
    table.play_round()
    result = table.result(1)
    assert result.seconds == result.decisions and min(result.decisions) > 0


def test_the_first_table_has_the_sizes_of_hands_as_dealt() -> None:
    """The official server does so, and clients of the competition rely on it."""
    remotes, _, _ = played(5)
    dealt = [hand.bit_count() for hand in map(parse_cards, START.split(";")[2:])]
    for remote in remotes:
        first = wire.read_status(remote.heard)
        assert list(first.left) == dealt and sorted(first.left) == [10, 10, 11, 11, 11]
        then = wire.read_status(remote.heard[wire.TABLE :])
        assert list(then.left) == dealt
    daifugo = remotes[3].heard
    assert np.frombuffer(daifugo, ">i4", wire.CELLS // 4).astype(bool).sum() == 13


@pytest.mark.parametrize("offset", [-64, 64, 10**6])
def test_wrong_cards_of_an_agent_in_the_exchange(offset: int) -> None:
    """The best cards are given in their place, each counted as illegal."""

    class Wrong(Lowest):
        def act(self, view: State) -> int:
            return super().act(view) + offset * (view["leader"] < 0)

    state = GAME.parse_deal(START)
    table = Table(GAME, [Seat(Wrong()) for _ in range(5)], state, print, lambda: None)
    values = table.play_round()
    assert table.result(1).illegal == (0, 1, 0, 2, 0)
    best = [logs.cards_text(int(best_cards(state.hands[p], n))) for p, n in ((3, 2), (1, 1))]
    gifts = logs.entries(values["change_cards"])
    assert [next(g[2:] for g in gifts if g[0] == p) for p in "31"] == best


@pytest.mark.slow
def test_a_round_is_alike_without_the_compiler() -> None:
    assert_alike_without_compiler("""
import numpy as np
from closedhand.competitions.uecda.table import Seat, Table
from closedhand.core.agents import make_agent
from closedhand.core.registry import make_game
game = make_game("daihinmin")
seats = [Seat(make_agent(game, "default")) for _ in range(5)]
table = Table(game, seats, game.deal(np.random.default_rng(0)), print, lambda: None)
print(table.play_round())
""")
