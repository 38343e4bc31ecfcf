"""Leagues of the paper about `kou`, champion of UECda-2014's light class.

A league consists of matches of 100 rounds; intervals are over these matches. `compute` plays each
league as a part with its own file; the module `report` makes the tables and pictures.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.arena import league, results as files
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import make_agent
from closedhand.core.duplicate import cut
from closedhand.core.file_kinds import LEAGUE
from closedhand.core.files import refuse_foreign
from closedhand.core.game import Game, InputError
from closedhand.core.parts import Notes, Part, Progress, Results, Sectioned, compute_parts
from closedhand.core.registry import make_game

MATCH = 100
"""Number of rounds of a match; each match begins without classes and with other seats."""

KOUS = ("kou", "kou[letter=1]")
"""Two readings of the paper: the one that makes its results possible, and the literal one."""

STAND_INS = {
    "min-sets": "chibiHana",
    "trick-ender": "Party",
    "monte-carlo:350": "snowl",
    "monte-carlo:500": "crow",
    "monte-carlo:1000": "paon",
    "monte-carlo:2000": "beersong",
}
"""Our agents and the paper's programs that they stand in for.

snowl, the first champion that searched, gets 4.40 points a round among four `default`. Its stand-in
has the budget with which it gets as many; the stand-ins for later champions search more.
"""

LIGHT = ("min-sets", "trick-ender", "default", "default")
SEARCH = tuple(agent for agent in reversed(STAND_INS) if agent.startswith("monte-carlo"))
"""The opponents in Table 1 (`LIGHT`) and in Table 2 (`SEARCH`), in the paper's order."""

ENEMIES = ("min-sets", "trick-ender", "default", "default[lead=single]")
"""The opponents of Tables 3 to 6; the last two are both compared with the paper's `default`."""
VARIANTS = {
    "w100": (3, (-2132, -767, -825)),
    "w90": (3, (403, 663, 15)),
    "w80": (3, (210, 970, 121)),
    "lock-": (4, (-1211, -117, -757)),
    "lock+": (4, (-720, -287, -203)),
    "weak": (5, (-165, -679, -856)),
    "single": (5, (-1086, -376, -895)),
    "use_2": (6, (-157, 100, 102)),
}
"""By variant of `kou`: the number of the paper's table, and by how many points in 1,000 rounds it
does better there than `kou`, among each of `ENEMIES`; the last two share a number."""

THRESHOLDS = (60, 70, 80, 85, 90, 95, 98, 100)
"""Values of the parameter `threshold` of `kou` in the section "sweep"; the paper has 95."""
SWEEP_ENEMIES = ("min-sets", "default")

SEARCHERS = {f"monte-carlo:{budget}": budget for budget in (30, 100, 250, 350, 1000)}
"""Agents of the section "budget", and their simulations per decision."""
BUDGET_ENEMIES = ("default", "kou")

SECTIONS = (*(f"table-{number}" for number in range(1, 7)), "sweep", "budget")
"""Sections that can be computed alone: the tables, the sweep over the threshold, and the strength
of Monte Carlo search by its budget."""


def the_game() -> Game:
    """Make the paper's Daihinmin: seats and classes change every 100 rounds."""
    return make_game("daihinmin", rules="paper", rounds=MATCH)


@dataclass(frozen=True)
class Plan(Sectioned):
    """Settings of a reproduction."""

    rounds: int = 10_000  # rounds of a league without agents that search
    search_rounds: int = 900  # rounds of a league with agents that search
    seed: int = 0  # seed of deals and agents; all leagues share the deals
    workers: int = 1  # number of processes
    sections: tuple[str, ...] = SECTIONS
    enemies: tuple[str, ...] = ENEMIES  # opponents in Tables 3 to 6


QUICK = Plan(rounds=1000, search_rounds=100, sections=SECTIONS[:6], enemies=("default",))


def leagues(plan: Plan) -> dict[str, tuple[list[str], int]]:
    """List the leagues of a plan: agents and number of rounds, by name of the part."""
    found: dict[str, tuple[list[str], int]] = {}

    def compare(agents: Sequence[str], enemies: Sequence[str], rounds: int) -> None:
        """Add the league of each agent among four copies of each enemy."""
        for enemy in enemies:
            for agent in agents:
                found[part_name(agent, enemy)] = ([agent, *[enemy] * 4], rounds)

    variants = [v for v, (number, _) in VARIANTS.items() if f"table-{number}" in plan.sections]
    for kou in KOUS:
        if "table-1" in plan.sections:
            found[f"table-1-{plain(kou)}"] = ([kou, *LIGHT], plan.rounds)
        if "table-2" in plan.sections:
            found[f"table-2-{plain(kou)}"] = ([kou, *SEARCH], plan.search_rounds)
        if variants:
            versions = [kou, *(f"{kou}:{variant}" for variant in variants)]
            compare(versions, plan.enemies, plan.rounds)
        if "sweep" in plan.sections:
            versions = [with_threshold(kou, number) for number in THRESHOLDS]
            compare(versions, SWEEP_ENEMIES, plan.rounds)
    if "budget" in plan.sections:
        compare(list(SEARCHERS), BUDGET_ENEMIES, plan.search_rounds)
    return found


def with_threshold(kou: str, number: int) -> str:
    """Return the text of the agent `kou`, one of `KOUS`, with another threshold."""
    spec = AgentSpec.parse(kou)
    return str(AgentSpec(spec.name, {**spec.options, "threshold": number}))


def part_name(agent: str, enemy: str) -> str:
    """Name the league of an agent among four copies of an enemy."""
    return f"{plain(agent)}-against-{plain(enemy)}"


def plain(agent: str) -> str:
    """Replace or drop the characters of an agent's text that are unsafe in file names.

    The results for the agents of `leagues` are all different.
    """
    return agent.translate(str.maketrans({":": "-", "[": "-", "=": "-", ",": "-", "]": ""}))


def compute(folder: Path, plan: Plan, progress: Progress) -> Results:
    """Play all leagues of a plan; see `closedhand.core.parts.compute_parts`.

    Raises:
        InputError: An agent is not installed, or a number of rounds is not a multiple of `MATCH`.
    """
    game = the_game()
    for number in (plan.rounds, plan.search_rounds):
        if number % MATCH:
            raise InputError(f"the number of rounds must be a multiple of {MATCH}, not {number}")
    wanted = leagues(plan)
    for agent in {agent for agents, _ in wanted.values() for agent in agents}:
        make_agent(game, agent)  # an error now, ahead of minutes of work
    parts = {
        name: _part(folder / "leagues" / f"{name}.json", game, agents, number, plan)
        for name, (agents, number) in wanted.items()
    }
    rounds = [plan.rounds, plan.search_rounds]
    settings = {"options": dict(game.options), "rounds": rounds, "seed": plan.seed}
    return compute_parts(parts, folder, settings, progress)


def _part(path: Path, game: Game, agents: Sequence[str], rounds: int, plan: Plan) -> Part:
    """Make the part that plays a non-duplicate league, saved to file `path` and resumed from it."""

    def part(notes: Notes) -> dict[str, Any]:
        try:
            played = league.load(path, game, agents, plan.seed, False)
        except InputError:
            refuse_foreign(path, LEAGUE)
            played = None
        deals = rounds // MATCH

        def save(found: league.League) -> None:
            files.save(path, league.summary(found))

        done = league.play(
            game, agents, deals, plan.seed, False, plan.workers, played,
            lambda n: notes(n / deals), save,
        )  # fmt: skip
        if done.deals > deals:  # the file keeps all deals, for later runs
            done = replace(done, pairs=(cut(done.played, deals),))
        else:
            save(done)
        data = league.summary(done)
        if done.interrupted:
            raise KeyboardInterrupt
        matches = np.sum(data.pop("points"), axis=(1, 2))
        return {**data, "matches": matches.astype(int).tolist()}

    return part
