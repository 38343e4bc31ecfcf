"""Open hands of Dou Dizhu, for the exact search: positions, their keys, and the order of plays.

Payoffs are 1 and -1, whatever the stake. The order of plays:

1. A play of the whole hand wins, so that no other one is tried.
2. Plays that no main group of an opponent beats come before the others. Within each of these parts
   bombs come last, a leader tries plays of more cards first, and low ranks precede high ones.
3. A follower passes before it tries bombs that an opponent can beat.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from closedhand.core import bits
from closedhand.core.checks import InputError, check_text, whole_number
from closedhand.core.game import Game, State
from closedhand.core.numba.jit import kernel
from closedhand.core.registry import make_game
from closedhand.games.doudizhu import rules as flat
from closedhand.games.doudizhu.counts import RANKS, by_rank, pack, size
from closedhand.games.doudizhu.plays import ALL_FAMILIES, BOMB
from closedhand.games.doudizhu.state import SEATS
from closedhand.search.exact import Endgames

FIRST = 1 << 20
"""Addition to the score of a play that no opponent can beat; it exceeds all other scores."""


class Open(NamedTuple):
    """The policy of the exact search."""

    kernels = "closedhand.agents.doudizhu.endgames"


@kernel
def mixed(word):
    """Mix the bits of a uint64 by a bijection, the finaliser of MurmurHash3."""
    word = (word ^ (word >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    word = (word ^ (word >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return word ^ (word >> np.uint64(33))


@kernel
def position_key(policy, rules, state):
    """Return a hash of the hands, the play to beat, its owner, and who acts, as two uint64."""
    # Plays of the same standing are beaten by the same plays. 0 stands for a lead.
    target = np.uint64(0)
    if state.target >= 0:
        target = np.uint64(1 + rules.plays.standing[state.target])
    # Seats take two bits each. The two hashes mix in the hands differently, as the table of
    # `closedhand.search.alpha_beta` tells positions apart only by 126 bits of the hashes.
    rest = (target << np.uint64(4)) | np.uint64(state.player << 2) | np.uint64(state.owner)
    first, second = mixed(rest), mixed(~rest)
    for seat in range(SEATS):
        hand = np.uint64(state.hands[seat])
        first = mixed(first + hand)
        second = mixed((second ^ hand) * np.uint64(0x9E3779B97F4A7C15))
    return first, second


@kernel
def strongest(rules, state, family):
    """Return the highest main group of a family in an opponent's hand, kickers ignored, or -1."""
    own = state.player == state.landlord
    best = -1
    for seat in range(SEATS):
        if (seat == state.landlord) == own or state.left[seat] < family.copies * family.length:
            continue
        ranks = flat.lowest_ranks(family, state.hands[seat]) >> np.uint64(4 * family.rank)
        if ranks:
            best = max(best, family.first + bits.highest(ranks) // 4)
    return best


@kernel
def worthwhile(policy, rules, state, out):
    """Write legal actions to `out` in the module's order, or one that wins; return their number."""
    n = flat.legal(rules, state, out)
    left = state.left[state.player]
    plays = n - 1 if state.target >= 0 else n
    if plays == 0:
        return n
    for i in range(plays):
        if size(rules.plays.need[out[i]]) == left:
            out[0] = out[i]
            return 1
    # `best` has the highest main group of each family in an opponent's hand, -1 for none, -2 for
    # not looked up yet; `bomb` likewise for bombs and the rocket, which beat all other plays.
    best = np.full(ALL_FAMILIES, -2, np.int64)
    bomb = -1
    for f in range(BOMB, BOMB + 2):
        bomb = max(bomb, strongest(rules, state, rules.plays.families[f]))
    scores = np.empty(n, np.int64)
    for i in range(plays):
        g = np.int64(rules.plays.group[out[i]])
        f = np.int64(rules.plays.groups[g].family)
        if best[f] == -2:
            best[f] = strongest(rules, state, rules.plays.families[f])
        rank = g - rules.plays.families[f].first
        # 64 exceeds the difference of any two ranks: a leader's number of cards decides before the
        # rank. The pass (-500) follows all plays but bombs (-1000) that can be beaten.
        score = -rank
        is_bomb = flat.is_bomb(f)
        safe = (bomb if is_bomb else best[f]) <= g and (is_bomb or bomb < 0)
        if is_bomb:
            score -= 1000
        elif state.target < 0:
            score += 64 * size(rules.plays.need[out[i]])
        else:
            score += 64
        scores[i] = score + FIRST * safe
    if plays < n:
        scores[plays] = -500
    for i in range(1, n):  # a stable insertion sort, without new arrays
        action, score = out[i], scores[i]
        j = i
        while j > 0 and scores[j - 1] < score:
            out[j], scores[j] = out[j - 1], scores[j - 1]
            j -= 1
        out[j], scores[j] = action, score
    return n


def place(game: Game, hands: Sequence[str], turn: int, beat: str | None, by: int | None) -> State:
    """Build a full state from open hands; see `closedhand.search.exact.place`.

    Seat 0 is the landlord. Two hands are enough in a game of three: the other peasant then always
    passes. A hand has its ranks in any order, `33S`.

    Raises:
        InputError: The game has words, such as bids; or the hands, play or seat are impossible.
    """
    if game.rules.has_words:
        raise InputError("open hands have a landlord, seat 0: leave out the auction and doubling")
    if len(hands) not in (2, game.num_players):
        raise InputError(f"give two or three hands, not {len(hands)}")
    most = int(game.rules.options.hand + game.rules.options.public)
    state = game.empty(1)[0]
    for seat, text in enumerate(hands):
        cards = "".join(check_text(text, f"the hand of player_{seat}").split()).upper()
        if not cards:
            raise InputError(f"player_{seat} has no cards")
        if len(cards) > most:
            raise InputError(f"player_{seat} has {len(cards)} cards, but no hand more than {most}")
        state.hands[seat] = pack(cards, f"player_{seat}")
        state.left[seat] = len(cards)
    target = -1 if beat is None else game.parse(beat)
    if target == game.rules.plays.number - 1:
        raise InputError("a pass is not to be beaten: leave it out")
    held = by_rank(state.hands).sum(axis=0)  # not packed, where a sum of 16 would carry
    if beat is not None:
        held += by_rank(game.rules.plays.need[target])
    for i in np.flatnonzero(held > by_rank(np.uint64(game.rules.options.deck))):
        raise InputError(f"more cards {RANKS[i]} in hands and the play to beat than in the deck")
    if beat is None and by is not None:
        raise InputError("by is the seat of the play to beat: give that, too")
    owner = (turn - 1) % len(hands) if by is None else whole_number(by, "by is a seat, which")
    if not 0 <= owner < len(hands) or owner == turn:
        raise InputError(f"by is another seat with a hand, not {owner}")
    if len(hands) < SEATS:
        state.left[len(hands)] = 1  # a card that is never played, so that the game is not over
    state.player, state.target = turn, target
    state.owner = turn if beat is None else owner
    return state


def by_wins(game: Game) -> Game:
    """Return the game with payoffs 1 and -1."""
    return make_game("doudizhu", **{**game.options, "objective": "win"})


def teams(game: Game, state: State) -> Sequence[int]:
    """Return the side of each seat: 0 for the landlord, else 1; `game.sides` in an auction."""
    if state.landlord < 0:
        return game.sides
    return [int(seat != state.landlord) for seat in range(game.num_players)]


ENDGAMES = Endgames(place, by_wins, Open(), teams)
