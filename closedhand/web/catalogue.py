"""The catalogue of the page: games with options and terms, agents with time and strength."""

import json
import re
from contextlib import suppress
from functools import lru_cache
from typing import Any

from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, agent_names, make_agent, traits_of
from closedhand.core.files import SHIPPED
from closedhand.core.game import Game, InputError, shown
from closedhand.core.reading import load_json
from closedhand.core.registry import GAMES, make_game, spec_of
from closedhand.core.rulebook import terms_of
from closedhand.web.guard import LOG

STRENGTHS = "strengths.json"
"""File of measured strengths of agents, made by `benchmarks/strengths.py`."""
BUDGETS = ("100ms", "1000ms")
"""Time budgets that are offered for every agent that takes one."""
BUDGET = re.compile(r"(?P<number>[0-9]{1,6})(?P<ms>ms)?")
MOST_MILLISECONDS, MOST_SIMULATIONS = 10_000, 200_000
"""Largest budgets that a browser may ask for: of time, with `ms`; of simulations, without."""


@lru_cache(1)
def games() -> list[dict[str, Any]]:
    """Describe all games that can be made, in the order of `GAMES`."""
    found: list[dict[str, Any]] = []
    for name in GAMES:
        try:
            described = describe_game(name)
            json.dumps(described, allow_nan=False)  # one that is no JSON would spoil the answer
            found.append(described)
        except Exception:  # a game may be third-party code, and raise anything
            LOG.exception("the game %s is left out", name)
    return found


def describe_game(name: str) -> dict[str, Any]:
    """Describe a game under its default rules, with the options that a person may choose."""
    spec = spec_of(name)
    plain = make_game(name)
    game = plain.flat
    # Options for sub-steps are left out: they serve learners, and people choose whole plays.
    options = [
        {
            "name": option.name,
            "default": option.default,
            "text": option.text,
            "values": option.values,
            "choices": list(option.choices),
            "kind": type(option.default).__name__,
        }
        for option in spec.option_table
        if option.name not in plain.substep_options
    ]
    return {
        "name": spec.name,
        "title": spec.title,
        "players": game.num_players,
        "options": options,
        "presets": {key: dict(each) for key, each in spec.option_table.presets.items()},
        "table_options": {key: str(value).lower() for key, value in spec.table_options.items()},
        "opponent": usual(spec.name),
        "has_rules": spec.rulebook is not None,
        "open_hands": spec.endgames is not None,
        "levels": usual(spec.name) != "random",
        "faces": dict(spec.faces),
        "terms": terms_of(spec.name),
        "simultaneous": game.simultaneous,
        "facts": list(game.facts),
    }


def usual(name: str) -> str:
    """Choose the usual opponent of a game: that of its spec if installed, else `random`."""
    opponent = spec_of(name).opponent
    return opponent if AgentSpec.parse(opponent).name in agent_names(name) else "random"


QUITE_EQUAL = 0.05
"""Loss in points up to which an agent counts as no weaker than the usual opponent."""
QUICK = 50_000
"""Microseconds per decision below which an agent is quick enough to give hints."""


@lru_cache(64)
def adviser_of(game: Game) -> str:
    """Choose the agent that gives hints: the strongest quick one that plays these rules.

    Its time is below `QUICK`, and the 95% interval of its gain over the usual opponent is above 0.
    Without such an agent: the spec's adviser if it plays these rules, else the usual opponent.
    """
    quick = [
        (found["strength"]["points"][0], found["text"])
        for found in agents(game.name)
        if found["strength"]
        and found["strength"]["points"][1] > 0
        and (found["microseconds"] or QUICK) < QUICK
    ]
    better = [text for _, text in sorted(quick, reverse=True)]
    for text in [*better, *filter(None, [spec_of(game.name).adviser])]:
        with suppress(InputError):
            make_agent(game, text, 0)
            return text
    return usual(game.name)


LEVELS = ("easy", "fair", "strong")
"""Strengths of opponents, for somebody who knows no agent by name."""


def opponent_of(game: Game, level: str) -> str:
    """Return the text of the agent that plays at a level; refuse any but `LEVELS`.

    `fair` is the usual opponent and `strong` the agent that gives hints. `easy` is the weakest
    measured agent other than `random`, if it is weaker than the usual opponent, or else `random`.
    """
    if level not in LEVELS:
        raise InputError(f"a level is {', '.join(LEVELS)}, not {shown(level)}")
    if level == "strong":
        return adviser_of(game)
    if level == "fair":
        return usual(game.name)
    points = {text: each["points"][0] for text, each in strengths(game.name).items()}
    weak = [text for text in points if text != "random" and points[text] < -QUITE_EQUAL]
    return min(weak, key=points.__getitem__, default="random")


@lru_cache(64)
def agents(name: str) -> list[dict[str, Any]]:
    """Return `text`, speed and `strength` of each agent offered. Slow at first: it imports them."""
    game = make_game(name).flat
    known = strengths(game.name)
    found: list[dict[str, Any]] = []
    for text in offered(game):
        traits = traits_of(game, text)
        about = {"microseconds": traits.microseconds, "clocked": traits.clocked}
        found.append({"text": text, **about, "strength": known.get(text)})
    return found


def offered(game: Game) -> list[str]:
    """List agents that need no file: clocked ones with `BUDGETS`, others plain and as variants."""
    found: list[str] = []
    for name in agent_names(game.name):
        with_budget = [f"{name}:{budget}" for budget in BUDGETS]
        if (traits := _traits(game, with_budget[0])) and traits.clocked:
            found += with_budget
        elif _traits(game, name):
            found += [name, *_variants(game, name)]
    return found


def _variants(game: Game, name: str) -> list[str]:
    return [f"{name}[{options}]" for options in traits_of(game, name).variants]


def _traits(game: Game, text: str) -> Traits | None:
    """Return the traits of an agent; None if it is unknown, cannot be made, or needs files."""
    with suppress(Exception):  # an agent may be third-party code, and raise anything
        traits = traits_of(game, text)
        return None if traits.files else traits
    return None


@lru_cache(64)
def strengths(name: str) -> dict[str, Any]:
    """Return the strengths of a game's agents, measured on every side in turn against one opponent.

    Returns:
        By text of an agent, where measured: `against`, the opponent; `deals`; `rounds` of a deal;
        `points`, the gain per round over the opponent on the same side; and `won`, the share of
        games won, None where no payoff is a loss; both `[mean, low, high]` with 95% intervals.
    """
    path = SHIPPED / STRENGTHS
    data = load_json(path).get(name) if path.exists() else None
    if data is None:
        return {}
    how = {"against": data["opponent"], "rounds": data["rounds"]}
    return {text: {**how, **each} for text, each in data["agents"].items()}


# Cached, as checking a budget of simulations makes the agent.
@lru_cache(512)
def check_agent(game: Game, text: str, added: tuple[str, ...] = ()) -> str:
    """Return the text of an agent that a browser may use; refuse any other.

    An argument other than a budget names a file; only `added`, from the command line, may have one.
    """
    name, colon, argument = text.partition(":")
    bare = name.partition("[")[0]
    is_known = not colon and bare in agent_names(game.name)
    if text in added or (is_known and text in (bare, *_variants(game, bare))):
        traits_of(game, text)
        return text
    budget = BUDGET.fullmatch(argument)
    if name not in agent_names(game.name) or budget is None:
        raise InputError(f"{game.name} has no agent {shown(text)} that a browser may seat")
    most = MOST_MILLISECONDS if budget["ms"] else MOST_SIMULATIONS
    if not 0 < int(budget["number"]) <= most:
        raise InputError(f"the budget of {name} is 1 to {most}, not {budget['number']}")
    # Traits tell whether an agent takes a time budget; for simulations it has to be made.
    traits = _traits(game, f"{name}:{BUDGETS[0]}")
    if not (traits and traits.clocked):
        with suppress(InputError):
            if _traits(game, text) and make_agent(game, text):
                return text
        raise InputError(f"{name} takes no budget")
    return text
