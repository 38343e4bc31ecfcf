"""Requests about games and tables.

Those that change a table have an empty answer: the lobby lets each connection push the table anew.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from closedhand.core.game import InputError
from closedhand.core.parsing import NATURAL, NUMBER, OPTIONS, TEXT, list_of
from closedhand.core.rulebook import rules_in_words
from closedhand.web import catalogue
from closedhand.web.connection import Connection, request
from closedhand.web.lobby import short_name
from closedhand.web.table import OBJECT, PACE, TRUTH, Seat, pace_of
from closedhand.web.table_view import without_files


@request("games", for_owner=False, independent=True)
async def _games(connection: Connection, given: dict[str, Any]) -> Any:
    return await connection.lobby.in_thread(catalogue.games)


@request("agents", {"game": TEXT}, for_owner=False, independent=True)
async def _agents(connection: Connection, given: dict[str, Any]) -> Any:
    lobby, name = connection.lobby, given["game"]
    found = await lobby.in_thread(catalogue.agents, name)
    if not connection.owner:
        return found  # the others name files of the owner
    added = [{"text": each, "microseconds": None} for each in lobby.added.get(name, ())]
    return [*found, *added]


@request("preparation", for_owner=False, independent=True)
async def _preparation(connection: Connection, given: dict[str, Any]) -> Any:
    """Say which games are not ready yet, and how far their preparation is."""
    return connection.lobby.preparation.status()


@request("rules", {"game": TEXT, "language": TEXT}, for_owner=False, independent=True)
async def _rules(connection: Connection, given: dict[str, Any]) -> Any:
    """Return the rules of a game in words, with the cards of the plays that they show."""
    return [
        {
            "title": section.title,
            "text": section.text,
            "plays": [{"name": name, "cards": cards.split()} for name, cards in section.plays],
        }
        for section in rules_in_words(given["game"], given["language"])
    ]


@request("tables", independent=True)
async def _tables(connection: Connection, given: dict[str, Any]) -> Any:
    return [
        {
            "table": each["table"],
            "game": each["game"],
            "occupants": [Seat(**seat).occupant for seat in each["seats"]],
            "token": next((c["token"] for c in each["seats"] if c["token"]), each["watch"]),
            "hands": len(each["hands"]),
            "changed": each["changed"],
            "total": _total(each),
        }
        for each in sorted(connection.lobby.listed(), key=lambda saved: -saved["changed"])
    ]


@request("past", independent=True)
async def _past(connection: Connection, given: dict[str, Any]) -> Any:
    """List the past hands of persons, the latest first."""
    return await connection.lobby.in_thread(connection.lobby.past.listed)


@request("forget")
async def _forget(connection: Connection, given: dict[str, Any]) -> Any:
    """Delete all past hands."""
    connection.lobby.past.delete()


def _total(saved: Mapping[str, Any]) -> float | None:
    """Sum the points of the first person of a saved table; None where agents alone play."""
    player = next((seat["player"] for seat in saved["seats"] if seat["token"]), None)
    if player is None:
        return None
    return sum(hand["returns"][hand["players"].index(player)] for hand in saved["hands"])


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


@request("servers", independent=True)
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
    """Play an action at the seat of the connection, given by its id or its text."""
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
    connection.lobby.end(table)
    connection.lobby.changed(table)


@request("undo", for_owner=False)
async def _undo(connection: Connection, given: dict[str, Any]) -> Any:
    table = connection.seated()
    was_over = table.over
    table.undo(connection.seat)
    if was_over and table.is_own:
        connection.lobby.past.take_back(table)
    connection.lobby.changed(table)


@request("again", {"same": TRUTH}, for_owner=False)
async def _again(connection: Connection, given: dict[str, Any]) -> Any:
    table = connection.seated()
    if not table.over and len(table.persons) > 1:
        raise InputError("this hand is not over")
    table.again(given["same"])
    connection.lobby.changed(table)


@request("name", {"name": TEXT}, for_owner=False)
async def _name(connection: Connection, given: dict[str, Any]) -> Any:
    """Name the person at the seat of the connection."""
    table, seat = connection.at_table(), connection.seat
    if seat < 0:
        raise InputError("you are only watching")
    table.seats[seat] = replace(table.seats[seat], name=short_name(given["name"]))
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
    record, files = table.record(), connection.private_agents(table.game.name)
    if record.agents is not None:
        agents = tuple(without_files(agent, files) for agent in record.agents)
        record = replace(record, agents=agents)
    return record.to_json()
