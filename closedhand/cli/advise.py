"""The command `advise GAME`, made for every game that has no such command of its own."""

import inspect
import re
from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from closedhand.cli import common
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.contract import plain_function
from closedhand.core.display import LETTERS, board, plain, pretty, typed_action
from closedhand.core.game import Game, InputError
from closedhand.core.registry import GameSpec, make_game, spec_of
from closedhand.core.statistics import Estimate

if TYPE_CHECKING:
    from closedhand.search.ranking import Ranked

TEN = re.compile("10(?=[shdc])")
"""A ten of a suit, typed as a number."""
FACT = "fact_"
"""Prefix of the parameters for `Game.facts`, so that their names differ from all others."""
PARAMETERS = {"hand": "hand", "player": "seat"}
"""The command's names of these parameters of `view_from`; the others get the prefix `FACT`."""


def split_plays(game: Game, text: str) -> list[str]:
    """Split a text at spaces and commas into actions, as `typed_action` reads them."""
    return [typed_action(each, game.parse) for each in text.replace(",", " ").split()]


def advise(
    spec: GameSpec,
    hand: Annotated[str, typer.Argument(metavar="HAND")],
    plays: str = "",
    seat: int = 0,
    agent: str | None = None,
    top: common.Number = 5,
    seconds: common.PositiveOrNone = None,
    simulations: common.NumberOrNone = None,
    rules: common.Rules = None,
    option: common.Options = None,
    seed: common.Seed = 0,
    as_json: common.Json = False,
    **facts: str | None,
) -> None:
    """Rank the plays of a hand; `of_game` makes the command of a game.

    Options:
        hand: The cards that you hold now.
        plays: All actions so far, of all players, separated by spaces: '44 PASS TT'; ? is one that
            you have not seen.
        seat: Your seat.
        agent: Agent whose search is used; by default the game's adviser if it simulates, else
            search.
        top: Number of plays to show.
        seconds: Time of the search; 2 if no number of simulations is given.
        simulations: Number of simulations, in place of seconds.
    """
    from closedhand.core.agents import make_agent
    from closedhand.search.ranking import rank, simulation_of, summary
    from closedhand.web.position_text import typed

    game = common.bind(spec.name, rules, option)
    given = {
        name.removeprefix(FACT): TEN.sub("T", text.translate(LETTERS))
        for name, text in facts.items()
        if text is not None
    }
    view = game.view_from(seat, plain(hand), split_plays(game, plays), **typed(game, given))
    agent = agent or usual_search(game, seed)
    if game.over(view):
        raise InputError("the game is over: there is nothing to advise")
    if view["player"] != seat:
        raise InputError(
            f"it is the turn of player_{view['player']}, not of player_{seat}: "
            "give all actions before yours, or another --seat"
        )
    if seconds is None and simulations is None:
        seconds = 2.0
    how = simulation_of(make_agent(game, agent, seed), view)
    with common.progress_bar("searching", None):
        ranked = rank(
            game, view, how, seconds=seconds, simulations=simulations, shown=top, seed=seed
        )
    if as_json:
        asked = {"game": game.name, "player": seat, "agent": agent}
        common.print_json({**asked, "plays": summary(ranked)})
        return
    typer.echo(board(game.scene(view), symbols=True))
    _show(ranked, top, with_points=not how.game.is_win_or_loss)
    typer.echo(
        f"{min(top, len(ranked))} of {len(ranked)} plays; {ranked[0].determinisations:,} deals "
        f"that fit what you saw, played on by {agent}; 95% intervals"
    )


def _show(ranked: "list[Ranked]", top: int, with_points: bool) -> None:
    """Print the best plays; without points, `behind` is a difference of win probabilities."""
    form, share = ("+.2f", 1.0) if with_points else ("+.1%", 0.5)
    figures = ["wins"] * (ranked[0].wins is not None) + ["points"] * with_points + ["behind"]
    rows = []
    for each in ranked[:top]:
        cells = [*each.wins.cells(".1%")] if each.wins else []
        cells += each.points.cells("+.2f") if with_points else []
        behind = Estimate(*(share * value for value in each.behind))
        rows.append((pretty(each.text), *cells, *behind.cells(form)))
    headings = chain.from_iterable((f">{name}", ">95%") for name in figures)
    common.print_table(["play", *headings], rows)


def of_game(spec: GameSpec) -> Callable[..., None]:
    """Make the command `advise` of a game, with an option for every fact of its `view_from`."""

    def command(**given: Any) -> None:
        advise(spec, **given)

    game = make_game(spec.name)
    build, _ = plain_function(game.rules, "view_from")
    _, _, options = (inspect.getdoc(advise) or "").partition("Options:\n")
    _, _, section = (inspect.getdoc(build) or "").partition("Args:\n")
    texts = common.ENTRY.findall(section)
    command.__doc__ = (
        f"Rank the plays of a {spec.title} hand by their chance to win, or by expected points.\n\n"
        f"Example: closedhand advise {spec.command_name} {spec.advice}\n\nOptions:\n{options}\n"
        + "\n".join(f"    {PARAMETERS.get(name, FACT + name)}: {text}" for name, text in texts)
    )
    _, *usual, _ = inspect.signature(advise).parameters.values()
    own = [
        inspect.Parameter(
            FACT + name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=None,
            annotation=Annotated[str | None, typer.Option(f"--{name.replace('_', '-')}")],
        )
        for name in game.facts
    ]
    signature = inspect.Signature([*usual[:3], *own, *usual[3:]])
    command.__signature__ = signature  # type: ignore[attr-defined]
    return command


def usual_search(game: Game, seed: int) -> str:
    """Name the game's adviser if it simulates, else an agent `search`.

    This `search` plays on by the policy of the usual opponent. It is `search` without options if
    that opponent decides in Python, or the game's own `search` has no option `policy`.
    """
    from closedhand.core.agents import make_agent

    spec = spec_of(game.name)
    with_policy = str(AgentSpec("search", {"policy": spec.opponent}))
    for agent in filter(None, (spec.adviser, with_policy)):
        with suppress(InputError):
            if hasattr(make_agent(game, agent, seed), "simulation"):
                return agent
    return "search"
