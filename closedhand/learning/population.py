"""The opponent pool of a learner: itself, frozen selves, or agents.

1. Each given opponent takes an equal share of the games of an update, to within one game. Every
   update begins with the first opponent and the first side: these two may get more games.
2. `self` is the learner: it plays all seats and learns from all. Against other opponents it plays
   one side, each side in turn.
3. `pool` is a frozen self, drawn for every update from those kept so far; the draw is logged.
4. Freeze the learner at intervals. If the pool is full, drop every second frozen self and double
   the interval.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from closedhand.core.agents import Agent, AnyAgent, Player, make_agent, parse_agent
from closedhand.core.duplicate import refuse_memory
from closedhand.core.game import Game
from closedhand.learning.module_state import Weights
from closedhand.learning.selfplay import LEARNER

SELF, POOL = "self", "pool"
OPPONENTS, HEADING = "opponents.csv", "update,frozen_at"
"""File of a training with the frozen self of each update, and its first line."""
MOST = 16
"""Number of frozen selves above which every second one is dropped."""


def names_of(game: Game, players: Sequence[AnyAgent]) -> list[str]:
    """Return the names of `SELF`, `POOL` and agents; an unknown agent is an `InputError`."""
    return [
        str(each) if each in (SELF, POOL) else parse_agent(game.name, each).name for each in players
    ]


def checked(game: Game, agents: Iterable[AnyAgent]) -> list[Player]:
    """Parse agents; refuse unknown ones, and in a game of rounds those that remember rounds."""
    players = [parse_agent(game.name, each) for each in agents]
    refuse_memory(game, players)
    for each in players:
        make_agent(game, each)
    return players


class Population:
    """The opponents of a learner.

    Attributes:
        players: `SELF`, `POOL` and agents.
        others: The agents among them.
        members: Weights of the frozen selves by the update at which each was frozen.
        drawn: A pair for each draw: its update, and the update at which the drawn self was frozen.
    """

    def __init__(self, game: Game, players: Sequence[AnyAgent], freeze: int) -> None:
        """Set up the opponents: `SELF`, `POOL` or agents, by default `SELF`.

        The learner is frozen every `freeze` updates, an interval that doubles with a full pool.
        Errors are those of `checked`.
        """
        self.game = game
        self.players = list(players) or [SELF]
        self.members: dict[int, dict[str, np.ndarray]] = {}
        self.drawn: list[tuple[int, int]] = []
        self._freeze = freeze
        self.others = checked(game, (each for each in self.players if each not in (SELF, POOL)))

    def add(self, update: int, weights: Callable[[], Weights]) -> None:
        """Freeze the learner if it is due; only then call `weights`."""
        if POOL not in self.players or update % self._freeze:
            return
        self.members[update] = {name: each.copy() for name, each in weights().items()}
        if len(self.members) > MOST:
            self._freeze *= 2
            kept = [at for at in self.members if at % self._freeze == 0]
            self.members = {at: self.members[at] for at in kept}

    def draw(self, rng: np.random.Generator) -> dict[int, int]:
        """Draw a frozen self for each opponent `POOL`, none while the pool is empty.

        The result maps the opponent's index in `players` to the update that froze its self.
        """
        pools = [i for i, player in enumerate(self.players) if player == POOL and self.members]
        return {i: int(rng.choice(list(self.members))) for i in pools}

    def seating(self, games: range, frozen: Container[int]) -> np.ndarray:
        """Assign the player of each seat: `LEARNER` or an index in `players`, int64 [games, seats].

        The learner plays one side, an opponent all others; successive games go through opponents,
        then through sides. `SELF`, and `POOL` without a frozen self, are the learner, which then
        plays all seats. `games` are numbers of games in an update; `frozen` is as from `draw`.
        """
        rounds, opponent = np.divmod(np.arange(games.start, games.stop), len(self.players))
        sides, own = np.array(self.game.sides), np.unique(self.game.sides)
        learners_side = own[rounds % len(own)]
        seating = np.where(sides[None] == learners_side[:, None], LEARNER, opponent[:, None])
        for i, player in enumerate(self.players):
            if player in (SELF, POOL) and i not in frozen:
                seating[opponent == i] = LEARNER
        return seating

    def agents(
        self,
        frozen: Mapping[int, Weights],
        rng: np.random.Generator,
        thaw: Callable[[Weights, int], Agent],
    ) -> dict[int, Agent]:
        """Make the opponents other than the learner, by their index in `players`.

        `frozen` has frozen selves' weights by this index; `thaw` makes an agent of them and a seed.
        """
        found: dict[int, Agent] = {}
        for i, player in enumerate(self.players):
            seed = int(rng.integers(2**31))
            if i in frozen:
                found[i] = thaw(frozen[i], seed)
            elif player not in (SELF, POOL):
                found[i] = make_agent(self.game, player, seed)
        return found

    def state(self) -> dict[str, Any]:
        """Return arrays for `restore`; `pool` has the interval, then the updates of `members`."""
        found: dict[str, Any] = {
            "pool": np.array([self._freeze, *self.members]),
            "drawn": np.array(self.drawn, np.int64).reshape(-1, 2),
        }
        for at, weights in self.members.items():
            found |= {f"pool.{at}.{name}": each for name, each in weights.items()}
        return found

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state that `state` returned; an interval below 1 is a `ValueError`."""
        self._freeze, *kept = map(int, state["pool"])
        if self._freeze < 1:
            raise ValueError("pool")
        self.drawn = [(int(update), int(at)) for update, at in state["drawn"]]
        self.members = {at: {} for at in kept}
        for name, each in state.items():
            if name.startswith("pool."):
                _, at, weight = name.split(".", 2)
                self.members[int(at)][weight] = each

    def log(self) -> str:
        """List the frozen self of each update as CSV."""
        rows = "".join(f"{update},{at}\n" for update, at in self.drawn)
        return f"{HEADING}\n{rows}"
