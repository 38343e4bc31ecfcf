"""Records as the DeepRocket paper prints them, texts after `Cards:` and `Game process:`.

The two texts joined are a record in the paper's notation, see `notation.parse_record`. In print the
ten is also written 10, and a highlighted play stands between asterisks.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from closedhand.core.game import InputError
from closedhand.core.reading import filled_lines, first_line
from closedhand.core.records import LogReader, Replay
from closedhand.core.registry import flat_game
from closedhand.games.doudizhu.notation import parse_record

GAME = re.compile(r"Cards\s*:(.*?)Game process\s*:(.*)", re.DOTALL | re.IGNORECASE)
START = re.compile(r"(?=Cards\s*:)", re.IGNORECASE)


def replay_printed(path: Path) -> Iterator[Replay]:
    """Replay every game of a file, counted from 1; a faulty one sets the `error` of its replay."""
    text = "\n".join(line for _, line in filled_lines(path)).replace("*", "").replace("10", "T")
    game = flat_game("doudizhu", {})
    for number, part in enumerate(filter(str.strip, START.split(text)), 1):
        with Replay(number, unit="game") as found:
            texts = GAME.fullmatch(part)
            if texts is None:
                raise InputError("there is no `Game process:`")
            fields = [field.strip() for each in texts.groups() for field in each.split(";")]
            found.replay(parse_record(";".join(filter(None, fields)), game))
        yield found


PRINTED = LogReader(
    name="record as the DeepRocket paper prints it",
    recognises=lambda path: START.match(first_line(path)) is not None,
    replay=replay_printed,
)
