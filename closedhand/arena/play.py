"""Play in the terminal: a person against agents in any `Game`, with hints and undo."""

from collections.abc import Callable, Sequence

import numpy as np

from closedhand.core.agents import Agent
from closedhand.core.game import Game, InputError, State

HELP = """\
Type an action in the game's notation, or
  hint, ?   what an agent would do, and all legal actions
  undo      back to your previous decision
  help      this
  quit      leave"""

MOST_LISTED = 120


class Session:
    """One game of a person against agents.

    Attributes:
        game: The game.
        seat: Seat of the person.
        state: Current state, hidden cards included; only views of it are shown during the game.
    """

    def __init__(
        self,
        game: Game,
        state: State,
        seat: int,
        agents: Sequence[Agent],
        adviser: Agent,
    ) -> None:
        """Start from a state.

        Args:
            game: The game.
            state: Initial state; it is copied.
            seat: Seat of the person.
            agents: Agents of the other seats, in seat order after the person's.
            adviser: Agent that gives the hints.

        Raises:
            InputError: There is no such seat, or not one agent for each other seat.
        """
        if not 0 <= seat < game.num_players:
            raise InputError(f"seat must be 0 to {game.num_players - 1}, not {seat}")
        if len(agents) != game.num_players - 1:
            raise InputError(
                f"{game.name} has {game.num_players - 1} other seats: name one agent for all "
                f"of them or one for each, not {len(agents)}"
            )
        self.game = game
        self.seat = seat
        self.state = state.copy()
        self._agents = {(seat + 1 + i) % game.num_players: a for i, a in enumerate(agents)}
        self._adviser = adviser
        self._decisions: list[State] = []
        self._play_others()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.over(self.state)

    @property
    def view(self) -> State:
        """The state as the person sees it."""
        return self.game.view(self.state, self.seat)

    def play(self, text: str) -> None:
        """Play an action of the person, then those of the agents.

        Args:
            text: Action in the game's notation.

        Raises:
            InputError: The text is no action, or not a legal one.
        """
        action = self.game.parse(text, self.state)
        before = self.state.copy()
        self.game.play(self.state, action)
        self._decisions.append(before)
        self._play_others()

    def undo(self) -> None:
        """Go back to the person's previous decision.

        Raises:
            InputError: There is no previous decision.
        """
        if not self._decisions:
            raise InputError("there is nothing to undo: this is your first decision")
        self.state = self._decisions.pop()

    def hint(self) -> str:
        """The adviser's action for the person's view, in the game's notation."""
        return self.game.text(self._adviser.act(self.view), self.state)

    def legal(self) -> list[str]:
        """All legal actions in the game's notation."""
        return [self.game.text(int(action), self.state) for action in self.game.legal(self.state)]

    def _play_others(self) -> None:
        while not self.over and self.state.player != self.seat:
            player = int(self.state.player)
            action = self._agents[player].act(self.game.view(self.state, player))
            self.game.play(self.state, action)


def run(session: Session, ask: Callable[[str], str], show: Callable[[str], None]) -> bool:
    """Play until the game is over or the person leaves.

    Args:
        session: The game.
        ask: Function that prints a prompt and reads a line, as `input` does.
        show: Function that prints text.

    Returns:
        Whether the game was played to its end.
    """
    show(HELP)
    try:
        while not session.over:
            show("\n" + session.game.board(session.view))
            while not _answer(session, ask(f"player_{session.seat}> ").strip(), show):
                pass
    except (EOFError, KeyboardInterrupt):
        show("\nleft the game")
        return False
    except Leave:
        show("left the game")
        return False
    show("\n" + session.game.board(session.state))
    show(_result(session))
    return True


class Leave(Exception):
    """Raised when the person quits."""


def _answer(session: Session, line: str, show: Callable[[str], None]) -> bool:
    """Carry out a typed line. Returns whether it has changed the table.

    Raises:
        Leave: The person typed `quit` or `exit`.
    """
    match line.lower():
        case "":
            return False
        case "quit" | "exit":
            raise Leave
        case "help":
            show(HELP)
            return False
        case "hint" | "?":
            legal = session.legal()
            more = f" … and {len(legal) - MOST_LISTED} more" if len(legal) > MOST_LISTED else ""
            show(f"hint: {session.hint()}")
            show(f"legal: {' '.join(legal[:MOST_LISTED])}{more}")
            return False
    try:
        if line.lower() == "undo":
            session.undo()
        else:
            session.play(line)
    except InputError as error:
        show(f"{error} (? lists what is legal)")
        return False
    return True


def _result(session: Session) -> str:
    returns = session.game.returns(session.state)
    # Payoffs may all be positive: compare with their mean.
    own = returns[session.seat] - returns.mean()
    verdict = "you win" if own > 0 else "you lose" if own < 0 else "a draw"
    payoffs = ", ".join(f"player_{i} {value:+g}" for i, value in enumerate(returns))
    return f"{verdict}: {payoffs}"


def start(game: Game, deal: str | None, seed: int) -> State:
    """The initial state of a game: from a deal in the game's notation, or shuffled from a seed.

    Raises:
        InputError: The text is no deal.
    """
    if deal is not None:
        return game.parse_deal(deal)
    return game.deal(np.random.default_rng(seed))
