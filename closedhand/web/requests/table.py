"""Requests about games and tables."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from closedhand.core.game import InputError
from closedhand.core.registry import make_game
from closedhand.core.rulebook import rules_in_words
from closedhand.web import catalogue
from closedhand.web.connection import Connection
from closedhand.web.lobby import short_name
from closedhand.web.requests import Fields, request
from closedhand.web.serialization import without_files
from closedhand.web.table import PACE, Seat, pace_of


@request("games", for_owner=False, independent=True)
async def _games(connection: Connection) -> Any:
    return await connection.lobby.in_thread(catalogue.games)


@request("agents", for_owner=False, independent=True)
async def _agents(connection: Connection, game: str) -> Any:
    found = await connection.lobby.in_thread(catalogue.agents, game)
    if not connection.owner:
        return found  # agents of `added` name files of the owner
    added = connection.lobby.added.get(game, ())
    return [*found, *({"text": each, "microseconds": None} for each in added)]


@request("players", independent=True)
async def _players(connection: Connection, game: str, options: Fields) -> Any:
    return await connection.lobby.in_thread(lambda: make_game(game, **options).num_players)


@request("preparation", for_owner=False, independent=True)
async def _preparation(connection: Connection) -> Any:
    return connection.lobby.preparation.status()


@request("rules", for_owner=False, independent=True)
async def _rules(connection: Connection, game: str, language: str) -> Any:
    return [
        {
            "title": section.title,
            "text": section.text,
            "plays": [{"name": name, "cards": cards.split()} for name, cards in section.plays],
        }
        for section in rules_in_words(game, language)
    ]


@request("tables", independent=True)
async def _tables(connection: Connection) -> Any:
    newest = sorted(connection.lobby.listed(), key=lambda saved: -saved["changed"])
    return [_listed(each) for each in newest]


def _listed(saved: Mapping[str, Any]) -> dict[str, Any]:
    """Describe a saved table for its first person, or for spectators if agents alone play."""
    seats = [Seat(**seat) for seat in saved["seats"]]
    # The person who sat down first, at whichever seat a rotation has brought them.
    first = min((seat for seat in seats if seat.token), key=lambda seat: seat.player, default=None)
    total = None
    if first is not None:
        number = first.player
        total = sum(hand["returns"][hand["players"].index(number)] for hand in saved["hands"])
    return {
        "table": saved["table"],
        "game": saved["game"],
        "occupants": [seat.occupant for seat in seats],
        "token": first.token if first else saved["watch"],
        "hands": len(saved["hands"]),
        "changed": saved["changed"],
        "total": total,
    }


@request("past", independent=True)
async def _past(connection: Connection) -> Any:
    return await connection.lobby.in_thread(connection.lobby.past.listed)


@request("forget")
async def _forget(connection: Connection) -> None:
    connection.lobby.past.delete()


@request("open")
async def _open(
    connection: Connection, game: str, options: Fields, seats: list[Fields],
    seed: int | None = None, deal: str | None = None, pace: float = PACE, open: bool = False,
) -> Any:  # fmt: skip
    if seed is not None and seed >= 2**53:
        raise InputError("a seed has at most 53 bits")
    table = await connection.lobby.open(
        game, options, seats, seed=seed, deal=deal, pace=pace, hands_open=open
    )
    return {"table": table.id, **table.links()}


@request("join", for_owner=False)
async def _join(connection: Connection, table: str, token: str) -> Any:
    found = await connection.lobby.find(table)
    seat = found.seat_of(token) if found else None
    if found is None or seat is None:
        raise InputError("there is no such table, or its link is not valid")
    connection.join(found, token)
    return {"seat": seat, **(found.links() if connection.owner else {})}


@request("servers", independent=True)
async def _servers(connection: Connection) -> Any:
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


@request("take_seat")
async def _take_seat(connection: Connection, server: int, seat: Fields) -> None:
    connection.lobby.take_seat(server, seat)


@request("leave_seat")
async def _leave_seat(connection: Connection, server: int) -> None:
    match = connection.lobby.remote_matches.get(server)
    if match is None or match.end:
        raise InputError("no seat is taken there")
    match.leave()


@request("leave", for_owner=False)
async def _leave(connection: Connection) -> Any:
    connection.leave()


@request("play", for_owner=False)
async def _play(
    connection: Connection, version: int, action: int | None = None, text: str = ""
) -> None:
    table = connection.seated(version)
    game, state = table.game, table.state
    if not table.awaits(connection.seat):
        raise InputError("it is not your turn")
    if action is None:
        action = game.parse(text, game.view(state, connection.seat))
    if action >= game.num_actions or action not in game.legal(state):
        raise InputError("this is not a legal play now")
    table.play(int(action))
    connection.lobby.end(table)
    connection.lobby.changed(table)


@request("undo", for_owner=False)
async def _undo(connection: Connection) -> Any:
    table = connection.seated()
    was_over = table.over
    table.undo(connection.seat)
    if was_over and table.is_own:
        connection.lobby.past.take_back(table)
    connection.lobby.changed(table)


@request("again", for_owner=False)
async def _again(connection: Connection, same: bool) -> None:
    table = connection.seated()
    if not table.over and len(table.persons) > 1:
        raise InputError("this hand is not over")
    table.again(same)
    connection.lobby.changed(table)


@request("name", for_owner=False)
async def _name(connection: Connection, name: str) -> None:
    table, seat = connection.at_table(), connection.seat
    if seat < 0:
        raise InputError("you are only watching")
    table.seats[seat] = replace(table.seats[seat], name=short_name(name))
    connection.lobby.changed(table)


@request("pace", for_owner=False)
async def _pace(connection: Connection, seconds: float) -> None:
    table = connection.seated()
    table.pace = pace_of(seconds)
    connection.lobby.changed(table)


@request("step", for_owner=False)
async def _step(connection: Connection) -> Any:
    connection.lobby.drive(connection.seated(), step=True)


@request("drop")
async def _drop(connection: Connection, table: str) -> None:
    connection.lobby.drop(table)


@request("record", for_owner=False)
async def _record(connection: Connection) -> Any:
    table = connection.at_table()
    if not table.over:
        raise InputError("the record of a hand is for its end")
    record, files = table.record(), connection.private_agents(table)
    if record.agents is not None:
        agents = tuple(without_files(agent, files) for agent in record.agents)
        record = replace(record, agents=agents)
    return record.to_json()
