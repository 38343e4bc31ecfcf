"""The command `advise daihinmin`."""

from closedhand.cli import advise as shared
from closedhand.cli.advise import Hand, Plays, Seat, Seconds, Simulations, Top
from closedhand.cli.common import Json, Options, Rules, Seed, bind
from closedhand.core.display import plain
from closedhand.core.parsing import parse_whole


def advise(
    hand: Hand,
    plays: Plays = "",
    seat: Seat = 0,
    leader: int | None = None,
    dealt: str | None = None,
    seats: str | None = None,
    classes: str = "-",
    paid: str = "",
    agent: str = "monte-carlo",
    top: Top = 5,
    seconds: Seconds = None,
    simulations: Simulations = None,
    rules: Rules = None,
    option: Options = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Rank the plays of a Daihinmin hand by their expected points.

    A round with classes begins with the cards given back; write ? for those that you do not know.
    For example, as player 2 after two plays:

    closedhand advise daihinmin 3c4c4h7d8s9sTsKdAh2c --seat 2 --leader 0 --dealt 11,11,10,10,11
    --plays '3d 5h'

    Options:
        leader: Player who showed 3d and led first, unless you held it.
        dealt: Cards dealt to each player, such as 11,11,11,10,10; only without classes.
        seats: Players in the order of their seats, by default 01234 and so on.
        classes: Classes by player, from 0 for the daifugo on, such as 30214.
        paid: Cards that you paid as tax.
        agent: Agent whose search is used: monte-carlo.
    """
    game = bind("daihinmin", rules, option)
    numbers = None if dealt is None else [parse_whole(n, "--dealt") for n in dealt.split(",")]
    view = game.view_from(
        seat,
        plain(hand),
        shared.split_plays(game, plays),
        leader=leader,
        dealt=numbers,
        seats=seats,
        classes=classes,
        paid=plain(paid),
    )
    shared.advise(game, view, seat, agent, top, seconds, simulations, seed, as_json)
