"""The messages of the server to a player are a function of that player's view.

A round is played again with other hidden cards: those of another state with the same view of the
spy. Up to the moment of that view, the spy must hear the same, byte for byte.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from support_uecda import GAME, Lowest, Match, Raw, check_log, decisions

from closedhand import make_game
from closedhand.competitions.uecda import client, wire
from closedhand.competitions.uecda.follow import Follower
from closedhand.competitions.uecda.table import Table
from closedhand.core.game import InputError, State

CLASSES = [make_game("daihinmin"), make_game("daihinmin", classes="random")]
PICKS = 3
"""Number of actions in an exchange."""


class Script:
    """Plays scripted actions, by number of the move; then the lowest legal id."""

    name = "script"

    def __init__(self, actions: Sequence[int]) -> None:
        self.actions = actions

    def act(self, view: State) -> int:
        if view.moves < len(self.actions):
            return self.actions[view.moves]
        return int(GAME.legal(view)[0])


def received_by(start: State, actions: Sequence[int], spy: int, clients: int = 1) -> bytes:
    """Return all bytes that a spy receives in a round of five scripted players."""
    script = Script(actions)
    agents: list[str | Script] = [script] * 5
    # Clients are numbered in the order of their profiles.
    for player in {spy, *range(clients if clients > 1 else 0)}:
        agents[player] = "net"
    match = Match(None, start, agents=agents, rounds=1, fallback=script)
    raws = [Raw(match.connect()) for agent in agents if agent == "net"]

    def play(raw: Raw) -> None:
        follower = Follower(client.round_game(), raw.me)
        with raw.sock, suppress(OSError, InputError):
            client.Match(raw.connection, follower, script).play()

    with ThreadPoolExecutor(5) as pool:
        list(pool.map(play, raws))
    match.end()
    return next(raw for raw in raws if raw.me == spy).connection.heard


def length(movers: Sequence[int], spy: int) -> int:
    """Count the bytes that the server has sent to the spy before it asks for the next play."""
    reply = wire.NUMBER.size
    plays = sum(2 * wire.TABLE + reply * (2 if mover == spy else 1) for mover in movers)
    return reply + wire.TABLE + plays


def leaks(seed: int, clients: int = 1, cuts: int = 3) -> list[tuple[int, int]]:
    """List the spies and moves at which their messages depend on cards hidden from them."""
    rng = np.random.default_rng(seed)
    state = CLASSES[seed % 2].deal(rng)
    start, states, movers = state.copy(), [], []
    while not GAME.over(state):
        states.append(state.copy())
        movers.append(int(state.player))
        GAME.play(state, int(rng.choice(GAME.legal(state))))
    actions = state.history[: state.moves].tolist()
    picks = PICKS * (start.classes[0] >= 0)
    found = []
    for spy in range(5):
        true = received_by(start, actions, spy, clients)
        for cut in rng.choice(len(states), cuts, replace=False).tolist():
            other = GAME.redeal(GAME.view(states[cut], spy), spy, rng)
            again = GAME.parse_deal(GAME.deal_text(other))
            script = other.history[:cut].tolist()
            for action in script:
                GAME.play(again, action)
            assert again.hands.tolist() == other.hands.tolist()
            size = length(movers[picks:cut], spy) + wire.TABLE * (cut >= picks)
            received = received_by(GAME.parse_deal(GAME.deal_text(other)), script, spy, clients)
            if received[:size] != true[:size] or len(true) < size:
                found.append((spy, cut))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_a_spy_hears_only_what_it_may_know(seed: int) -> None:
    assert leaks(seed) == []


@pytest.mark.parametrize("seed", range(2))
def test_a_spy_among_clients_hears_only_what_it_may_know(seed: int) -> None:
    assert leaks(seed, clients=5, cuts=1) == []


def leak_the_joker(self: Table, announce=Table._announce) -> None:
    """A fault: an unused flag shows whether the next player holds the joker."""
    announce(self)
    holds = int(self._state.hands[0]) >> 52
    self._common = self._common._replace(eleven_back=holds)


def leak_a_hand(self: Table, status: wire.Status, cells: Sequence[bytes], ask=Table._ask) -> None:
    """A fault: players that are not asked get the hand of the one that is."""
    ask(self, status, [cells[status.player]] * 5)


@pytest.mark.parametrize(
    ("method", "fault"), [("_announce", leak_the_joker), ("_ask", leak_a_hand)]
)
def test_a_server_that_leaks_is_found_out(
    method: str, fault: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Table, method, fault)
    assert any(leaks(seed) for seed in range(4))


def test_the_servers_own_agents_see_views(tmp_path: Path) -> None:
    agents = [Lowest() for _ in range(5)]
    match = Match(tmp_path / "a.log", agents=agents, rounds=6, seed=2)
    match.end()
    seen = [iter(agent.views) for agent in agents]
    for player, true in decisions(check_log(match.log, 6)):
        assert next(seen[player]).tobytes() == true.tobytes()
    assert not any(list(rest) for rest in seen)


def test_a_fallback_sees_views(tmp_path: Path) -> None:
    """The agent that replaces a client gets a view, too."""
    agent = Lowest()
    match = Match(tmp_path / "a.log", fallback=agent, rounds=2)
    Raw(match.connect()).play(lambda raw, hand: raw.sock.close())
    match.end()
    own = [true for player, true in decisions(check_log(match.log, 2)) if player == 4]
    for view, true in zip(agent.views, own, strict=True):
        assert view.tobytes() == true.tobytes()
