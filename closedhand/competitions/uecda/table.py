"""A match of five players: messages to clients, their answers, and the play.

A round goes as follows:

1. Send every client its hand. Daifugo and fugo, the two highest classes, give back cards; clients
   among them are asked together.
2. At each turn send every client its hand, which is the question to the player to act.
3. Take the play of the client or agent; an illegal, late or missing one counts as a pass.
4. Send the mover a reply, and all clients the table and whether the round goes on.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from closedhand.competitions.uecda import wire
from closedhand.competitions.uecda.remote_players import RemotePlayer
from closedhand.competitions.uecda.wire import Status
from closedhand.core.agents import Agent
from closedhand.core.game import Game, State
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin import logs
from closedhand.games.daihinmin.exchange import (
    TAXES,
    best_cards,
    best_pick,
    can_pick,
    loser,
    winner,
)
from closedhand.games.daihinmin.hidden import hide
from closedhand.games.daihinmin.legality import admit
from closedhand.games.daihinmin.notation import dealt
from closedhand.games.daihinmin.plays import JACK, PASS
from closedhand.games.daihinmin.rules import over, play
from closedhand.games.daihinmin.state import PLAYERS
from closedhand.games.daihinmin.tricks import covers, is_back, lock_after, revolution_after


@kernel
def step(rules, state, action):
    """Apply a submitted play, 0 to `PASS`, or a pass if it is illegal.

    Return whether it was legal, whether the round is over, the player to act, and whether the next
    play leads a trick; then two triples of booleans: revolution, lock and eleven back. The first is
    for the next turn, the second as the action left them, even if it ended the trick or the round.
    """
    number = state.round_number  # `play` deals the next round at once when one is over
    admitted = admit(rules, state, action, None)  # `admit` needs no scratch space here
    turned, lock, back = np.int64(state.revolution), np.int64(state.lock), is_back(rules, state)
    if admitted != PASS:
        turned = revolution_after(rules, state, admitted)
        lock = lock_after(rules, state, admitted)
        back = back or (rules.options.jack_back != 0 and covers(rules, admitted, JACK))
    play(rules, state, admitted)
    ended, jack = over(rules, state) or state.round_number != number, is_back(rules, state)
    now = (state.revolution != 0) != jack, state.lock != 0, jack
    made = (turned != 0) != back, lock != 0, back
    return admitted == action, ended, int(state.player), state.target < 0, now, made


def warm_up_table(game: Game) -> None:
    """Load the kernels and tables of a match ahead of its first turn."""
    wire.read_play(wire.NOTHING)  # builds the table of all plays
    step(game.rules, game.deal(np.random.default_rng(0)), PASS)


@dataclass
class Seat:
    """A player: an agent, or a client and the agent that plays on if the client is gone."""

    agent: Agent
    remote: RemotePlayer | None = None
    points: int = 0  # `Result` explains the numbers
    decisions: int = 0
    seconds: float = 0.0
    illegal: int = 0
    asked: float = 0.0  # time of the latest question to the client

    @property
    def name(self) -> str:
        """The player's name in the log."""
        return wire.ascii_name(self.remote.name if self.remote else self.agent.name)

    @property
    def client(self) -> RemotePlayer | None:
        """The client, or None if there is none or it has lost its seat."""
        return self.remote if self.remote and not self.remote.gone else None


@dataclass(frozen=True)
class Result:
    """The result of a match.

    Attributes:
        points: Points of all rounds, by player.
        rounds: Number of complete rounds.
        gains: Points of each complete round, by player.
        decisions: Number of decisions in tricks, by player.
        seconds: Time of these decisions, by player; for a client from the question to its answer.
            The exchange is left out: there the answer of the fugo may lie unread until the daifugo
            has chosen.
        late: Number of questions not answered in time, by player.
        illegal: Number of illegal answers, by player. Each counts as a pass or, in the exchange,
            as the player's best cards.
        gone: Reason why a client lost its seat, by player; empty for all others.
        interrupted: Whether the match ended before the end of its last round.
    """

    names: tuple[str, ...]
    points: tuple[int, ...]
    rounds: int
    gains: tuple[tuple[int, ...], ...]
    decisions: tuple[int, ...]
    seconds: tuple[float, ...]
    late: tuple[int, ...]
    illegal: tuple[int, ...]
    gone: tuple[str, ...]
    interrupted: bool


class Table:
    """A match in progress."""

    def __init__(
        self,
        game: Game,
        seats: Sequence[Seat],
        state: State,
        note: Callable[[str], None],
        check: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set up a match from a state at the beginning of a round.

        `note` receives a line about each client that loses its seat. `check` is called at every
        turn and may raise `KeyboardInterrupt`. Decisions are timed by `clock`.
        """
        self._check = check
        self._clock = clock
        self._rules = game.rules
        self._needs = game.rules.plays.need.tolist()  # cards of each play, sets of bits
        self._seats = seats
        self._state = state.copy()
        self._note = note
        self._common = Status()  # classes and seats of the round
        self._margin = wire.NO_MARGIN  # of the latest answer, kept from round to round
        self._gains: list[tuple[int, ...]] = []
        # Remote players by seat; `_answer` removes one that has lost its seat, and notes the loss.
        self._clients = {i: seat.remote for i, seat in enumerate(seats) if seat.remote}

    def play_round(self) -> dict[str, str]:
        """Play a round; return its values for the log."""
        state = self._state
        before = state.points.copy()
        transcript = logs.Transcript(state)
        self._announce()
        if state.leader < 0:
            self._exchange(transcript)
        self._play_tricks(transcript)
        self._flush()
        gains = (state.points - before).tolist()
        self._gains.append(tuple(gains))
        for seat, gain in zip(self._seats, gains, strict=True):
            seat.points += gain
        places = [PLAYERS - gain for gain in gains]
        return transcript.values(places, [seat.points for seat in self._seats])

    def result(self, rounds: int) -> Result:
        """Collect the result so far of a match of `rounds` rounds."""
        seats = self._seats
        return Result(
            names=tuple(seat.name for seat in seats),
            points=tuple(seat.points for seat in seats),
            rounds=len(self._gains),
            gains=tuple(self._gains),
            decisions=tuple(seat.decisions for seat in seats),
            seconds=tuple(seat.seconds for seat in seats),
            late=tuple(seat.remote.late if seat.remote else 0 for seat in seats),
            illegal=tuple(seat.illegal for seat in seats),
            gone=tuple(seat.remote.gone if seat.remote else "" for seat in seats),
            interrupted=len(self._gains) < rounds,
        )

    def _announce(self) -> None:
        """Queue the first table of the round for each client, with its hand.

        A hand includes a tax received, or still to be paid. The sizes of the hands are those before
        the tax: the official server sends these, and some clients rely on them.
        """
        state = self._state
        hands, before = state.hands.tolist(), dealt(state)
        classes = state.classes.tolist()
        self._common = Status(
            left=tuple(hand.bit_count() for hand in before),
            classes=tuple(classes) if classes[0] >= 0 else (0,) * PLAYERS,
            seats=tuple(state.seats.tolist()),
        )
        for player, client in self._clients.items():
            number, hand = 0, before[player]
            if state.leader < 0 and classes[player] < len(TAXES):
                number, hand = TAXES[classes[player]], hands[player]
            status = self._common._replace(
                exchange=1, to_give=number, player=wire.IN_EXCHANGE, margin=self._margin
            )
            client.queue(wire.hand_cells(hand) + status.pack())

    def _exchange(self, transcript: logs.Transcript) -> None:
        state = self._state
        pairs = [(winner(state, pair), loser(state, pair)) for pair in range(len(TAXES))]
        self._send([taker for taker, _ in pairs])
        for pair, (taker, payer) in enumerate(pairs):
            self._give(taker, TAXES[pair])
            transcript.give(taker, payer, int(state.returned[pair]))

    def _give(self, taker: int, number: int) -> None:
        """Let the daifugo or fugo give back cards: an agent one by one, a client in one table."""
        state, seat = self._state, self._seats[taker]
        table = self._answer(taker)
        if seat.client is None:
            for _ in range(number):
                card = self._agent_action(taker)
                if not can_pick(state, card):
                    seat.illegal += 1
                    card = best_pick(state)
                play(self._rules, state, card)
            return
        held = int(state.hands[taker])
        cards = wire.held_cards(table[: wire.CELLS]) if table else None
        if cards is None or cards & ~held or cards.bit_count() != number:
            seat.illegal += table is not None
            cards = int(best_cards(state.hands[taker], number))
        for card in range(cards.bit_length()):
            if cards >> card & 1:
                play(self._rules, state, card)

    def _play_tricks(self, transcript: logs.Transcript) -> None:
        """Play a round from its first lead to its end; write submitted plays into `transcript`."""
        state = self._state
        hands, left = state.hands.tolist(), state.left.tolist()
        cells = [wire.hand_cells(hand) for hand in hands]
        lying, ended = wire.BLANK, False  # the answer with the play to beat; blank: none
        status = self._common._replace(player=int(state.player), empty=1, left=tuple(left))
        while not ended:
            self._ask(status, cells)
            player = status.player
            action, answer = self._submission(player)
            transcript.submit(player, action)
            legal, ended, following, empty, now, made = step(self._rules, state, action)
            revolution, lock, back = now
            turned, locked, backed = made
            self._seats[player].illegal += not legal and action != PASS
            if legal and action != PASS:
                hands[player] &= ~self._needs[action]
                left[player] = hands[player].bit_count()
                cells[player] = wire.hand_cells(hands[player])
                lying, accepted = answer, True
            else:
                # Like the official server, reply `ACCEPTED` to a pass only if it leads.
                accepted = legal and status.empty == 1 and not wire.shows_cards(answer)
            # Show revolution and lock as the play made them, even if it ended the trick.
            shown = status._replace(
                left=tuple(left),
                empty=int(lying == wire.BLANK),
                revolution=turned,
                lock=locked,
                eleven_back=backed,
                margin=wire.margin_of(answer),
                last_row=lying[wire.LAST_ROW :],
            )
            self._show(player, accepted, lying[: wire.CELLS] + shown.pack(), ended)
            status = shown._replace(
                player=following,
                empty=empty,
                revolution=revolution,
                lock=lock,
                eleven_back=back,
                last_row=wire.NO_LAST_ROW,
            )
            if empty:
                lying = wire.BLANK
        self._margin = status.margin

    def _ask(self, status: Status, cells: Sequence[bytes]) -> None:
        mine, others = status._replace(my_turn=1).pack(), status.pack()
        for player, client in self._clients.items():
            client.queue(cells[player] + (mine if player == status.player else others))
        self._send([status.player])

    def _show(self, mover: int, accepted: bool, table: bytes, ended: bool) -> None:
        end = wire.GOES_ON
        if ended:
            end = wire.MATCH_OVER if over(self._rules, self._state) else wire.ROUND_OVER
        message = table + wire.NUMBER.pack(end)
        reply = wire.ACCEPTED if accepted else wire.REJECTED
        for player, client in self._clients.items():
            client.queue(reply + message if player == mover else message)

    def _send(self, asked: Sequence[int]) -> None:
        """Send all queued messages, first to the players that are asked for an answer."""
        self._check()
        for seat in (self._seats[player] for player in asked):
            if seat.client:
                seat.client.ask()
                seat.asked = self._clock()
        self._flush()

    def _flush(self) -> None:
        for client in self._clients.values():
            client.flush()

    def _answer(self, player: int) -> bytes | None:
        """Wait for the table of a player's client; None without a client or a table in time."""
        seat, table = self._seats[player], None
        if client := seat.client:
            table = client.answer(meanwhile=self._check)
            if not client.gone:
                self._count(seat, seat.asked)
        if not seat.client and (lost := self._clients.pop(player, None)):
            self._note(f"{seat.name} {lost.gone}: {seat.agent.name} plays on as player_{player}")
        return table

    def _agent_action(self, player: int) -> int:
        view, seat = self._state.copy(), self._seats[player]
        hide(self._rules, view, player)
        start = self._clock()
        action = int(seat.agent.act(view))
        self._count(seat, start)
        return action

    def _count(self, seat: Seat, start: float) -> None:
        """Count a decision that began at `start` by the clock; leave out those of the exchange."""
        if self._state.leader >= 0:
            seat.decisions += 1
            seat.seconds += self._clock() - start

    def _submission(self, player: int) -> tuple[int, bytes]:
        """Get the play of a player, legal or not, and the table that shows it; blank: none.

        A table that shows no play counts as illegal and as a pass, a missing table only as a pass.
        """
        table = self._answer(player)
        if self._seats[player].client is None:
            action: int | None = self._agent_action(player)
            if 0 <= action <= PASS:
                table = wire.play_cells(action).ljust(wire.TABLE, b"\0")
        else:
            action = wire.read_play(table[: wire.CELLS]) if table else PASS
        if action is None or not 0 <= action <= PASS:
            self._seats[player].illegal += 1
            action = PASS
        return action, table or wire.BLANK
