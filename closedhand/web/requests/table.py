"""What a browser can ask for about games and tables."""

from dataclasses import replace
from typing import Any

from closedhand.core.game import InputError
from closedhand.core.parsing import NUMBER, OPTIONS, SEED, TEXT, list_of
from closedhand.core.registry import load, spec_of
from closedhand.web import advice, catalogue
from closedhand.web.connection import Connection, request
from closedhand.web.hints import adviser, push_advice, push_worlds
from closedhand.web.lobby import called
from closedhand.web.table import OBJECT, PACE, TRUTH, pace_of


@request("games", for_owner=False)
async def _games(visitor: Connection, given: dict[str, Any]) -> Any:
    return await visitor.house.think(catalogue.games)


@request("agents", {"game": TEXT}, for_owner=False)
async def _agents(visitor: Connection, given: dict[str, Any]) -> Any:
    house, name = visitor.house, given["game"]
    found = await house.think(catalogue.agents, name)
    if not visitor.owner:
        return found  # the others name files of the owner
    added = [{"text": each, "microseconds": None} for each in house.added.get(name, ())]
    return [*found, *added]


@request("tables")
async def _tables(visitor: Connection, given: dict[str, Any]) -> Any:
    return [
        {
            "table": each["table"],
            "game": each["game"],
            "sitters": [chair["agent"] or chair["name"] for chair in each["chairs"]],
            "token": next((c["token"] for c in each["chairs"] if c["token"]), each["watch"]),
            "hands": len(each["hands"]),
        }
        for each in visitor.house.listed()[:50]
    ]


@request(
    "open",
    {"game": TEXT, "options": OPTIONS, "chairs": list_of(OBJECT)},
    {"seed": SEED, "deal": TEXT, "pace": NUMBER, "open": TRUTH},
)
async def _open(visitor: Connection, given: dict[str, Any]) -> Any:
    seed = given.get("seed")
    if seed is not None and seed >= 2**53:
        raise InputError("a seed has at most 53 bits")
    table = await visitor.house.open(
        given["game"],
        given["options"],
        given["chairs"],
        seed=seed,
        deal=given.get("deal"),
        pace=PACE if given.get("pace") is None else given["pace"],
        hands_open=bool(given.get("open")),
    )
    return {"table": table.id, **table.links()}


@request("join", {"table": TEXT, "token": TEXT}, for_owner=False)
async def _join(visitor: Connection, given: dict[str, Any]) -> Any:
    table = await visitor.house.find(given["table"])
    seat = table.seat_of(given["token"]) if table else None
    if table is None or seat is None:
        raise InputError("there is no such table, or its link is not valid")
    visitor.sit(table, given["token"])
    return {"seat": seat, **(table.links() if visitor.owner else {})}


@request("servers")
async def _servers(visitor: Connection, given: dict[str, Any]) -> Any:
    """The servers of competitions, and the seats taken there."""
    house, found = visitor.house, []
    for index, address in enumerate(house.servers):
        stay = house.stays.get(index)
        table = stay.table if stay else None
        found.append(
            {
                "game": address.game,
                "server": str(address),
                "sitter": stay.chair.sitter if stay else "",
                "waiting": stay is not None and not table and not stay.end,
                "trouble": stay.end if stay and (table is None or stay.end) else "",
                "link": [table.id, table.chairs[table.own].token or table.watch]
                if table and table.id in house.tables
                else None,
            }
        )
    return found


@request("sit", {"server": SEED, "chair": OBJECT})
async def _sit(visitor: Connection, given: dict[str, Any]) -> Any:
    """Take a seat at the server of a competition, for a person or an agent."""
    visitor.house.take_seat(given["server"], given["chair"])


@request("stand", {"server": SEED})
async def _stand(visitor: Connection, given: dict[str, Any]) -> Any:
    """Give up the seat at the server of a competition, also while that is silent."""
    stay = visitor.house.stays.get(given["server"])
    if stay is None or stay.end:
        raise InputError("no seat is taken there")
    stay.leave()


@request("leave", for_owner=False)
async def _leave(visitor: Connection, given: dict[str, Any]) -> Any:
    visitor.leave()


@request("play", {"version": SEED}, {"action": SEED, "text": TEXT}, for_owner=False)
async def _play(visitor: Connection, given: dict[str, Any]) -> Any:
    table = visitor.seated()
    game, state = table.game, table.state
    if given["version"] != table.version:
        raise InputError("the table has changed")
    if not table.awaits(visitor.seat):
        raise InputError("it is not your turn")
    action = given.get("action")
    if action is None:
        action = game.parse(given.get("text") or "", game.view(state, visitor.seat))
    if action >= game.num_actions or action not in game.legal(state):
        raise InputError("this is not a legal play now")
    table.play(int(action))
    visitor.house.changed(table)


@request("undo", for_owner=False)
async def _undo(visitor: Connection, given: dict[str, Any]) -> Any:
    table = visitor.seated()
    table.undo(visitor.seat)
    visitor.house.changed(table)


@request("again", {"same": TRUTH}, for_owner=False)
async def _again(visitor: Connection, given: dict[str, Any]) -> Any:
    table = visitor.seated()
    if not table.over and len(table.persons) > 1:
        raise InputError("this hand is not over")
    table.again(given["same"])
    visitor.house.changed(table)


@request("pace", {"seconds": NUMBER}, for_owner=False)
async def _pace(visitor: Connection, given: dict[str, Any]) -> Any:
    table = visitor.seated()
    table.pace = pace_of(given["seconds"])
    visitor.house.changed(table)


@request("step", for_owner=False)
async def _step(visitor: Connection, given: dict[str, Any]) -> Any:
    visitor.house.drive(visitor.seated(), step=True)


@request("drop", {"table": TEXT})
async def _drop(visitor: Connection, given: dict[str, Any]) -> Any:
    visitor.house.drop(given["table"])


@request("record", for_owner=False)
async def _record(visitor: Connection, given: dict[str, Any]) -> Any:
    table = visitor.at_table()
    if not table.over:
        raise InputError("the record of a hand is for its end")
    record, files = table.record(), visitor.kept_back(table.game.name)
    agents = None if record.agents is None else tuple(called(a, files) for a in record.agents)
    return replace(record, agents=agents).to_json()


@request("try", {"version": SEED, "text": TEXT}, for_owner=False)
async def _try(visitor: Connection, given: dict[str, Any]) -> Any:
    """What a placed hand is called, and whether it may be set."""
    table = visitor.seated()
    game, view = table.game, table.game.view(table.state, visitor.seat)
    if given["version"] != table.version or not table.awaits(visitor.seat):
        raise InputError("the table has changed")
    action = game.parse(given["text"], view)
    legal = action in game.legal(view)
    if legal:
        game.play(view, action)
    rows = [row for row in game.scene(view) if row.seat == visitor.seat]
    return {"legal": legal, "note": rows[0].note if rows else ""}


@request("odds", {"parts": list_of(TEXT)}, for_owner=False)
async def _odds(visitor: Connection, given: dict[str, Any]) -> Any:
    """What the parts of a hand are worth that is being sorted, as far as they are complete."""
    table = visitor.seated()
    game, view = table.game, table.game.view(table.state, visitor.seat)
    ref = spec_of(game.name).odds
    if ref is None:
        return []
    advice.check_view(game, view, visitor.seat)
    found = await visitor.house.think(lambda: load(ref)(game, view, given["parts"]))
    return [each and each._asdict() for each in found]


@request("hint", {}, {"by": TEXT}, for_owner=False)
async def _hint(visitor: Connection, given: dict[str, Any]) -> Any:
    table = visitor.seated()
    view = table.game.view(table.state, visitor.seat)
    advice.check_view(table.game, view, visitor.seat)
    by = await visitor.house.think(adviser, visitor, table.game, given)
    visitor.start("hint", push_advice(visitor, table.game, view, by))


@request("worlds", for_owner=False)
async def _worlds(visitor: Connection, given: dict[str, Any]) -> Any:
    table = visitor.seated()
    view = table.game.view(table.state, visitor.seat)
    visitor.start("worlds", push_worlds(visitor, table.game, view, visitor.seat))
