"""State-action pairs of recorded games of Dou Dizhu, the training data of the DeepRocket networks.

The paper (section 5.1) splits its game records into pairs and stores the networks' inputs. Here
only the games are kept in memory, as action ids. A batch of pairs is encoded when it is needed, by
replaying its games from the deal, which takes microseconds per pair.

A pair of the policy network is a decision with a choice: at least two legal main groups, the pass
among them. A pair of the kicker network is a kicker that was picked from at least two legal ones;
the kickers of a play are picked in ascending order (`games/doudizhu/substeps.py`). Forced moves
are omitted: nothing is learned from them, and they would inflate the accuracy.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from closedhand.agents.doudizhu.deeprocket.recorded import Games
from closedhand.core.game import InputError
from closedhand.core.numba.jit import kernel
from closedhand.core.threads import in_threads
from closedhand.games.doudizhu import planes, rules as flat, substeps
from closedhand.games.doudizhu.counts import DECK, contains, size
from closedhand.games.doudizhu.plays import GROUPS
from closedhand.games.doudizhu.state import SEATS, STATE, clear

KICKERS = substeps.FIRST_BID - GROUPS
"""The outputs of the kicker network: 15 solos, 13 pairs."""
KICKER_SIZE = planes.RANKS * substeps.ROWS * substeps.CHANNELS
MOST_KICKERS = 5
"""Maximum number of kickers of a play: five solos with a chain of five trios."""


class Batch(NamedTuple):
    """Encoded pairs.

    Attributes:
        planes: Planes, int8 [n, 15 * 19 * 21] for the policy network, int8 [n, 15 * 9 * 3] for the
            kicker network.
        status: Status vectors, int8 [n, 10].
        mask: Legal outputs, bool [n, 309] or [n, 28].
        label: Chosen outputs, int64 [n].
    """

    planes: np.ndarray
    status: np.ndarray
    mask: np.ndarray
    label: np.ndarray


def is_held_out(deals: np.ndarray, parts: int = 10) -> np.ndarray:
    """Mark the held-out deals, bool [n]: one in `parts` by a hash, the same in every file."""
    mixed = np.zeros(len(deals), np.uint64)
    for column in deals.T:
        # The finaliser of SplitMix64 spreads the few bits in which deals differ.
        mixed ^= column + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    return mixed % np.uint64(parts) == 0


@kernel
def start(rules, state, deal):
    """Start the game of a deal, uint64 [4]."""
    for seat in range(SEATS):
        state.hands[seat] = deal[seat]
    state.public = deal[3]
    state.seed = np.uint64(0)
    flat.begin(rules, state)


@kernel
def is_deal(deal):
    """Return whether four packed hands of 17, 17, 17 and 3 cards form a deck."""
    total = np.uint64(0)
    for i in range(4):
        if size(deal[i]) != (3 if i == 3 else 17) or not contains(DECK, deal[i]):
            return False
        total += deal[i]
    return total == DECK


@kernel
def index_games(rules, deals, actions, offsets, seats, first, kickers, rows):
    """Write the pairs of some games; return their number, or -1 - i if game i is illegal.

    Args:
        rules: Rules of the sub-stepped game.
        deals: Deals of all games.
        actions: Actions of all games.
        offsets: First index of the actions of each of these games, and the end of the last.
        seats: Seats whose decisions count in each of these games, as bits.
        first: Index of the first of these games.
        kickers: Whether to list the pairs of the kicker network instead of the policy network.
        rows: Output, int32 [m, 3]: game, move, kicker.
    """
    # The result -1 - i is negative for every game i, also for game 0.
    state = np.empty(1, STATE)[0]
    ids = np.empty(GROUPS, np.int32)
    n = 0
    for i in range(len(seats)):
        game = first + i
        if not is_deal(deals[game]):
            return -1 - game
        start(rules.flat, state, deals[game])
        for k in range(offsets[i], offsets[i + 1]):
            action = np.int64(actions[k])
            if not flat.is_legal(rules.flat, state, action, ids):
                return -1 - game
            if seats[i] >> state.player & 1:
                if kickers:
                    n = index_kickers(rules, state, action, game, k - offsets[i], ids, rows, n)
                elif substeps.legal(rules, state, ids) > 1:
                    rows[n, 0], rows[n, 1], rows[n, 2] = game, k - offsets[i], 0
                    n += 1
            flat.play(rules.flat, state, action)
    return n


@kernel
def index_kickers(rules, state, action, game, move, ids, rows, n):
    """Add the kickers of a play that had alternatives; return the new number of rows."""
    group = rules.flat.plays.groups[rules.flat.plays.group[action]]
    if group.kickers > 0:
        open_play(rules, state, action)
        for number in range(group.kickers):
            if substeps.legal_kickers(rules, state, ids) > 1:
                rows[n, 0], rows[n, 1], rows[n, 2] = game, move, number
                n += 1
            pick(rules, state, next_kicker(rules, state, action))
        clear(state)
    return n


@kernel
def open_play(rules, state, action):
    """Choose the main group of a flat play that has kickers."""
    state.group = rules.flat.plays.group[action]
    state.picks = rules.flat.plays.groups[state.group].kickers


@kernel
def next_kicker(rules, state, action):
    """Return the next kicker output, 0 to 27, of the flat play whose kickers are being picked."""
    group = rules.flat.plays.groups[state.group]
    rank = substeps.lowest_rank(rules.flat.plays.need[action] - group.need - state.picked)
    return rank if group.unit == 1 else rank + substeps.FIRST_PAIR - GROUPS


@kernel
def pick(rules, state, kicker):
    """Pick a kicker without completing the play."""
    if kicker < substeps.FIRST_PAIR - GROUPS:
        state.picked += np.uint64(1) << np.uint64(4 * kicker)
    else:
        rank = kicker - (substeps.FIRST_PAIR - GROUPS)
        state.picked += np.uint64(2) << np.uint64(4 * rank)
    state.picks -= 1


def index(
    games: Games, kind: str, progress: Callable[[int], object] = lambda done: None
) -> np.ndarray:
    """List all pairs of a network.

    Args:
        games: Recorded games.
        kind: `policy` or `kicker`.
        progress: Called with the number of games done.

    Returns:
        Rows of game, move (from 0) and kicker (from 0; always 0 for the policy network),
        int32 [m, 3], in the order of the games.

    Raises:
        InputError: A deal is invalid, or an action illegal.
    """
    found: dict[int, np.ndarray] = {}

    def work(piece: slice) -> None:
        offsets = games.offsets[piece.start : piece.stop + 1]
        room = int(offsets[-1] - offsets[0]) * (MOST_KICKERS if kind == "kicker" else 1)
        rows = np.empty((room, 3), np.int32)
        n = index_games(
            games.game.rules, games.deals, games.actions, offsets, games.seats[piece], piece.start,
            kind == "kicker", rows,
        )  # fmt: skip
        if n < 0:
            raise InputError(f"game {-1 - n} of the records is not legal")
        found[piece.start] = rows[:n].copy()

    in_threads(work, len(games.deals), progress)
    return np.concatenate([found[start] for start in sorted(found)])


@kernel
def encode_policy(rules, deals, actions, offsets, rows, out, masks, labels):
    """Encode pairs of the policy network.

    Args:
        rules: Rules of the sub-stepped game.
        deals: Deals of all games.
        actions: Actions of all games.
        offsets: First index of the actions of each game, and the end of the last.
        rows: Rows of `index`, int32 [n, 3].
        out: Output: planes and status, int8 [n, 5995].
        masks: Output: legal main groups, bool [n, GROUPS].
        labels: Output: main groups played, int64 [n].
    """
    state = np.empty(1, STATE)[0]
    ids = np.empty(GROUPS, np.int32)
    masks[:] = False
    for i in range(len(rows)):
        chosen = replay(rules.flat, state, deals, actions, offsets, rows[i])
        out[i] = 0
        planes.draw(rules.flat, state, state.player, out[i])
        for k in range(substeps.legal(rules, state, ids)):
            masks[i, ids[k]] = True
        labels[i] = rules.flat.plays.group[chosen]


@kernel
def encode_kickers(rules, deals, actions, offsets, rows, out, status, masks, labels):
    """Encode pairs of the kicker network.

    Args:
        rules: Rules of the sub-stepped game.
        deals: Deals of all games.
        actions: Actions of all games.
        offsets: First index of the actions of each game, and the end of the last.
        rows: Rows of `index`, int32 [n, 3].
        out: Output: planes, int8 [n, 405].
        status: Output: status vectors, int8 [n, planes.STATUS].
        masks: Output: legal kickers, bool [n, KICKERS].
        labels: Output: kickers picked, int64 [n].
    """
    state = np.empty(1, STATE)[0]
    ids = np.empty(GROUPS, np.int32)
    out[:] = 0
    status[:] = 0
    masks[:] = False
    for i in range(len(rows)):
        chosen = replay(rules.flat, state, deals, actions, offsets, rows[i])
        open_play(rules, state, chosen)
        for _ in range(rows[i, 2]):
            pick(rules, state, next_kicker(rules, state, chosen))
        substeps.draw_kickers(rules, state, out[i])
        planes.draw_status(rules.flat, state, state.player, status[i])
        for k in range(substeps.legal_kickers(rules, state, ids)):
            masks[i, ids[k] - GROUPS] = True
        labels[i] = next_kicker(rules, state, chosen)


@kernel
def replay(rules, state, deals, actions, offsets, row):
    """Play a game up to the move of a row; return the flat action that followed."""
    start(rules, state, deals[row[0]])
    first = offsets[row[0]]
    for k in range(first, first + row[1]):
        flat.play(rules, state, np.int64(actions[k]))
    return np.int64(actions[first + row[1]])


def encode(games: Games, kind: str, rows: np.ndarray) -> Batch:
    """Encode pairs.

    Args:
        games: Games of the rows.
        kind: `policy` or `kicker`.
        rows: Some rows of `index`, int32 [n, 3].
    """
    n = len(rows)
    rules = games.game.rules
    where = (games.deals, games.actions, games.offsets, rows)
    labels = np.empty(n, np.int64)
    if kind == "kicker":
        out = np.empty((n, KICKER_SIZE), np.int8)
        status = np.empty((n, planes.STATUS), np.int8)
        masks = np.empty((n, KICKERS), bool)
        encode_kickers(rules, *where, out, status, masks, labels)
        return Batch(out, status, masks, labels)
    out = np.empty((n, planes.SIZE), np.int8)
    masks = np.empty((n, GROUPS), bool)
    encode_policy(rules, *where, out, masks, labels)
    cells = planes.SIZE - planes.STATUS
    return Batch(out[:, :cells], out[:, cells:], masks, labels)
