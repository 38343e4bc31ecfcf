"""Published results, computed again from what ships with the package."""

from importlib.resources import as_file, files
from typing import NamedTuple

from closedhand.games.records import Record, flat_game, read, replay

SIDES = ("human", "DeepRocket")


class MatchRow(NamedTuple):
    """One deal of the DeepRocket paper's test match: a row of its Table 7.

    Attributes:
        number: Of the deal.
        stated: The landlord's score that the paper states, of the human and of DeepRocket.
        computed: The same, as replaying the two records gives it.
        completed: Plays and passes that the paper's record of the human's game lacks at its end and
            ours adds; nothing that is left there could change the score.
    """

    number: int
    stated: tuple[float, float]
    computed: tuple[float, float]
    completed: int


def deeprocket_records() -> list[Record]:
    """The paper's 22 games: Table 9, Table 10, and the two of section 5.4."""
    with as_file(files("closedhand") / "data" / "deeprocket_match.jsonl") as path:
        return list(read(path))


def deeprocket_match() -> list[MatchRow]:
    """The paper's Table 7, from the records of its Tables 8 to 10.

    Raises:
        InputError: A record is not legal or ends with another score than stated.
    """
    games: dict[tuple[int, str], tuple[float, float, int]] = {}
    for record in deeprocket_records():
        if "match" in record.extra:
            returns = flat_game(record.game, record.rules).returns(replay(record))
            stated = record.returns[0] if record.returns else 0.0
            key = (record.extra["match"], record.extra["landlord"])
            games[key] = (stated, float(returns[0]), record.extra.get("completed", 0))
    rows = []
    for number in range(1, 1 + len(games) // 2):
        human, machine = (games[number, side] for side in SIDES)
        completed = human[2] + machine[2]
        rows.append(MatchRow(number, (human[0], machine[0]), (human[1], machine[1]), completed))
    return rows
