"""Functions shared by the commands `advise GAME`, and this command for games that have none."""

from collections.abc import Callable
from itertools import chain
from typing import Annotated, Any

import typer

from closedhand.cli import common
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.display import board, plain, pretty, typed_action
from closedhand.core.game import Game, InputError, State
from closedhand.core.registry import GameSpec, make_game
from closedhand.core.statistics import Estimate

Hand = Annotated[str, typer.Argument(metavar="HAND", help="The cards that you hold now.")]
Plays = Annotated[
    str, typer.Option(help="All actions so far, of all players, separated by spaces: '44 PASS TT'.")
]
Seat = Annotated[int, typer.Option(help="Your seat.")]
Top = Annotated[int, typer.Option(min=1, help="Number of plays to show.")]
Seconds = Annotated[
    float | None,
    typer.Option(
        help="Time of the search; 2 if no number of simulations is given.", callback=common.positive
    ),
]
Simulations = Annotated[
    int | None, typer.Option(min=1, help="Number of simulations, in place of seconds.")
]


def split_plays(game: Game, text: str) -> list[str]:
    """Split a text at spaces and commas into actions, as `typed_action` reads them."""
    return [typed_action(each, game.parse) for each in text.replace(",", " ").split()]


def advise(
    game: Game,
    view: State,
    seat: int,
    agent: str,
    top: int,
    seconds: float | None,
    simulations: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Rank the plays in a view of the player at `seat`, and print them.

    Raises:
        InputError: The game is over, it is not the player's turn, the agent is unknown or does not
            simulate, or a number is not positive.
    """
    from closedhand.core.agents import make_agent
    from closedhand.search.ranking import rank, simulation_of, summary

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
    console = common.plain_console(highlight=False, soft_wrap=True)
    console.print(board(game.scene(view), symbols=True))
    # If payoffs are 1 and -1, show differences of the probability to win.
    with_points = not how.game.is_win_or_loss
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
    console.print(
        f"{min(top, len(ranked))} of {len(ranked)} plays; {ranked[0].determinisations:,} deals "
        f"that fit what you saw, played on by {agent}; 95% intervals"
    )


def of_game(spec: GameSpec) -> Callable[..., None]:
    """Make the command `advise` of a game without one of its own."""
    facts = ", ".join(make_game(spec.name).facts) or "none"

    def command(
        hand: Hand,
        plays: Plays = "",
        seat: Seat = 0,
        fact: Annotated[
            list[str] | None,
            typer.Option(
                metavar="KEY=VALUE",
                help=f"A further fact that you know, may be repeated; {spec.title}: {facts}.",
            ),
        ] = None,
        agent: Annotated[
            str | None,
            typer.Option(
                help="Agent whose search is used; by default search, with the policy of the game's "
                "default opponent if that decides in kernels."
            ),
        ] = None,
        top: Top = 5,
        seconds: Seconds = None,
        simulations: Simulations = None,
        rules: common.Rules = None,
        option: common.Options = None,
        seed: common.Seed = 0,
        as_json: common.Json = False,
    ) -> None:
        from closedhand.web.position_text import typed

        game = common.bind(spec.name, rules, option)
        known: dict[str, Any] = typed(game, common.given_pairs(fact or (), "a fact"))
        view = game.view_from(seat, plain(hand), split_plays(game, plays), **known)
        named = agent or usual_search(game, spec.opponent)
        advise(game, view, seat, named, top, seconds, simulations, seed, as_json)

    command.__doc__ = (
        f"Rank the plays of a hand of {spec.title} by their expected points.\n\n"
        f"Example: closedhand advise {spec.command_name} HAND --plays 'ACTION ACTION'"
    )
    return command


def usual_search(game: Game, opponent: str) -> str:
    """Name the search with the policy of `opponent`; a random one if that decides in Python."""
    from closedhand.core.agents import make_agent
    from closedhand.core.policies import policy_of

    in_kernels = policy_of(make_agent(game, opponent)) is not None
    return str(AgentSpec("search", {"policy": opponent} if in_kernels else {}))
