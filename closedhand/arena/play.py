"""Play in the terminal: a person against agents in any `Game`, with hints, undo and a log."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from closedhand.arena.hints import Hint, hints
from closedhand.core.agents import Agent
from closedhand.core.display import board, pretty, typed_action
from closedhand.core.explanations import known_cards, notation_help, why_not
from closedhand.core.game import Game, InputError, State

HELP = """\
Type an action in the game's notation, or
  hint, ?   an agent's choice, and the legal actions, best first
  more      further legal actions; #3 plays the third
  undo      back to your previous decision
  log       all plays so far
  cards     cards that are out, and cards that others may hold
  score     points so far
  help      this help, and the notation
  quit      leave the game"""

PAGE = 10
"""Actions on a page of hints."""
WIDTH = 76
"""Most characters of a line with several entries of the log."""


class Event(NamedTuple):
    """An entry of the log, as the person saw it."""

    who: str  # the player; empty for an event that is not an action
    what: str  # notation of the action, or text of the event
    forced: bool = False  # whether it was the person's only legal action, played without asking

    def __str__(self) -> str:
        text = f"{self.who}: {self.what}" if self.who else self.what
        return text + (" (your only legal action)" if self.forced else "")


class AgentFailed(InputError):
    """Error of an agent that cannot act or acts illegally, not caused by the person's input."""


class Session:
    """One game of a person against agents."""

    def __init__(
        self, game: Game, state: State, seat: int, agents: Sequence[Agent], adviser: Agent
    ) -> None:
        """Start from a state, which is copied.

        The agents take the seats after the person's, in order. The adviser gives the hints.

        Raises:
            InputError: There is no such seat, or the number of agents is wrong.
            AgentFailed: An agent cannot act.
        """
        if not 0 <= seat < game.num_players:
            raise InputError(f"seat must be 0 to {game.num_players - 1}, not {seat}")
        if len(agents) != game.num_players - 1:
            raise InputError(
                f"{game.name} has {game.num_players} seats: name one agent for all the others or "
                f"one for each, not {len(agents)}"
            )
        self.game = game
        self.seat = seat
        self.state = state.copy()  # with hidden cards; only views are shown during the game
        self.log: list[Event] = []  # actions and events, as the person saw them
        self._agents = {(seat + 1 + i) % game.num_players: a for i, a in enumerate(agents)}
        self._adviser = adviser
        # For `undo`: the state before each decision of the person, and the length of the log.
        self._decisions: list[tuple[State, int]] = []
        self._shown = 0
        self._hints: list[Hint] = []
        self._advance()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.over(self.state)

    @property
    def view(self) -> State:
        """The state as the person sees it."""
        return self.game.view(self.state, self.seat)

    def play(self, text: str) -> None:
        """Play an action of the person, then all actions until the person's next decision.

        The text is in the game's notation, or `#` and the number of a hint. If an agent then raises
        an error, everything is as before the call.

        Raises:
            InputError: The text is not a legal action; the message says why.
            AgentFailed: An agent cannot act.
        """
        action = self._read(text)
        reason = why_not(self.game, self.state, action)
        if reason:
            raise InputError(reason)
        listed = self._hints
        self._decisions.append((self.state.copy(), len(self.log)))
        try:
            self._play(action)
            self._advance()
        except BaseException:  # also Ctrl-C while an agent thinks
            self.undo()
            self._hints = listed  # the numbers that the person has read still hold
            raise

    def _read(self, text: str) -> int:
        parse = partial(self.game.parse, state=self.state)
        if not text.startswith("#"):
            return parse(typed_action(text, parse))
        number = text[1:].strip()
        listed = self.hints()
        if not (number.isdecimal() and len(number) < 9 and 1 <= int(number) <= len(listed)):
            raise InputError(f"there are hints #1 to #{len(listed)}, not {text!r}")
        return listed[int(number) - 1].action

    def undo(self) -> None:
        """Go back to the person's previous decision; an `InputError` if there is none."""
        if not self._decisions:
            raise InputError("there is nothing to undo: this is your first decision")
        self.state, events = self._decisions.pop()
        del self.log[events:]
        self._shown = min(self._shown, events)
        self._hints = []

    def hints(self) -> list[Hint]:
        """Return all legal actions in the order of the adviser's ratings, the best first."""
        if not self._hints:
            self._hints = hints(self.game, self.view, self._adviser)
        return self._hints

    def text(self, action: int) -> str:
        """Write an action of the person in the game's notation."""
        return self.game.text(action, self.state)

    def new_events(self) -> list[Event]:
        """Return the entries of the log since the last call."""
        events, self._shown = self.log[self._shown :], len(self.log)
        return events

    def _advance(self) -> None:
        """Play for the agents, and for the person if there is only one legal action."""
        while not self.over:
            player = int(self.state.player)
            if player == self.seat:
                legal = self.game.legal(self.state)
                if len(legal) > 1:
                    return
                self._play(int(legal[0]), forced=True)
            else:
                agent = self._agents[player]
                try:
                    self._play(agent.act(self.game.view(self.state, player)))
                except InputError as error:
                    raise AgentFailed(f"player_{player}, {agent.name}: {error}") from error

    def _play(self, action: int, forced: bool = False) -> None:
        """Play an action of the player to act, and log it as the person sees it."""
        before = self.state.copy()
        self.game.play(self.state, action)
        self._hints = []
        player = int(before.player)
        # 1: the action completes a play; 0: it is a sub-step of an incomplete play. Otherwise a new
        # round or a new deal has reset `moves`.
        added = int(self.state.moves) - int(before.moves)
        seen = int(self.game.history(self.view)[-1]) if added == 1 else -1
        if player == self.seat:
            text = self.game.text(action, before)
        elif added == 1 and seen < 0:
            text = "hidden"
        elif added == 0:
            return  # others see a play once it is complete
        else:
            text = self.game.flat.text(seen, before) if seen >= 0 else self.game.text(action)
        self.log.append(Event(f"player_{player}", pretty(text), forced))
        if added not in (0, 1):
            self.log.append(Event("", "new cards are dealt"))


class Score:
    """Points of several hands in a row, float64 [players], and the number of these hands."""

    def __init__(self, players: int) -> None:
        self.points = np.zeros(players)
        self.hands = 0

    def __str__(self) -> str:
        hands = "1 hand" if self.hands == 1 else f"{self.hands} hands"
        return f"score after {hands}: {payoffs(self.points)}"


def payoffs(points: np.ndarray) -> str:
    """Write points by player."""
    return ", ".join(f"player_{i} {value:+g}" for i, value in enumerate(points))


class Terminal:
    """A session in a terminal, and the commands that a person types before a decision."""

    def __init__(
        self, session: Session, ask: Callable[[str], str], show: Callable[[str], None], score: Score
    ) -> None:
        """Prepare the terminal; the result of the session is added to the score.

        `ask` prints a prompt and reads a line, as `input` does; `show` prints text.
        """
        self.session, self.ask, self.show, self.score = session, ask, show, score
        self._listed = 0  # hints listed so far at this decision
        self._commands: dict[str, Callable[[], None]] = {  # beside undo, quit and actions
            "": lambda: None,  # an empty line asks again
            "help": self._help,
            "hint": self._hints,
            "?": self._hints,
            "more": self._more,
            "log": self._log,
            "cards": self._cards,
            "score": self._score,
        }

    def run(self) -> bool:
        """Play until the game is over or the person leaves; return whether it was played out."""
        session, score = self.session, self.score
        if score.hands == 0:
            self.show(HELP)
        try:
            while not session.over:
                self.show_table(session.view)
                if not self.decide():
                    self.show("left the game")
                    return False
        except (EOFError, KeyboardInterrupt):
            self.show("\nleft the game")
            return False
        self.show_table(session.state)
        returns = session.game.returns(session.state)
        score.points += returns
        score.hands += 1
        if score.hands > 1:
            self.show(str(score))
        # Compare with the mean, as all payoffs may be positive.
        own = returns[session.seat] - returns.mean()
        verdict = "you win" if own > 0 else "you lose" if own < 0 else "a draw"
        self.show(f"{verdict}: {payoffs(returns)}")
        return True

    def show_table(self, state: State) -> None:
        """Show new entries of the log, several on a line, then a state or a view."""
        self.show("")
        line = ""
        for event in map(str, self.session.new_events()):
            if len(line) + len(event) > WIDTH and line:
                self.show(line)
                line = ""
            line += ("   " if line else "") + event
        if line:
            self.show(line)
        self.show(board(self.session.game.scene(state), symbols=True))

    def decide(self) -> bool:
        """Read lines until a play or an undo changes the state; return False on `quit`."""
        self._listed = 0
        while True:
            line = self.ask(f"player_{self.session.seat}> ").strip()
            word = line.lower()
            if word in ("quit", "exit"):
                return False
            try:
                if word in self._commands:
                    self._commands[word]()
                    continue
                if word == "undo":
                    self.session.undo()
                else:
                    self.session.play(line)
                return True
            except AgentFailed as error:
                self.show(f"{error} (your play is taken back: try again, play otherwise, or quit)")
            except InputError as error:
                self.show(f"{error} (? lists the legal actions, help explains)")

    def _help(self) -> None:
        self.show(f"{HELP}\n\n{notation_help(self.session.game, self.session.state)}".rstrip())

    def _hints(self) -> None:
        best = self.session.text(self.session.hints()[0].action)
        self.show(f"hint: {pretty(best)}")
        self._listed = 0
        self._more()

    def _more(self) -> None:
        listed = self.session.hints()
        page = listed[self._listed : self._listed + PAGE]
        if not page:
            self.show("these are all legal actions")
            return
        texts = [pretty(self.session.text(hint.action)) for hint in page]
        width = max(map(len, texts))
        for number, (hint, text) in enumerate(zip(page, texts, strict=True), self._listed + 1):
            self.show(f"{f'#{number}':>4} {text:{width}}  {hint.note}".rstrip())
        self._listed += len(page)
        if self._listed < len(listed):
            self.show(f"{self._listed} of {len(listed)} legal actions; type more for the next")

    def _log(self) -> None:
        for number, event in enumerate(self.session.log, 1):
            self.show(f"{number:4} {event}")
        if not self.session.log:
            self.show("nothing has been played yet")

    def _cards(self) -> None:
        seen, unseen = known_cards(self.session.game, self.session.view, self.session.seat)
        for name, cards in (("out", seen), ("not seen", unseen)):
            self.show(f"{name} ({len(cards)}): " + " ".join(map(pretty, cards)))

    def _score(self) -> None:
        self.show(str(self.score))
        if self.session.game.staged:
            self.show(f"this hand: {payoffs(self.session.game.returns(self.session.state))}")
