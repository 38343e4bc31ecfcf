"""Requests about records and positions."""

import base64
import secrets
from typing import Any

from closedhand.core.game import Game, InputError, State
from closedhand.core.records import parse_line
from closedhand.core.registry import make_game
from closedhand.search import exact
from closedhand.web import advice, open_hands, position_text, runs, study
from closedhand.web.connection import Connection
from closedhand.web.requests import Fields, request
from closedhand.web.requests.hints import push_advice, start_card_chances, start_endgame
from closedhand.web.serialization import OPEN, WATCHING, describe


@request("runs", independent=True)
async def _runs(connection: Connection) -> Any:
    lobby = connection.lobby
    return await lobby.in_thread(runs.everything_in, lobby.runs, lobby.ids)


@request("samples", independent=True)
async def _samples(connection: Connection) -> Any:
    return study.samples()


@request("study")
async def _study(connection: Connection, data: str = "", sample: str | None = None) -> Any:
    return await connection.lobby.in_thread(study.games_in, data, sample)


@request("replay")
async def _replay(connection: Connection, record: str) -> Any:
    connection.stop("judge")
    found = await connection.lobby.in_thread(lambda: study.Study(parse_line(record.strip())))
    connection.study = found
    return found.describe()


def _studied(connection: Connection, ply: int = 0) -> study.Study:
    """Return the study of a browser; refuse if it has none, or no position after `ply` actions."""
    if connection.study is None:
        raise InputError("there is no game under study")
    if ply >= len(connection.study.states):
        raise InputError("the game has no such position")
    return connection.study


def _seat(found: study.Study, seat: int | None) -> int:
    return OPEN if seat is None else found.game.seat(seat)


@request("ply")
async def _ply(connection: Connection, ply: int, seat: int | None = None) -> Any:
    found = _studied(connection, ply)
    return found.position(ply, _seat(found, seat))


@request("judge")
async def _judge(connection: Connection) -> None:
    connection.start("judge", _judge_all(connection, _studied(connection)))


async def _judge_all(connection: Connection, found: study.Study) -> None:
    """Push a judgement of each position, then a push with `ply` -1, and `error` after a failure."""
    end: dict[str, Any] = {"push": "judged", "ply": -1}
    try:
        for stage in ("hints", "endgames"):
            await connection.run_long(connection.lobby.preparation.wait, found.game.name, stage)
        steps = found.judgements(secrets.randbits(31))
        async for one in connection.follow(steps):
            connection.push({"push": "judged", **one})
    except Exception as error:
        end["error"] = connection.reason(error, "a judgement")
    connection.push(end)


@request("ranked")
async def _ranked(connection: Connection, ply: int, by: str = "") -> None:
    found = _studied(connection, ply)
    state = found.states[ply]
    if found.game.over(state):
        raise InputError("the game is over")
    view = found.game.view(state, int(state["player"]))
    _advise(connection, found.game, view, by, ply)


def _advise(connection: Connection, game: Game, view: State, by: str, about: int) -> None:
    connection.start("hint", push_advice(connection, game, view, by, about))
    start_card_chances(connection, game, view, int(view["player"]), about)


@request("endgame")
async def _endgame(connection: Connection, ply: int, long: bool = False) -> None:
    found = _studied(connection, ply)
    seconds = open_hands.LONG if long else open_hands.QUICK
    start_endgame(connection, found.game, found.states[ply], ply, seconds)


@request("place")
async def _place(
    connection: Connection, game: str, options: Fields, hands: list[str], turn: int,
    beat: str = "", by: int | None = None, about: int = 0,
) -> Any:  # fmt: skip
    """Describe a position of open hands, and push its exact result."""
    # An empty hand before another is left to `place`, which refuses it.
    while hands and not hands[-1].strip():
        hands = hands[:-1]

    def placed() -> tuple[Game, State, Any]:
        bound = connection.lobby.bind(game, options)
        state = exact.place(bound, hands, turn, beat or None, by)
        description = describe(bound, [state], [], legal=False)
        # A seat without a hand only passes: it is left out.
        description["rows"] = [row for row in description["rows"] if row["seat"] < len(hands)]
        return bound, state, description

    bound, state, description = await connection.lobby.in_thread(placed)
    start_endgame(connection, bound, state, about, open_hands.LONG, len(hands))
    return description


@request("text")
async def _text(connection: Connection, ply: int) -> Any:
    return _studied(connection, ply).text(ply)


@request("picture")
async def _picture(
    connection: Connection, ply: int, seat: int | None = None, all: bool = False
) -> Any:
    found = _studied(connection, ply)
    seat = _seat(found, seat)
    if all:
        content = await connection.lobby.in_thread(found.animation, seat)
    else:
        content = await connection.lobby.in_thread(found.picture, ply, seat)
    return base64.b64encode(content).decode()


@request("playon")
async def _play_on(connection: Connection, ply: int, seats: list[Fields]) -> Any:
    found = _studied(connection, ply)
    deal, actions = found.game.deal_text(found.states[0]), found.actions[:ply]
    table = await connection.lobby.open(
        found.game.name, found.record.rules, seats, deal=deal, actions=actions
    )
    return {"table": table.id, **table.links()}


@request("position")
async def _position(connection: Connection, text: str) -> Any:
    """Parse a pasted position into the fields of the page's form."""
    found = position_text.read(text)
    if found.game:
        found = found._replace(game=make_game(found.game).name)  # it may be written with hyphens
    facts = [
        f"{name}={value if isinstance(value, str) else repr(value)}"
        for name, value in found.facts.items()
    ]
    return {**found._asdict(), "actions": " ".join(found.actions), "facts": "\n".join(facts)}


@request("analyse")
async def _analyse(
    connection: Connection, game: str, options: Fields, player: int, hand: str, actions: str,
    public: Fields | None = None, by: str = "", about: int = 0,
) -> Any:  # fmt: skip
    """Describe the view of a position that a person has typed, and push hints."""

    def set_up() -> tuple[Game, State, Any]:
        bound = connection.lobby.bind(game, options)
        known = position_text.typed(bound, public or {})
        view = bound.view_from(player, hand, actions.split(), **known)
        advice.check_view(bound, view, bound.seat(player))
        actors = [WATCHING] * len(bound.history(view))  # nobody knows who acted
        return bound, view, describe(bound, [view], actors, legal=True)

    bound, view, description = await connection.lobby.in_thread(set_up)
    _advise(connection, bound, view, by, about)
    return description
