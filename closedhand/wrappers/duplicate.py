"""Duplicate dealing on AEC envs of this package: the luck of the cards cancels out."""

# pyright: reportMissingTypeStubs=false
# PettingZoo has inline types, but does not declare them.

from collections.abc import Sequence
from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper

from closedhand.core.checks import shown
from closedhand.core.game import InputError, State
from closedhand.core.seating import seatings
from closedhand.envs import common
from closedhand.envs.observation_form import Observation
from closedhand.wrappers.adapting import aec_table


class DuplicateDealing(common.Copied, BaseWrapper[str, Observation, int]):
    """Wrapper that plays each deal once at every seating of the teams before the next deal.

    Each reset begins the next table, one game of the deal: at table t of k, side j of the game is
    played by team (j + t) mod k. One seat against two has two tables (the DeepRocket paper's
    Appendix B). Where each seat is a side, teams rotate through all seats. The infos contain

    - `deal` and `table`, both counted from 0, and `team`, the name of the agent's team;
    - `duplicate_score` at the end of the last table, if all tables of the deal were played out: a
      dict from each team to the returns of its seats, summed over the tables;
    - `side_scores` with it: a dict from each team to the same returns by side, a list [sides].

    `reset(seed=...)` starts the schedule again and reproduces it; `reset(options=...)` with a
    `deal` or a `state` starts a new deal with it.

    Attributes:
        teams: The names of the teams.
    """

    def __init__(self, env: AECEnv[str, Observation, int], teams: Sequence[str]) -> None:
        """Wrap `env`, an AEC env of this package, wrapped or not, for teams of these names.

        Raises:
            InputError: It is another env, or there are not as many different names as sides.
        """
        game = aec_table(env).game
        super().__init__(env)
        self._seatings = seatings(game.sides)
        self._tables = len(self._seatings)
        given: Any = teams
        if not common.is_list(given) or not all(isinstance(name, str) for name in given):
            raise InputError(f"teams are a list of names, not {shown(given)}")
        self.teams = tuple(teams)
        if len(self.teams) != self._tables or len(set(self.teams)) != self._tables:
            raise InputError(f"{game.name} has {self._tables} sides: name as many different teams")
        self._start: State | None = None
        self._deal, self._table = -1, 0
        self._earned: dict[str, float] = {}
        self._scores: list[dict[str, float]] = []  # returns of each team at every table

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start the next table; with a seed the schedule anew, with a `deal` or `state` a new deal.

        Raises:
            InputError: The wrapped env refuses seed or options; the schedule is unchanged.
        """
        base = aec_table(self.env)
        given = common.given_start(base.game, options) is not None
        is_last = self._table + 1 == self._tables
        if seed is not None or given or self._start is None or is_last:
            super().reset(seed=seed, options=options)
            self._start = base.start
            self._deal = 0 if seed is not None else self._deal + 1
            self._table = 0
            self._scores = []
        else:
            super().reset(options={**(options or {}), "state": self._start})
            self._table += 1
        # Forced actions may have earned rewards already, and ended the game.
        self._earned = dict(self.rewards)
        self._add_score()
        self._publish()

    def step(self, action: int | None) -> None:
        """Step the wrapped env, with its errors; at the end of a table add up its scores."""
        aec_table(self.env).check_started()
        ended = all(self.terminations.values())
        super().step(action)  # type: ignore[arg-type]
        if not ended:
            for agent, reward in self.rewards.items():
                self._earned[agent] += reward
            self._add_score()
        self._publish()

    def _add_score(self) -> None:
        """Add the return of each team at this table to the scores, if the game is over."""
        # After an illegal action all agents have terminated, but the game is not over by its rules:
        # this table has no score.
        base = aec_table(self.env)
        if all(self.terminations.values()) and base.game.over(base.game_state):
            score = dict.fromkeys(self.teams, 0.0)
            for agent, team in self._team_of().items():
                score[team] += self._earned[agent]
            self._scores.append(score)

    def _team_of(self) -> dict[str, str]:
        seats = zip(self.possible_agents, self._seatings[self._table], strict=True)
        return {agent: self.teams[team] for agent, team in seats}

    def _publish(self) -> None:
        teams = self._team_of()
        schedule: dict[str, Any] = {"deal": self._deal, "table": self._table}
        if len(self._scores) == self._tables:
            # Team i plays side j at table (i - j) mod k.
            schedule["side_scores"] = {
                team: [self._scores[(i - j) % self._tables][team] for j in range(self._tables)]
                for i, team in enumerate(self.teams)
            }
            schedule["duplicate_score"] = {
                team: sum(scores) for team, scores in schedule["side_scores"].items()
            }
        self.infos = {
            agent: {**info, **schedule, "team": teams[agent]}
            for agent, info in self.env.infos.items()
        }
