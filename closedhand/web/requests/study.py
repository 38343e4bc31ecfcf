"""Requests about records and positions."""

import base64
import secrets
from typing import Any

from closedhand.core.game import Game, InputError, State
from closedhand.core.parsing import NATURAL, OPTIONS, TEXT, list_of
from closedhand.core.records import parse_line
from closedhand.search import exact
from closedhand.web import advice, open_hands, position_text, runs, study
from closedhand.web.connection import Connection, request
from closedhand.web.requests.hints import push_advice, start_card_chances, start_endgame
from closedhand.web.serialization import OPEN, WATCHING, describe
from closedhand.web.table import OBJECT, TRUTH


@request("runs", independent=True)
async def _runs(connection: Connection, given: dict[str, Any]) -> Any:
    return await connection.lobby.in_thread(runs.everything_in, connection.lobby.runs)


@request("samples", independent=True)
async def _samples(connection: Connection, given: dict[str, Any]) -> Any:
    return study.samples()


@request("study", {}, {"text": TEXT, "data": TEXT, "sample": TEXT})
async def _study(connection: Connection, given: dict[str, Any]) -> Any:
    return await connection.lobby.in_thread(lambda: study.games_in(**given))


@request("replay", {"record": TEXT})
async def _replay(connection: Connection, given: dict[str, Any]) -> Any:
    connection.stop("judge")
    connection.study = await connection.lobby.in_thread(
        lambda: study.Study(parse_line(given["record"].strip()))
    )
    return connection.study.describe()


def _studied(connection: Connection, given: dict[str, Any]) -> tuple[study.Study, int, int]:
    """Return the study of a browser, with the number of actions and the seat of a message."""
    if connection.study is None:
        raise InputError("there is no game under study")
    ply = given.get("ply", 0)
    if ply >= len(connection.study.states):
        raise InputError("the game has no such position")
    seat = given.get("seat")
    return connection.study, ply, OPEN if seat is None else connection.study.game.seat(seat)


@request("ply", {"ply": NATURAL}, {"seat": NATURAL})
async def _ply(connection: Connection, given: dict[str, Any]) -> Any:
    found, ply, seat = _studied(connection, given)
    return found.position(ply, seat)


@request("judge")
async def _judge(connection: Connection, given: dict[str, Any]) -> Any:
    found, _, _ = _studied(connection, given)
    connection.start("judge", _judge_all(connection, found))


async def _judge_all(connection: Connection, found: study.Study) -> None:
    """Push a judgement of each position, and at the end a number of -1, with an error if any."""
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


@request("ranked", {"ply": NATURAL}, {"by": TEXT})
async def _ranked(connection: Connection, given: dict[str, Any]) -> Any:
    """Push hints for the player to act in a position under study."""
    found, ply, _ = _studied(connection, given)
    state = found.states[ply]
    if found.game.over(state):
        raise InputError("the game is over")
    view = found.game.view(state, int(state["player"]))
    _advise(connection, found.game, view, given.get("by") or "", ply)


def _advise(connection: Connection, game: Game, view: State, by: str, about: int) -> None:
    """Push hints to the player to act in a view, and the chances of the cards of others."""
    connection.start("hint", push_advice(connection, game, view, by, about))
    start_card_chances(connection, game, view, int(view["player"]), about)


@request("endgame", {"ply": NATURAL}, {"long": TRUTH})
async def _endgame(connection: Connection, given: dict[str, Any]) -> Any:
    """Push the exact result of a position under study, with all hands open."""
    found, ply, _ = _studied(connection, given)
    seconds = open_hands.LONG if given.get("long") else open_hands.QUICK
    start_endgame(connection, found.game, found.states[ply], ply, seconds)


@request(
    "place",
    {"game": TEXT, "options": OPTIONS, "hands": list_of(TEXT), "turn": NATURAL},
    {"beat": TEXT, "by": NATURAL, "about": NATURAL},
)
async def _place(connection: Connection, given: dict[str, Any]) -> Any:
    """Describe a position of open hands, and push its exact result."""
    hands, by = [each for each in given["hands"] if each.strip()], given.get("by")

    def placed() -> tuple[Game, State, Any]:
        game = connection.lobby.bind(given["game"], given["options"])
        state = exact.place(game, hands, given["turn"], given.get("beat") or None, by)
        description = describe(game, [state], [], legal=False)
        # A seat without a hand only passes: it is left out.
        description["rows"] = [row for row in description["rows"] if row["seat"] < len(hands)]
        return game, state, description

    game, state, description = await connection.lobby.in_thread(placed)
    start_endgame(connection, game, state, given.get("about", 0), open_hands.LONG, len(hands))
    return description


@request("text", {"ply": NATURAL})
async def _text(connection: Connection, given: dict[str, Any]) -> Any:
    found, ply, _ = _studied(connection, given)
    return found.text(ply)


@request("picture", {"ply": NATURAL}, {"seat": NATURAL, "all": TRUTH})
async def _picture(connection: Connection, given: dict[str, Any]) -> Any:
    found, ply, seat = _studied(connection, given)
    if given.get("all"):
        content = await connection.lobby.in_thread(found.animation, seat)
    else:
        content = await connection.lobby.in_thread(found.picture, ply, seat)
    return base64.b64encode(content).decode()


@request("playon", {"ply": NATURAL, "seats": list_of(OBJECT)})
async def _play_on(connection: Connection, given: dict[str, Any]) -> Any:
    found, ply, _ = _studied(connection, given)
    start = found.states[0]
    table = await connection.lobby.open(
        found.game.name,
        found.record.rules,
        given["seats"],
        deal=found.game.deal_text(start),
        actions=found.actions[:ply],
    )
    return {"table": table.id, **table.links()}


@request("position", {"text": TEXT})
async def _position(connection: Connection, given: dict[str, Any]) -> Any:
    """Read a pasted position into the texts that a person would type."""
    found = position_text.read(given["text"])
    facts = [
        f"{name}={value if isinstance(value, str) else repr(value)}"
        for name, value in found.facts.items()
    ]
    return {**found._asdict(), "actions": " ".join(found.actions), "facts": "\n".join(facts)}


@request(
    "analyse",
    {"game": TEXT, "options": OPTIONS, "player": NATURAL, "hand": TEXT, "actions": TEXT},
    {"public": OPTIONS, "by": TEXT, "about": NATURAL},
)
async def _analyse(connection: Connection, given: dict[str, Any]) -> Any:
    game, view, description = await connection.lobby.in_thread(_set_up, connection, given)
    _advise(connection, game, view, given.get("by") or "", given.get("about", 0))
    return description


def _set_up(connection: Connection, given: dict[str, Any]) -> tuple[Game, State, Any]:
    """Build the view that a message describes; return also the game and the description."""
    game = connection.lobby.bind(given["game"], given["options"])
    public = position_text.typed(game, given.get("public") or {})
    view = game.view_from(given["player"], given["hand"], given["actions"].split(), **public)
    player = game.seat(given["player"])
    advice.check_view(game, view, player)
    actors = [WATCHING] * len(game.history(view))  # nobody knows who acted
    return game, view, describe(game, [view], actors, legal=True)
