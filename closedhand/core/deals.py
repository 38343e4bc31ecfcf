"""Fixed deals: files of deals that anybody can play again, one a line.

A line is a deal in the game's notation, or a record, of which only the deal counts. Lines that
begin with `#` are comments. A file that a reader of the game knows (`core.records.LogReader`) is
read by it.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from closedhand.core.checks import check_deals, check_seed
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError, State
from closedhand.core.reading import MOST_DATA, beyond, checksum, limit, lines
from closedhand.core.records import Record, from_json, parse_line, reader_of, start, stated_options

HEAD = "# deals of "
"""Beginning of a file that `write_deals` writes."""


@dataclass(frozen=True, eq=False)
class Deals:
    """The deals of a file.

    Attributes:
        states: The states at their start, `game.dtype` [n].
        digest: Checksum of the file, which names it in results.
    """

    states: np.ndarray
    digest: str

    def __len__(self) -> int:
        return len(self.states)


@dataclass(frozen=True, eq=False)
class Chosen:
    """The deals of a comparison: a number of deals of its seed, or those of a file.

    Attributes:
        number: Number of deals.
        digest: Digest of the file; None if there is none.
        fixed: The states of the file; None if there is none.
    """

    number: int
    digest: str | None
    fixed: np.ndarray | None

    def states(self, numbers: range) -> np.ndarray | None:
        """Return the states of some of the deals; None if they are those of the seed."""
        return None if self.fixed is None else self.fixed[numbers.start : numbers.stop]


def choose_deals(deals: int | Deals, what: str) -> Chosen:
    """Read the argument `deals` of a comparison, `what`, which is for the message.

    Raises:
        InputError: Not a number of deals that is allowed.
    """
    if isinstance(deals, Deals):
        return Chosen(check_deals(len(deals), what), deals.digest, deals.states)
    return Chosen(check_deals(deals, what), None, None)


def write_deals(path: Path, game: Game, number: int, seed: int = 0) -> str:
    """Write the deals of a match with a seed, and return the digest of the file.

    The file appears complete or not at all.

    Args:
        path: The file.
        game: The game.
        number: Number of deals.
        seed: Seed of the deals, as of a match.

    Raises:
        InputError: The number or the seed is not allowed.
    """
    check_deals(number, "a file")
    check_seed(seed)
    options = ", ".join(f"{name}={value}" for name, value in game.options.items())
    texts = [f"{HEAD}{game.name} ({options}), seed {seed}"]
    for i in range(number):
        texts.append(game.deal_text(game.deal(np.random.default_rng((seed, i)))))
    write_atomically(path, "\n".join(texts) + "\n")
    return checksum(path)


def read_deals(path: Path, game: Game) -> Deals:
    """Read the deals of a file.

    Args:
        path: The file.
        game: The game that is to be played; records may have been played with other options.

    Raises:
        InputError: The file cannot be read, holds no deals or more than fit into `MOST_DATA`, or a
            line is not a deal of the game; the message states the number of the line.
    """
    states: list[State] = []
    for where, given in _entries(path, game):
        try:
            states.append(_state_of(game, given))
        except InputError as error:
            raise InputError(f"{path}, {where}: {error}") from None
        if len(states) * game.dtype.itemsize > limit(MOST_DATA):
            raise beyond(path, "its deals take", MOST_DATA)
    if not states:
        raise InputError(f"{path} holds no deals")
    return Deals(np.array(states, game.dtype), checksum(path))


def _entries(path: Path, game: Game) -> Iterator[tuple[str, str | Record]]:
    """Iterate over the deals of a file, as texts or in records, and their places in it."""
    reader = reader_of(path)
    if reader is not None:
        for number, record in enumerate(reader.records(path), 1):
            yield f"game {number}", record
        return
    for number, line in lines(path):
        yield f"line {number}", line


def _state_of(game: Game, given: str | Record) -> State:
    """Return the start of a deal."""
    if isinstance(given, str) and given.startswith("{"):
        given = from_json(given)
    if isinstance(given, str):
        try:
            return game.parse_deal(given)
        except InputError:
            # Perhaps it is a record in the game's own notation, which begins with the deal.
            with suppress(InputError):
                return _state_of(game, parse_line(given, game.name, **stated_options(game)))
            raise
    if given.game != game.name:
        raise InputError(f"it is a record of {given.game}, not of {game.name}")
    return start(game, given.deal, given.seed)
