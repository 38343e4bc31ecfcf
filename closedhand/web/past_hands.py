"""The past hands of the persons at a server's tables, in a file with a line for each hand.

A line is a JSON object. The last line about a hand counts; one without `FIELDS` deletes the hand.
"""

import json
import os
import time
from functools import partial
from pathlib import Path
from typing import Any

from closedhand.core.files import remove, write_atomically
from closedhand.core.game import InputError
from closedhand.core.parsing import NATURAL, NUMBER, TEXT, check_fields, list_of, parse_json
from closedhand.core.reading import read_content
from closedhand.web.guard import LOG
from closedhand.web.table import Table

MOST_BYTES = 4 * 2**20
"""Size of the file, about 3,000 hands, above which the older half of its hands is dropped."""
KEY = {"table": TEXT, "deal": NATURAL, "turn": NATURAL}
"""Fields that name a hand: the table, the number of the deal and the rotation of the players."""
FIELDS = {
    "time": NUMBER, "game": TEXT, "occupants": list_of(TEXT), "players": list_of(NATURAL),
    "persons": list_of(NATURAL), "returns": list_of(NUMBER), "record": TEXT,
}  # fmt: skip


class PastHands:
    """The hands of a file, `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, table: Table) -> None:
        """Keep a table's finished hand if a person plays, and all of it was played at the table."""
        if not table.persons or table.first:
            return
        try:
            record = table.record().to_json()
        except InputError:  # a game whose actions no record can hold
            record = ""
        hand = table.hands[-1]
        self._append(
            table,
            time=round(time.time(), 3),
            game=table.game.name,
            occupants=hand.occupants,
            players=hand.players,
            persons=table.persons,
            returns=hand.returns,
            record=record,
        )

    def take_back(self, table: Table) -> None:
        """Delete the hand of a table from the file: its end was undone, so it goes on."""
        self._append(table)

    def _append(self, table: Table, **fields: Any) -> None:
        """Append a line about a table's hand; without `fields` the line deletes the hand."""
        line = json.dumps({"table": table.id, "deal": table.deal, "turn": table.turn, **fields})
        try:
            # Private: the lines contain the plays of persons.
            with open(self.path, "ab+", opener=partial(os.open, mode=0o600)) as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
                # After an earlier write that was cut short, begin a new line: this hand is kept.
                start = b"" if file.read(1) in (b"", b"\n") else b"\n"
                file.write(start + line.encode() + b"\n")
            if self.path.stat().st_size > MOST_BYTES:
                found = self.listed()
                newer = reversed(found[: len(found) // 2])
                text = "".join(json.dumps(each) + "\n" for each in newer)
                write_atomically(self.path, text, private=True)
        except (InputError, OSError) as error:  # the game goes on without it
            LOG.warning("no past hand is kept: %s", error)

    def listed(self) -> list[dict[str, Any]]:
        """List the hands, the latest first, each with the fields `KEY` and `FIELDS`."""
        found: dict[tuple[str, int, int], dict[str, Any]] = {}
        # A damaged byte spoils no other line.
        text = read_content(self.path).decode(errors="replace") if self.path.exists() else ""
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            try:
                each = check_fields(parse_json(line), "a past hand", KEY, FIELDS)
            except InputError as error:
                LOG.warning("%s, line %d is no past hand: %s", self.path, number, error)
                continue
            key = each["table"], each["deal"], each["turn"]
            found.pop(key, None)  # the later line has the later place
            if FIELDS.keys() <= each.keys():
                found[key] = each
        return list(found.values())[::-1]

    def delete(self) -> None:
        """Delete all hands for good, or raise a `WriteError`."""
        remove(self.path)
