"""What can be played: games with their options and terms, and agents with what they cost."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import agent_names, traits_of
from closedhand.core.files import SHIPPED
from closedhand.core.game import Game, InputError, shown
from closedhand.core.reading import load_json
from closedhand.core.registry import GAMES, load, make_game, spec_of

STRENGTHS = "strengths.json"
"""File with what agents were measured to win, made by `benchmarks/strengths.py`."""
BUDGETS = ("100ms", "1000ms")
"""Budgets that are offered for agents that take one."""
BUDGET = re.compile(r"(?P<number>[0-9]{1,6})(?P<ms>ms)?")
MOST_MILLISECONDS, MOST_SIMULATIONS = 10_000, 200_000
"""Largest budgets that a browser may ask for."""


@lru_cache(1)
def games() -> list[dict[str, Any]]:
    """Every game, for a browser."""
    return [told_game(name) for name in GAMES]


def told_game(name: str) -> dict[str, Any]:
    """A game, for a browser.

    Raises:
        InputError: There is no such game.
    """
    spec = spec_of(name)
    game = make_game(name).flat
    table = spec.option_table
    # Sub-steps are a form for learners: people choose whole plays.
    options = [
        {
            "name": option.name,
            "default": option.default,
            "text": option.text,
            "values": option.values,
            "choices": list(option.choices),
            "kind": type(option.default).__name__,
        }
        for option in table
        if option.name not in substep_options(spec.name)
    ]
    return {
        "name": spec.name,
        "title": spec.title,
        "players": game.num_players,
        "options": options,
        "opponent": usual(spec.name),
        "faces": dict(spec.faces),
        "terms": load(spec.terms) if spec.terms else {},
        "simultaneous": game.simultaneous,
        "facts": list(game.facts),
    }


def usual(name: str) -> str:
    """The agent that plays a game if no other is named: one that is installed."""
    opponent = spec_of(name).opponent
    return opponent if AgentSpec.parse(opponent).name in agent_names(name) else "random"


@lru_cache(64)
def agents(name: str) -> list[dict[str, Any]]:
    """The agents that are offered for a game. Slow at first: it imports them.

    Raises:
        InputError: There is no such game.
    """
    game = make_game(name).flat
    return [_agent(game, text) for text in offered(game)]


def substep_options(name: str) -> set[str]:
    """Options of a game that only give its actions another form."""
    game = make_game(name)
    return set(game.substep_options)


def offered(game: Game) -> list[str]:
    """Texts of the agents that need nothing but a name, or a budget of time."""
    found: list[str] = []
    for name in agent_names(game.name):
        if _takes_budget(game, f"{name}:{BUDGETS[0]}"):
            found += [f"{name}:{budget}" for budget in BUDGETS]
        elif _is_agent(game, name):
            found.append(name)
    return found


def _is_agent(game: Game, text: str) -> bool:
    try:
        return not traits_of(game, text).files
    except InputError:
        return False


def _takes_budget(game: Game, text: str) -> bool:
    """Whether the argument of an agent, a budget of time, is one to it, and not a file."""
    return _is_agent(game, text) and traits_of(game, text).clocked


def _agent(game: Game, text: str) -> dict[str, Any]:
    traits = traits_of(game, text)
    return {
        "text": text,
        "microseconds": traits.microseconds,
        "clocked": traits.clocked,
        "strength": strengths(game.name).get(text),
    }


@lru_cache(64)
def strengths(name: str) -> dict[str, Any]:
    """What agents of a game win, each alone on its side, against the usual opponent.

    Returns:
        By the text of an agent `against`, `deals`, `rounds` of a deal, `points` of a round, beyond
        what the opponent makes in its place, and the share of games `won`, None where no payoff is
        a loss: means with their 95% intervals. No agents where nothing was measured.
    """
    path = SHIPPED / STRENGTHS
    data = load_json(path).get(name) if path.exists() else None
    if data is None:
        return {}
    how = {"against": data["opponent"], "rounds": data["rounds"]}
    return {text: {**how, **each} for text, each in data["agents"].items()}


def check_agent(game: Game, text: str, added: Sequence[str] = ()) -> str:
    """The text of an agent that a browser may seat.

    Other arguments than a budget name files, and are for the command line alone.

    Args:
        game: The game.
        text: The text.
        added: Texts that the command line allows as well.

    Raises:
        InputError: There is no such agent, or a browser may not name it.
    """
    return _check_agent(game, text, tuple(added))


# Looking through the entry points of all packages takes longer than many a decision.
@lru_cache(512)
def _check_agent(game: Game, text: str, added: Sequence[str]) -> str:
    name, colon, argument = text.partition(":")
    if text in added or (not colon and name in agent_names(game.name)):
        traits_of(game, text)
        return text
    budget = BUDGET.fullmatch(argument)
    if name not in agent_names(game.name) or budget is None:
        raise InputError(f"{game.name} has no agent {shown(text)} that a browser may seat")
    most = MOST_MILLISECONDS if budget["ms"] else MOST_SIMULATIONS
    if not 0 < int(budget["number"]) <= most:
        raise InputError(f"the budget of {name} is 1 to {most}, not {budget['number']}")
    if not _takes_budget(game, f"{name}:{BUDGETS[0]}"):
        raise InputError(f"{name} takes no budget")
    return text
