"""Study of records and positions: read, replay, judge play by play, and draw them."""

import io
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.core.files import SHIPPED
from closedhand.core.game import Game, InputError, State
from closedhand.core.optional_imports import imported
from closedhand.core.reading import lines
from closedhand.core.records import Record, Replay, parse_line, reader_of, replay
from closedhand.core.registry import flat_game
from closedhand.core.statistics import student
from closedhand.search.playout import playouts
from closedhand.web import open_hands, position_text
from closedhand.web.advice import judge, playouts_of, unit_of
from closedhand.web.serialization import describe, describe_action, prepare, seen_by
from closedhand.web.uploads import decoded, written

MOST_GAMES = 1000
"""Most games of a file that are listed."""
MOST_PLIES = 2000
PLAYOUTS = 200
"""Playouts for the value of a position to one seat."""
JUDGING = 0.6
"""Seconds for judging a play."""
FRAME = 900
"""Milliseconds for which an animation shows a position."""


def samples() -> list[str]:
    """List the names of the sample files of records in the package."""
    return sorted(path.name for path in SHIPPED.glob("*.jsonl"))


def games_in(data: str = "", sample: str | None = None) -> list[dict[str, Any]]:
    """List the games of a file in base64, or of a sample, in any format of records.

    A game that cannot be read has an `error` and otherwise empty fields.

    Raises:
        InputError: There is no such sample, the file is not base64, or no game can be read.
    """
    if sample is not None:
        if sample not in samples():
            raise InputError("there is no such sample")
        return [_listed(each) for each in islice(_parsed(SHIPPED / sample), MOST_GAMES)]
    with written(decoded(data, "the file")) as path:
        games = [_listed(each) for each in islice(_parsed(path), MOST_GAMES)]
    if all(game["error"] for game in games):
        raise InputError(games[0]["error"] if games else "there is no game in it")
    return games


def _parsed(path: Path) -> Iterator[Replay]:
    """Yield the games of a file with their errors; an error of the file itself comes last."""
    try:
        yield from _games_of(path)
    except InputError as wrong:
        told = str(wrong).removeprefix(f"{path}, ").replace(str(path), "the file")
        yield Replay(0, error=told)


def _games_of(path: Path) -> Iterator[Replay]:
    """Yield the games of a file with their errors; an `InputError` at a line that is not text.

    A log is replayed, since it may hold a game that no record can. The lines of other files are
    only parsed, which is fast: a record is replayed once it is chosen.
    """
    reader = reader_of(path)
    for each in reader.replay(path) if reader else ():
        yield each if each.record else replace(each, error=each.error or each.detail)
    for number, line in () if reader else lines(path):
        with Replay(number) as found:
            found.record = parse_line(line)
        yield found


def _listed(found: Replay) -> dict[str, Any]:
    record = found.record
    about = {"game": "", "agents": [], "returns": []} if record is None else listed(record)
    return {**about, "record": record and record.to_json(), "error": found.error or ""}


def listed(record: Record) -> dict[str, Any]:
    """Describe the players and the result of a game; unknown ones are empty lists."""
    return {
        "game": record.game,
        "agents": list(record.agents or ()),
        "returns": list(record.returns or ()),
    }


class Study:
    """A record, replayed."""

    def __init__(self, record: Record) -> None:
        """Replay a record; refuse an illegal one, and one of more than `MOST_PLIES` actions."""
        if len(record.actions) > MOST_PLIES:
            raise InputError(f"a replay has at most {MOST_PLIES:,} actions")
        self.record = record
        self.game: Game = flat_game(record.game, record.rules)  # its actions are whole plays
        self.states: list[State] = []  # the state before each action, and the last one
        end = replay(record, lambda state: self.states.append(state.copy()))
        self.states.append(end)
        prepare(self.game)
        # The seat that made each action, and its id.
        self.actors = [int(state["player"]) for state in self.states[:-1]]
        self.actions = [
            self.game.parse(text, state)
            for text, state in zip(record.actions, self.states, strict=False)
        ]

    def describe(self) -> dict[str, Any]:
        """Describe the game: players, result, all moves and sides."""
        moves = [
            {"player": actor, **describe_action(self.game, state, action)}
            for actor, action, state in zip(self.actors, self.actions, self.states, strict=False)
        ]
        return {
            **listed(self.record),
            "game": self.game.name,  # a record may write it with hyphens
            "record": self.record.to_json(),
            "players": self.game.num_players,
            "moves": moves,
            "sides": list(self.game.sides),
            "unit": unit_of(playouts_of(self.game).game),
            "solvable": open_hands.is_solvable(self.game),
        }

    def position(self, ply: int, seat: int) -> dict[str, Any]:
        """Describe the position after `ply` actions, as a seat (or `OPEN`) sees it."""
        state = self.states[ply]
        # The history is that of the current round. If it is empty, the slice keeps no actors.
        actors = self.actors[:ply][-len(self.game.history(state)) or len(self.actors) :]
        return describe(self.game, seen_by(self.game, state, seat), actors, legal=False)

    def judgements(self, seed: int) -> Iterator[dict[str, Any]]:
        """Yield a judgement of each position: the `values` of seats, and the cost of the action.

        The cost is `play`, from `judge`, and None at the end. In matches of several rounds `play`
        and `values` are None. `forced` is the position's entry of `open_hands.forced`, or None.
        """
        rng = np.random.default_rng(seed)
        forced = open_hands.forced(self.game, self.states)
        for ply in range(len(self.states)):
            found: dict[str, Any] = {
                "ply": ply,
                "values": self._values(ply, rng),
                "play": None,
                "forced": forced.get(ply),
            }
            if ply < len(self.actions) and self.game.rounds == 1:
                state, actor = self.states[ply], self.actors[ply]
                view, made = self.game.view(state, actor), self.actions[ply]
                found["play"] = judge(self.game, view, made, rng, JUDGING)
            yield found

    def _values(self, ply: int, rng: np.random.Generator) -> list[list[float]] | None:
        """Estimate `[payoff, half the 95% interval]` by seat; None in matches of several rounds."""
        if self.game.rounds > 1:
            return None
        how = playouts_of(self.game)
        playing, policy = how.game, how.policy
        state = self.states[ply]
        if self.game.over(state):
            return [[value, 0.0] for value in playing.returns(state).tolist()]
        # A deterministic policy would make all playouts alike.
        policy = policy.varied() if hasattr(policy, "varied") else policy
        values: list[list[float]] = []
        for player in range(self.game.num_players):
            states, out = np.repeat(np.array([state], playing.dtype), PLAYOUTS), np.empty(PLAYOUTS)
            playouts(policy, playing.rules, states, player, rng, playing.num_actions, out)
            (found,) = student(out[:, None])
            values.append([found.mean, found.high - found.mean])
        return values

    def picture(self, ply: int, seat: int) -> bytes:
        """Draw what a seat (or `serialization.OPEN`) sees as PNG; this needs Pillow."""
        out = io.BytesIO()
        self._image(ply, seat).save(out, "PNG", optimize=True)
        return out.getvalue()

    def animation(self, seat: int) -> bytes:
        """Draw all positions as an animated GIF; this needs Pillow."""
        first, *others = [self._image(ply, seat) for ply in range(len(self.states))]
        out = io.BytesIO()
        how = {"duration": FRAME, "loop": 0, "optimize": True}
        first.save(out, "GIF", save_all=True, append_images=others, **how)
        return out.getvalue()

    def _image(self, ply: int, seat: int) -> Any:
        from closedhand.envs.render import picture

        pillow = imported("PIL.Image")
        state = seen_by(self.game, self.states[ply], seat)[0]
        return pillow.fromarray(picture(self.game.scene(state), self.record.agents or ()))

    def text(self, ply: int) -> str:
        """Write the view of the player to act as text, for `position_text.read`."""
        state = self.states[ply]
        player = int(state["player"])
        hand, actions, public = self.game.knowledge(state, player)
        texts = [
            (self.game.text(each) if each >= 0 else "?") if isinstance(each, int) else each
            for each in actions
        ]
        return position_text.written(self.game, player, hand, texts, public)
