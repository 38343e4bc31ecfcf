"""The tables of the Leduc family: the deck, the winners of showdowns, and the betting tree.

A node of the betting tree is a history of actions, and has the index of the node after each legal
action. The tables are built from the rules in `VARIANTS` and `moves`.
"""

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from closedhand.core.layout import record_type

ACTIONS = ("fold", "check", "call", "raise")
FOLD, CHECK, CALL, RAISE = range(len(ACTIONS))

S, T = 0, 1
"""The two players, by the names of the course slides; S acts first in both phases."""

ANTE = 1
CARDS = 18
KINDS = 8
BITS = 3  # that hold the id of a kind in `packed`
NODES = 85
"""Sizes of the tables: cards and kinds of the largest deck, nodes of the largest betting tree."""

NOBODY, SHOWDOWN = -1, -1
"""Value of `player` at the end of a game; value of `winner` where nobody has folded."""


class Variant(NamedTuple):
    """The rules of one member of the family."""

    deck: dict[str, int]  # number of cards of each kind, weakest first
    suited: bool  # whether suits count at a showdown
    raises: tuple[int, int]  # amounts by which a raise tops the larger bet, in phases 1 and 2
    reraisers: tuple[int, ...]  # who may raise when facing a bet; facing none, both may
    longest: int  # largest number of actions in a phase
    must_open: bool  # whether a player must raise or fold in phase 2 if both bets are the ante


RAISES_A_PHASE = 2
VARIANTS = {
    "uh": Variant(
        {"HJ": 2, "SJ": 2, "HQ": 3, "SQ": 3, "HK": 2, "SK": 2, "HA": 2, "SA": 2},
        suited=True,
        raises=(3, 3),
        reraisers=(T,),
        longest=3,
        must_open=True,
    ),
    "standard": Variant(
        {"HJ": 1, "SJ": 1, "HQ": 1, "SQ": 1, "HK": 1, "SK": 1},
        suited=False,
        raises=(2, 4),
        reraisers=(S, T),
        longest=4,
        must_open=False,
    ),
}
LONGEST = 2 * max(variant.longest for variant in VARIANTS.values())
"""Upper bound on the number of actions in a game of the family."""

NODE = np.dtype(
    [
        ("next", "i4", len(ACTIONS)),  # the node after each action, -1 where it is not legal
        ("player", "i4"),  # the player to act, NOBODY at the end of a game
        ("phase", "i4"),  # 1 or 2
        ("bets", "i4", 2),  # of S and T
        ("winner", "i4"),  # the winner after a fold, else SHOWDOWN
        # By turn, 0 before an action; then byte `action` is 1, counted from the lowest byte.
        # Phase 2 begins at turn `Variant.longest`.
        ("taken", "u4", LONGEST),
    ]
)
TABLES = record_type(
    [
        ("packed", "u8"),  # `deck` in one number, `BITS` a card, the first card lowest
        ("nodes", NODE, NODES),  # the betting tree, parents before children
        ("number", "i4"),  # number of nodes
        ("kinds", "i4"),  # number of kinds of cards; ids by strength, weakest first
        ("cards", "i4"),  # number of cards in the deck
        ("deck", "i4", CARDS),  # the kind of each card
        ("copies", "i4", KINDS),  # number of cards of each kind
        ("longest", "i4"),  # largest number of actions in a phase
        ("better", "i4", (KINDS, KINDS, KINDS)),  # [S's kind, T's kind, flop's]: sign of S's payoff
    ]
)


class Point(NamedTuple):
    """A node without its successors, which `moves` makes; `raised` counts raises in the phase."""

    phase: int = 1
    player: int = S
    bets: tuple[int, int] = (ANTE, ANTE)
    winner: int = SHOWDOWN
    raised: int = 0


def moves(variant: Variant, point: Point) -> dict[int, Point]:
    """Return the point to which each legal action leads; at the end of a game an empty dict."""
    phase, player, bets, _, raised = point
    if player == NOBODY:
        return {}
    own, other = bets[player], bets[1 - player]
    folded = Point(phase, NOBODY, bets, winner=1 - player)
    level = (max(bets), max(bets))
    closed = Point(2, S, level) if phase == 1 else Point(phase, NOBODY, level)
    top = max(bets) + variant.raises[phase - 1]
    raised_bets = (top, other) if player == S else (other, top)
    raising = Point(phase, 1 - player, raised_bets, raised=raised + 1)
    if own < other:
        may_raise = player in variant.reraisers and raised < RAISES_A_PHASE
        return {FOLD: folded, CALL: closed} | ({RAISE: raising} if may_raise else {})
    if variant.must_open and phase == 2 and own == ANTE:
        return {FOLD: folded, RAISE: raising}
    waiting = Point(phase, T, bets, raised=raised)
    return {CHECK: closed if player == T else waiting, RAISE: raising}


def betting(variant: Variant) -> np.ndarray:
    """Build the betting tree, `NODE` [nodes], parents before children."""
    points = [Point()]
    taken = [[0] * LONGEST]
    following: list[list[int]] = []
    # The lists grow during the iteration.
    for point, before in zip(points, taken, strict=True):
        row = [-1] * len(ACTIONS)
        for action, successor in moves(variant, point).items():
            row[action] = len(points)
            points.append(successor)
            turn = before.index(0, (point.phase - 1) * variant.longest)
            taken.append([*before[:turn], 1 << 8 * action, *before[turn + 1 :]])
        following.append(row)
    nodes = np.zeros(len(points), NODE)
    nodes["next"], nodes["taken"] = following, taken
    for field in ("phase", "player", "bets", "winner"):
        nodes[field] = [getattr(point, field) for point in points]
    return nodes


def showdown(variant: Variant, pair: str, double_pair: str, own: str, other: str, flop: str) -> int:
    """Return 1 if the card `own` beats the card `other` at this flop, -1 if it loses, 0 for a tie.

    Cards are texts such as `SK`; `pair` and `double_pair` are the options of `game.OPTIONS`.
    """
    order = list(variant.deck)

    def strength(card: str) -> int:
        return order.index(card) if variant.suited else order.index("H" + card[1])

    def paired(card: str) -> bool:
        return card == flop if pair == "card" else card[1] == flop[1]

    if paired(own) != paired(other):
        return 1 if paired(own) else -1
    if paired(own) and double_pair == "split":
        return 0
    return int(np.sign(strength(own) - strength(other)))


@cache
def build(preset: str, pair: str, double_pair: str) -> np.record:
    """Build all tables of one member of the family, a record of `TABLES`."""
    variant = VARIANTS[preset]
    kinds = list(variant.deck)
    nodes = betting(variant)
    tables = np.zeros(1, TABLES)[0]
    tables.nodes[: len(nodes)] = nodes
    tables.number = len(nodes)
    tables.kinds = len(kinds)
    tables.cards = sum(variant.deck.values())
    tables.deck[: tables.cards] = np.repeat(range(len(kinds)), list(variant.deck.values()))
    tables.packed = sum(int(kind) << BITS * i for i, kind in enumerate(tables.deck))
    tables.copies[: len(kinds)] = list(variant.deck.values())
    tables.longest = variant.longest
    for own, other, flop in product(range(len(kinds)), repeat=3):
        cards = kinds[own], kinds[other], kinds[flop]
        tables.better[own, other, flop] = showdown(variant, pair, double_pair, *cards)
    return tables


def name(node: np.void | np.record) -> str:
    """Name a betting node as on the course slides, without the cards.

    The name is the player, the phase and the two bets (`s1,1,4`); at the end `WL7` for a showdown
    with bets of 7, `PS4` if S wins 4 because T folds. Several nodes may share a name.
    """
    bets = node["bets"]
    if node["player"] >= 0:
        return f"{'st'[node['player']]}{node['phase']},{bets[S]},{bets[T]}"
    if node["winner"] == SHOWDOWN:
        return f"WL{bets[S]}"
    return f"P{'ST'[node['winner']]}{bets[1 - node['winner']]}"


def graph(tables: np.record) -> dict[str, dict[str, str]]:
    """Return the state graph of the course slides: by state and action, the next state's name.

    Nodes of the same `name` are one state, although a player who remembers the betting can tell
    them apart: UH-Leduc has 23 nodes with a player to act, and 16 states.
    """
    states: dict[str, dict[str, str]] = {}
    for node in tables.nodes[: tables.number]:
        if node["player"] < 0:
            continue
        edges = {
            ACTIONS[action]: name(tables.nodes[following])
            for action, following in enumerate(node["next"])
            if following >= 0
        }
        states.setdefault(name(node), {}).update(edges)
    return states
