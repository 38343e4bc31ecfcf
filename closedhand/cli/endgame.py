"""The command `endgame`: open hands, solved exactly."""

from typing import Annotated, Any

import typer

from closedhand.cli import common
from closedhand.core.display import plain, pretty
from closedhand.core.game import Game, InputError, State
from closedhand.core.parsing import parse_whole
from closedhand.core.records import Record, replay, stated_options


def endgame(
    game: common.GameName,
    hands: Annotated[
        str | None, typer.Option(help="The cards of all seats, separated by commas: 33S,44B.")
    ] = None,
    turn: Annotated[
        int | None, typer.Option(help="Seat to act, with --hands; 0 if absent.")
    ] = None,
    beat: Annotated[
        str | None, typer.Option(help="Play to be beaten, with --hands; the seat leads if absent.")
    ] = None,
    by: Annotated[
        int | None, typer.Option(help="Seat that made that play; the one before --turn if absent.")
    ] = None,
    deal: Annotated[
        str | None, typer.Option(help="In place of --hands: a deal in the game's notation.")
    ] = None,
    plays: Annotated[
        str | None,
        typer.Option(help="All actions since that deal, separated by spaces: '44 PASS TT'."),
    ] = None,
    teams: Annotated[
        str | None,
        typer.Option(help="Team of each seat, separated by commas: 0,1,1. By default the sides."),
    ] = None,
    seconds: Annotated[
        float, typer.Option(help="Seconds after which the search ends.", callback=common.positive)
    ] = 60.0,
    memory: Annotated[
        float, typer.Option(help="GiB of memory for decided positions.", callback=common.positive)
    ] = 1.0,
    rules: common.Rules = None,
    option: common.Options = None,
    as_json: common.Json = False,
) -> None:
    """Solve a position with open hands: who wins, by which plays, and how it goes on.

    A play that the limits of time and memory leave undecided is shown as unknown. Exit code 0 only
    if the result is known, else 1.

    Example: closedhand endgame doudizhu --hands 33S,4QB
    """
    from closedhand.search import exact

    bound = common.bind(game, rules, option).flat
    state = _position(bound, hands, turn, beat, by, deal, plays)
    sides = None
    if teams is not None:
        most = bound.num_players - 1
        sides = [parse_whole(each, "a team", 0, most) for each in teams.split(",")]
    with common.progress_bar("searching", None):
        found = exact.endgame(
            bound, state, teams=sides, seconds=seconds, memory=int(memory * 2**30)
        )
    seats = len(hands.split(",")) if hands else bound.num_players
    if as_json:
        common.print_json(_summary(bound, found))
    else:
        _show(found, seats, bound.payoff_range[0] < 0)
    if found.value is None:
        raise typer.Exit(1)


def _position(
    game: Game, hands: str | None, turn: int | None, beat: str | None, by: int | None,
    deal: str | None, plays: str | None,
) -> State:  # fmt: skip
    """Read the position from hands or from a deal with plays; the arguments are the options."""
    from closedhand.search import exact

    if (hands is None) == (deal is None):
        raise InputError("give either --hands or --deal")
    if hands is not None:
        if plays is not None:
            raise InputError("--plays is for --deal: with --hands leave it out")
        cards = [plain(hand) for hand in hands.split(",")]
        return exact.place(game, cards, turn or 0, beat, by)
    if (turn, beat, by) != (None, None, None):
        raise InputError("--turn, --beat and --by are for --hands: with --deal give --plays")
    actions = tuple(plain(plays or "").replace(",", " ").split())
    return replay(Record(game.name, stated_options(game), actions, deal=deal))


def _summary(game: Game, found: Any) -> dict[str, Any]:
    """Convert a solution to JSON data."""
    return {
        "game": game.name,
        "player": found.player,
        "value": found.value,
        "plays": [vars(play) for play in found.plays],
        "line": [{"player": player, "play": text} for player, text in found.line],
        "seconds": round(found.seconds, 6),
        "positions": found.positions,
    }


def _show(found: Any, seats: int, signed: bool) -> None:
    """Print a solution for the first `seats`, which have a hand.

    `signed` tells that the sign of a payoff shows who wins.
    """

    def payoff(low: float, high: float) -> str:
        if low < high:
            return f"unknown, {low:g} to {high:g}"
        if not signed or low == 0:
            return f"{low:g}"
        return f"{'wins' if low > 0 else 'loses'} ({low:+g})"

    common.print_table(
        ["play", ">value"],
        [(pretty(play.text), payoff(play.low, play.high)) for play in found.plays],
    )
    line = [f"player_{seat} {pretty(text)}" for seat, text in found.line if seat < seats]
    typer.echo(f"line: {', '.join(line)}")
    typer.echo(
        f"player_{found.player} {payoff(found.low, found.high)}; {found.positions:,} positions in "
        f"{found.seconds:.3f} s"
    )
