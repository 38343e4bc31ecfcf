"""The command `endgame`: open hands, solved exactly."""

from typing import Any

import typer

from closedhand.cli import common
from closedhand.cli.advise import split_plays
from closedhand.core.display import plain, pretty
from closedhand.core.game import InputError
from closedhand.core.parsing import parse_whole
from closedhand.core.records import Record, replay, stated_options


def endgame(
    game: common.GameName,
    hands: str | None = None,
    turn: int | None = None,
    beat: str | None = None,
    by: int | None = None,
    deal: str | None = None,
    plays: str | None = None,
    teams: str | None = None,
    seconds: common.Positive = 60.0,
    memory: common.Positive = 1.0,
    rules: common.Rules = None,
    option: common.Options = None,
    as_json: common.Json = False,
) -> None:
    """Solve a position with open hands: who wins, by which plays, and how it goes on.

    A play that the limits of time and memory leave undecided is shown as unknown. Exit code 0 only
    if the result is known, else 1.

    Example: closedhand endgame doudizhu --hands 33S,4QB

    Options:
        hands: The cards of all seats, separated by commas: 33S,44B.
        turn: Seat to act, with --hands; 0 if absent.
        beat: Play to be beaten, with --hands; the seat leads if absent.
        by: Seat that made that play; the one before --turn if absent.
        deal: In place of --hands: a deal in the game's notation.
        plays: All actions since that deal, separated by spaces: '44 PASS TT'.
        teams: Team of each seat, separated by commas: 0,1,1. By default the sides.
        seconds: Seconds after which the search ends.
        memory: GiB of memory for decided positions.
    """
    from closedhand.search import exact

    bound = common.bind(game, rules, option).flat  # the search is over whole plays
    if (hands is None) == (deal is None):
        raise InputError("give either --hands or --deal")
    if hands is not None and plays is not None:
        raise InputError("--plays is for --deal: with --hands leave it out")
    if deal is not None and (turn, beat, by) != (None, None, None):
        raise InputError("--turn, --beat and --by are for --hands: with --deal give --plays")
    seats = bound.num_players
    if hands is not None:
        # There may be fewer hands than seats: the line leaves out seats without a hand.
        cards = [plain(hand) for hand in hands.split(",")]
        state, seats = exact.place(bound, cards, turn or 0, beat, by), len(cards)
    else:
        actions = tuple(split_plays(bound, plays or ""))
        state = replay(Record(bound.name, stated_options(bound), actions, deal=deal))
    team_of_seat = None
    if teams is not None:
        most = bound.num_players - 1
        team_of_seat = [parse_whole(each, "a team", 0, most) for each in teams.split(",")]
    with common.progress_bar("searching", None):
        found = exact.endgame(
            bound, state, teams=team_of_seat, seconds=seconds, memory=int(memory * 2**30)
        )
    if as_json:
        common.print_json({
            "game": bound.name,
            "player": found.player,
            "value": found.value,
            "plays": [vars(play) for play in found.plays],
            "line": [{"player": player, "play": text} for player, text in found.line],
            "seconds": round(found.seconds, 6),
            "positions": found.positions,
        })  # fmt: skip
    else:
        _show(found, seats, bound.can_lose)
    if found.value is None:
        raise typer.Exit(1)


def _show(found: Any, seats: int, signed: bool) -> None:
    """Print a solution, its line for the first `seats` only; if `signed`, payoffs above 0 win."""

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
