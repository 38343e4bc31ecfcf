"""Files of fixed deals, one a line, for games that several agents play on the same deals.

A line is a deal in the game's notation, or a record, of which only the deal is used. Lines that
begin with `#` are comments. A file may also be a log for a `closedhand.core.records.LogReader`.
"""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from closedhand.core.checks import check_deals, check_seed, prefixed
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError, State
from closedhand.core.reading import MOST_DATA, beyond, checksum, limit, lines
from closedhand.core.records import (
    Record,
    flat_game,
    from_json,
    parse_line,
    reader_of,
    stated_options,
)

HEAD = "# deals of "
"""Beginning of a file by `write_deals`."""


@dataclass(frozen=True, eq=False)
class Deals:
    """The deals of a match or league: the first ones of its seed, or the states of a file.

    Attributes:
        number: Number of deals.
        fixed: States of the file, `game.dtype` [number]; None: the seed gives them.
        digest: Checksum of the file, by which results identify it; None: there is no file.
    """

    number: int
    fixed: np.ndarray | None
    digest: str | None

    def states(self, numbers: range) -> np.ndarray | None:
        """Return the states of deals by number, a range of step 1; None if the seed gives them."""
        return None if self.fixed is None else self.fixed[numbers.start : numbers.stop]


def choose_deals(deals: int | Deals, game: Game, what: str) -> Deals:
    """Check the argument `deals` of a match or league; messages call the match `what`.

    Raises:
        InputError: The number is not allowed, or the rules of the game do not allow a state.
    """
    if not isinstance(deals, Deals):
        return Deals(check_deals(deals, what), None, None)
    check_deals(deals.number, what)
    for number, state in enumerate(() if deals.fixed is None else deals.fixed, 1):
        if reason := game.valid(state):
            raise InputError(f"deal {number} is no deal of {game.name}: {reason}")
    return deals


def write_deals(path: Path, game: Game, number: int, seed: int = 0) -> str:
    """Write atomically the deals that a match with this seed plays; return the file's checksum.

    Raises:
        InputError: The number or the seed is not allowed, or the file cannot be written.
    """
    check_deals(number, "a file")
    check_seed(seed)
    options = ", ".join(f"{name}={value}" for name, value in game.options.items())
    deals = (game.deal(np.random.default_rng((seed, i))) for i in range(number))
    texts = [f"{HEAD}{game.name} ({options}), seed {seed}", *map(game.deal_text, deals)]
    write_atomically(path, "\n".join(texts) + "\n")
    return checksum(path)


def read_deals(path: Path, game: Game) -> Deals:
    """Read the deals of a file; its records may have been played with other options of the game.

    Raises:
        InputError: The file cannot be read, holds no deals or more than fit into `MOST_DATA`, or a
            line, or a game of a log, is not a deal of the game; the message states the number.
    """
    states: list[State] = []
    reader = reader_of(path)
    for number, given in lines(path) if reader is None else enumerate(reader.records(path), 1):
        with prefixed(f"{path}, {'line' if reader is None else 'game'} {number}"):
            states.append(_state_of(game, given))
        if len(states) * game.dtype.itemsize > limit(MOST_DATA):
            raise beyond(path, "its deals take", MOST_DATA)
    if not states:
        raise InputError(f"{path} holds no deals")
    return Deals(len(states), np.array(states, game.dtype), checksum(path))


def _state_of(game: Game, given: str | Record) -> State:
    if isinstance(given, str) and given.startswith("{"):
        given = from_json(given)
    if isinstance(given, str):
        try:
            return game.parse_deal(given)
        except InputError:
            # Perhaps the line is a record in the game's own notation: only its deal is used.
            with suppress(InputError):
                return _state_of(game, parse_line(given, game.name, **stated_options(game)))
            raise
    if given.game != game.name:
        raise InputError(f"it is a record of {given.game}, not of {game.name}")
    if given.deal is not None:
        return game.parse_deal(given.deal)
    own = flat_game(given.game, given.rules)  # the rules of the record decide what its seed deals
    return game.parse_deal(own.deal_text(own.deal(np.random.default_rng(given.seed))))
