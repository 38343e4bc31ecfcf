"""Positions with open hands, solved exactly for the page, see `closedhand.search.exact`."""

from collections.abc import Iterator
from typing import Any

from closedhand.core.game import Game, State
from closedhand.search import exact
from closedhand.web.serialization import describe_action

QUICK, LONG = 0.3, 10.0
"""Seconds of the search that starts by itself, and of the longer one that a person asks for."""
REVIEW = 3.0
"""Seconds of all searches in the review of a game."""
MEMORY = 2**27
"""Most bytes for the decided positions that a search keeps."""


def is_solvable(game: Game) -> bool:
    """Return whether positions of a game can be solved: players act in turn, in one round."""
    return not game.simultaneous and game.rounds == 1


def solved(game: Game, state: State, seconds: float, seats: int | None = None) -> dict[str, Any]:
    """Solve a position of a game without sub-steps, as far as the time allows.

    Only the first `seats`, by default all, have cards. The line leaves out passes of other seats.

    Returns:
        `player`, the seat to act; `low` and `high`, the bounds of its payoff; `teams` of the seats;
        `is_win`, whether payoffs are 1 and -1; `plays`, all legal ones with bounds, the best first;
        `line`, the best play and those after it, empty while bounds differ; `seconds`; `positions`.

    Raises:
        InputError: The players act at the same time, or the game is over.
    """
    seats = game.num_players if seats is None else seats
    found = exact.endgame(game, state, seconds=seconds, memory=MEMORY)
    plays = [
        {**describe_action(game, state, play.action), "low": play.low, "high": play.high}
        for play in found.plays
    ]
    return {
        "player": found.player,
        "low": found.low,
        "high": found.high,
        "teams": list(exact.teams_of(game, state)),
        "is_win": exact.paying(game).is_win_or_loss,
        "plays": plays,
        "line": [each for each in _followed(game, state, found) if each["player"] < seats],
        "seconds": round(found.seconds, 3),
        "positions": found.positions,
    }


def _followed(game: Game, state: State, found: exact.Endgame) -> Iterator[dict[str, Any]]:
    state = state.copy()
    for player, text in found.line if found.value is not None else ():
        action = game.parse(text, state)
        yield {"player": player, **describe_action(game, state, action)}
        game.play(state, action)


def forced(game: Game, states: list[State]) -> dict[int, dict[str, Any]]:
    """Find from which state on the result of a game was forced, with all hands open.

    `states` has the state before each action, then the last one. Positions are solved from the last
    action back, until one is not solved in `QUICK` seconds, or `REVIEW` seconds are over.

    Returns:
        By index of the state: `value`, the payoff to the player to act; `winners`, the seats with
        more than the payoff of a draw (0, or mid-range if no payoff is negative); and `line`, as in
        `solved`. Empty unless two teams play, or if not even the last position is solved.
    """
    found: dict[int, dict[str, Any]] = {}
    if not is_solvable(game):
        return found
    playing = exact.paying(game)
    draw = 0.0 if playing.can_lose else sum(playing.payoff_range) / 2
    left = REVIEW
    for ply in reversed(range(len(states) - 1)):
        if left <= 0 or len(set(exact.teams_of(game, states[ply]))) != 2:
            break
        each = solved(game, states[ply], min(QUICK, left))
        left -= each["seconds"]
        if each["low"] < each["high"]:
            break
        teams, player = each["teams"], each["player"]
        winners = [
            seat
            for seat, team in enumerate(teams)
            if each["low"] != draw and (team == teams[player]) == (each["low"] > draw)
        ]
        found[ply] = {"value": each["low"], "winners": winners, "line": each["line"]}
    return found
