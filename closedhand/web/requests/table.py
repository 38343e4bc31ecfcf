"""Requests about games and tables."""

from dataclasses import replace
from typing import Any

from closedhand.core.game import InputError
from closedhand.core.parsing import NATURAL, NUMBER, OPTIONS, TEXT, list_of
from closedhand.core.registry import load, spec_of
from closedhand.web import advice, catalogue
from closedhand.web.connection import Connection, request
from closedhand.web.hints import adviser, push_advice, push_card_chances
from closedhand.web.lobby import without_files
from closedhand.web.table import OBJECT, PACE, TRUTH, pace_of


@request("games", for_owner=False)
async def _games(connection: Connection, given: dict[str, Any]) -> Any:
    return await connection.lobby.in_thread(catalogue.games)


@request("agents", {"game": TEXT}, for_owner=False)
async def _agents(connection: Connection, given: dict[str, Any]) -> Any:
    lobby, name = connection.lobby, given["game"]
    found = await lobby.in_thread(catalogue.agents, name)
    if not connection.owner:
        return found  # the others name files of the owner
    added = [{"text": each, "microseconds": None} for each in lobby.added.get(name, ())]
    return [*found, *added]


@request("tables")
async def _tables(connection: Connection, given: dict[str, Any]) -> Any:
    return [
        {
            "table": each["table"],
            "game": each["game"],
            "occupants": [seat["agent"] or seat["name"] for seat in each["seats"]],
            "token": next((c["token"] for c in each["seats"] if c["token"]), each["watch"]),
            "hands": len(each["hands"]),
        }
        for each in connection.lobby.listed()[:50]
    ]


@request(
    "open",
    {"game": TEXT, "options": OPTIONS, "seats": list_of(OBJECT)},
    {"seed": NATURAL, "deal": TEXT, "pace": NUMBER, "open": TRUTH},
)
async def _open(connection: Connection, given: dict[str, Any]) -> Any:
    seed = given.get("seed")
    if seed is not None and seed >= 2**53:
        raise InputError("a seed has at most 53 bits")
    table = await connection.lobby.open(
        given["game"],
        given["options"],
        given["seats"],
        seed=seed,
        deal=given.get("deal"),
        pace=PACE if given.get("pace") is None else given["pace"],
        hands_open=bool(given.get("open")),
    )
    return {"table": table.id, **table.links()}


@request("join", {"table": TEXT, "token": TEXT}, for_owner=False)
async def _join(connection: Connection, given: dict[str, Any]) -> Any:
    table = await connection.lobby.find(given["table"])
    seat = table.seat_of(given["token"]) if table else None
    if table is None or seat is None:
        raise InputError("there is no such table, or its link is not valid")
    connection.join(table, given["token"])
    return {"seat": seat, **(table.links() if connection.owner else {})}


@request("servers")
async def _servers(connection: Connection, given: dict[str, Any]) -> Any:
    """List the servers of competitions, with the seats taken there."""
    lobby, found = connection.lobby, []
    for index, address in enumerate(lobby.servers):
        match = lobby.remote_matches.get(index)
        table = match.table if match else None
        found.append(
            {
                "game": address.game,
                "server": str(address),
                "occupant": match.seat.occupant if match else "",
                "waiting": match is not None and not table and not match.end,
                "trouble": match.end if match and (table is None or match.end) else "",
                "link": [table.id, table.seats[table.own].token or table.watch]
                if table and table.id in lobby.tables
                else None,
            }
        )
    return found


@request("take_seat", {"server": NATURAL, "seat": OBJECT})
async def _take_seat(connection: Connection, given: dict[str, Any]) -> Any:
    """Take a seat at the server of a competition, for a person or an agent."""
    connection.lobby.take_seat(given["server"], given["seat"])


@request("leave_seat", {"server": NATURAL})
async def _leave_seat(connection: Connection, given: dict[str, Any]) -> Any:
    """Give up the seat at the server of a competition, without waiting for an answer of it."""
    match = connection.lobby.remote_matches.get(given["server"])
    if match is None or match.end:
        raise InputError("no seat is taken there")
    match.leave()


@request("leave", for_owner=False)
async def _leave(connection: Connection, given: dict[str, Any]) -> Any:
    connection.leave()


@request("play", {"version": NATURAL}, {"action": NATURAL, "text": TEXT}, for_owner=False)
async def _play(connection: Connection, given: dict[str, Any]) -> Any:
    table = connection.seated()
    game, state = table.game, table.state
    if given["version"] != table.version:
        raise InputError("the table has changed")
    if not table.awaits(connection.seat):
        raise InputError("it is not your turn")
    action = given.get("action")
    if action is None:
        action = game.parse(given.get("text") or "", game.view(state, connection.seat))
    if action >= game.num_actions or action not in game.legal(state):
        raise InputError("this is not a legal play now")
    table.play(int(action))
    connection.lobby.changed(table)


@request("undo", for_owner=False)
async def _undo(connection: Connection, given: dict[str, Any]) -> Any:
    table = connection.seated()
    table.undo(connection.seat)
    connection.lobby.changed(table)


@request("again", {"same": TRUTH}, for_owner=False)
async def _again(connection: Connection, given: dict[str, Any]) -> Any:
    table = connection.seated()
    if not table.over and len(table.persons) > 1:
        raise InputError("this hand is not over")
    table.again(given["same"])
    connection.lobby.changed(table)


@request("pace", {"seconds": NUMBER}, for_owner=False)
async def _pace(connection: Connection, given: dict[str, Any]) -> Any:
    table = connection.seated()
    table.pace = pace_of(given["seconds"])
    connection.lobby.changed(table)


@request("step", for_owner=False)
async def _step(connection: Connection, given: dict[str, Any]) -> Any:
    connection.lobby.drive(connection.seated(), step=True)


@request("drop", {"table": TEXT})
async def _drop(connection: Connection, given: dict[str, Any]) -> Any:
    connection.lobby.drop(given["table"])


@request("record", for_owner=False)
async def _record(connection: Connection, given: dict[str, Any]) -> Any:
    table = connection.at_table()
    if not table.over:
        raise InputError("the record of a hand is for its end")
    record, files = table.record(), connection.kept_back(table.game.name)
    if record.agents is not None:
        agents = tuple(without_files(agent, files) for agent in record.agents)
        record = replace(record, agents=agents)
    return record.to_json()


@request("try", {"version": NATURAL, "text": TEXT}, for_owner=False)
async def _try(connection: Connection, given: dict[str, Any]) -> Any:
    """Check an arrangement of the hand: return its note and whether it is legal."""
    table = connection.seated()
    game, view = table.game, table.game.view(table.state, connection.seat)
    if given["version"] != table.version or not table.awaits(connection.seat):
        raise InputError("the table has changed")
    action = game.parse(given["text"], view)
    legal = action in game.legal(view)
    if legal:
        game.play(view, action)
    rows = [row for row in game.scene(view) if row.seat == connection.seat]
    return {"legal": legal, "note": rows[0].note if rows else ""}


@request("odds", {"parts": list_of(TEXT)}, for_owner=False)
async def _odds(connection: Connection, given: dict[str, Any]) -> Any:
    """Return the odds of the complete parts of a hand that is being arranged; None for others."""
    table = connection.seated()
    game, view = table.game, table.game.view(table.state, connection.seat)
    ref = spec_of(game.name).odds
    if ref is None:
        return []
    advice.check_view(game, view, connection.seat)
    found = await connection.lobby.in_thread(lambda: load(ref)(game, view, given["parts"]))
    return [each and each._asdict() for each in found]


@request("hint", {}, {"by": TEXT}, for_owner=False)
async def _hint(connection: Connection, given: dict[str, Any]) -> Any:
    table = connection.seated()
    view = table.game.view(table.state, connection.seat)
    advice.check_view(table.game, view, connection.seat)
    by = await connection.lobby.in_thread(adviser, connection, table.game, given)
    connection.start("hint", push_advice(connection, table.game, view, by))


@request("chances", for_owner=False)
async def _card_chances(connection: Connection, given: dict[str, Any]) -> Any:
    table = connection.seated()
    view = table.game.view(table.state, connection.seat)
    connection.start("chances", push_card_chances(connection, table.game, view, connection.seat))
