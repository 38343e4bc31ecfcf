"""What a browser can ask for about records and positions."""

import base64
import secrets
from typing import Any

from closedhand.core.game import Game, InputError, State
from closedhand.core.parsing import OPTIONS, SEED, TEXT, list_of
from closedhand.web import advice, catalogue, position_text, runs, study
from closedhand.web.connection import Connection, request
from closedhand.web.hints import adviser, push_advice, push_worlds
from closedhand.web.lobby import bound_game
from closedhand.web.serialization import OPEN, WATCHING, describe
from closedhand.web.table import OBJECT, TRUTH


@request("runs")
async def _runs(visitor: Connection, given: dict[str, Any]) -> Any:
    return await visitor.house.think(runs.everything_in, visitor.house.runs)


@request("samples")
async def _samples(visitor: Connection, given: dict[str, Any]) -> Any:
    return study.samples()


@request("study", {}, {"text": TEXT, "data": TEXT, "sample": TEXT})
async def _study(visitor: Connection, given: dict[str, Any]) -> Any:
    visitor.records = await visitor.house.think(lambda: study.records_in(**given))
    return [study.listed(record) for record in visitor.records]


@request("replay", {"index": SEED})
async def _replay(visitor: Connection, given: dict[str, Any]) -> Any:
    if given["index"] >= len(visitor.records):
        raise InputError("there is no such game")
    visitor.stop("judge")
    visitor.study = await visitor.house.think(study.Study, visitor.records[given["index"]])
    return visitor.study.told()


def _studied(visitor: Connection, given: dict[str, Any]) -> tuple[study.Study, int, int]:
    """The study, and the number of actions and the seat that a message names.

    Raises:
        InputError: There is no study, or no such position.
    """
    if visitor.study is None:
        raise InputError("there is no game under study")
    ply = given.get("ply", 0)
    if ply >= len(visitor.study.states):
        raise InputError("the game has no such position")
    seat = given.get("seat")
    return visitor.study, ply, OPEN if seat is None else visitor.study.game.seat(seat)


@request("ply", {"ply": SEED}, {"seat": SEED})
async def _ply(visitor: Connection, given: dict[str, Any]) -> Any:
    found, ply, seat = _studied(visitor, given)
    return found.position(ply, seat)


@request("judge")
async def _judge(visitor: Connection, given: dict[str, Any]) -> Any:
    found, _, _ = _studied(visitor, given)
    visitor.start("judge", _judge_all(visitor, found))


async def _judge_all(visitor: Connection, found: study.Study) -> None:
    steps = found.judgements(secrets.randbits(31))
    async for one in visitor.follow(steps):
        visitor.push({"push": "judged", **one})
    visitor.push({"push": "judged", "ply": -1})


@request("ranked", {"ply": SEED})
async def _ranked(visitor: Connection, given: dict[str, Any]) -> Any:
    """What the plays of a position under study are worth to the player to act."""
    found, ply, _ = _studied(visitor, given)
    state = found.states[ply]
    if found.game.over(state):
        raise InputError("the game is over")
    player = int(state["player"])
    view = found.game.view(state, player)
    visitor.start("hint", push_advice(visitor, found.game, view, catalogue.usual(found.game.name)))
    visitor.start("worlds", push_worlds(visitor, found.game, view, player))


@request("text", {"ply": SEED})
async def _text(visitor: Connection, given: dict[str, Any]) -> Any:
    found, ply, _ = _studied(visitor, given)
    return found.text(ply)


@request("picture", {"ply": SEED}, {"seat": SEED, "all": TRUTH})
async def _picture(visitor: Connection, given: dict[str, Any]) -> Any:
    found, ply, seat = _studied(visitor, given)
    if given.get("all"):
        content = await visitor.house.think(found.animation, seat)
    else:
        content = await visitor.house.think(found.picture, ply, seat)
    return base64.b64encode(content).decode()


@request("playon", {"ply": SEED, "chairs": list_of(OBJECT)})
async def _play_on(visitor: Connection, given: dict[str, Any]) -> Any:
    found, ply, _ = _studied(visitor, given)
    start = found.states[0]
    table = await visitor.house.open(
        found.game.name,
        found.record.rules,
        given["chairs"],
        deal=found.game.deal_text(start),
        actions=found.actions[:ply],
    )
    return {"table": table.id, **table.links()}


@request("position", {"text": TEXT})
async def _position(visitor: Connection, given: dict[str, Any]) -> Any:
    """A pasted position, as what a person would type."""
    found = position_text.read(given["text"])
    facts = [
        f"{name}={value if isinstance(value, str) else repr(value)}"
        for name, value in found.facts.items()
    ]
    return {**found._asdict(), "actions": " ".join(found.actions), "facts": "\n".join(facts)}


@request(
    "analyse",
    {"game": TEXT, "options": OPTIONS, "player": SEED, "hand": TEXT, "actions": TEXT},
    {"public": OPTIONS, "by": TEXT},
)
async def _analyse(visitor: Connection, given: dict[str, Any]) -> Any:
    game, view, player, by, told = await visitor.house.think(_set_up, visitor, given)
    visitor.start("hint", push_advice(visitor, game, view, by))
    visitor.start("worlds", push_worlds(visitor, game, view, player))
    return told


def _set_up(visitor: Connection, given: dict[str, Any]) -> tuple[Game, State, int, str, Any]:
    """The position that a message describes, who gives advice, and what a browser is told."""
    game = bound_game(given["game"], given["options"])
    public = position_text.typed(game, given.get("public") or {})
    view = study.view_of(game, given["player"], given["hand"], given["actions"], public)
    player = game.seat(given["player"])
    advice.check_view(game, view, player)
    by = adviser(visitor, game, given)
    return game, view, player, by, describe(game, [view], _actors(game, view), legal=True)


def _actors(game: Game, view: State) -> list[int]:
    """Who acted, where nobody noted it: not known."""
    return [WATCHING] * len(game.history(view))
