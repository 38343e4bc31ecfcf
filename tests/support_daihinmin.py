"""Positions of Daihinmin: views with given cards, and duels."""

from typing import Any

import numpy as np

from closedhand import Game, make_game
from closedhand.agents.daihinmin.kou.strength import foes_of
from closedhand.core import contract
from closedhand.core.game import State
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin import card_sets, plays
from closedhand.games.daihinmin.notation import parse_cards
from closedhand.games.daihinmin.plays import DECK, JOKER

GAME = make_game("daihinmin")
PAIRS = "3s Td Th Kd Ks Ad As 2d 2h"
"""With these unseen a low pair has 100 - 4 x 4, a low triple 100."""


def position(hand: str, unseen: str, target: str = "", fields: str = "") -> Any:
    """The view of player 0, and fields of it such as `out=1 left=2`; others may hold `unseen`."""
    view = GAME.empty(1)[0]
    view.classes[:], view.places[:] = -1, -1
    own, others = parse_cards(hand), parse_cards(PAIRS if unseen == "PAIRS" else unseen)
    assert own & others == 0
    view.hands[0] = own
    view.played[4] = int(DECK) & ~own & ~others
    view.left[:], view.leader, view.owner, view.target = 9, 1, 0, -1
    if target:
        view.owner, view.target = 1, GAME.parse(target)
    for field in fields.split():
        view[field.partition("=")[0]] = int(field.partition("=")[2])
    view.left[0] = own.bit_count()
    return view


def legal_one_by_one(game: Game, state: State) -> list[int]:
    """All ids around those of actions that are legal, each asked for by itself."""
    legal: list[int] = _legal_one_by_one(game.rules, state, game.num_actions)
    return legal


@kernel
def _legal_one_by_one(rules: Any, state: Any, num_actions: int) -> Any:
    ids = np.empty(num_actions, np.int32)
    return [a for a in range(-2, num_actions + 2) if contract.is_legal(rules, state, a, ids)]


def foes(view: Any, lock: int = 0) -> Any:
    """What may stand against the plays of player 0; numbers as kernels have them."""
    found = foes_of(GAME.rules, view, view.revolution, 0, lock)
    return found._replace(cards=np.uint64(found.cards))


def duel(first: str, second: str, seed: int = 0) -> tuple[Game, State]:
    """Two players with these cards, the first one to lead; the others are out."""
    game = make_game("daihinmin")
    state = game.deal(np.random.default_rng(seed))
    hands = [parse_cards(first), parse_cards(second), 0, 0, 0]
    state.hands[:] = hands
    state.left[:] = [hand.bit_count() for hand in hands]
    state.played[:] = 0
    state.played[4] = int(DECK) & ~sum(hands)
    state.places[:] = -1, -1, 0, 1, 2
    state.out, state.leader, state.player, state.owner = 3, 4, 0, 0
    state.passed, state.moves = 0b11100, 100
    return game, state


def redealt(game: Game, view: State, player: int, rng: np.random.Generator) -> State:
    """`Game.redeal` after `keep_only`: it refuses a position that no game leads to."""
    state = view.copy()
    contract.redeal(game.rules, state, player, rng)
    return state


def keep_only(state: State, hands: dict[int, str], jokers: int = 1) -> None:
    """Let players have played all but these cards of their hands."""
    for player, text in hands.items():
        kept = np.uint64(parse_cards(text, jokers))
        state.played[player] |= state.hands[player] & ~kept
        state.hands[player] &= kept
        state.left[player] = int(kept).bit_count()


TABLE = plays.build()
TEXTS = plays.texts()
EXCHANGE = {"rounds": 3, "classes": "random"}


def wild(game: Game, seed: int, games: int) -> Any:
    """Positions of random play that prefers revolutions and the joker."""
    rng = np.random.default_rng(seed)
    flat = game.flat is game
    for _ in range(games):
        state = game.deal(rng)
        while not game.over(state):
            yield state
            legal = game.legal(state)
            needs = TABLE.need[legal] if flat else np.array([*card_sets.sets(), 0], "u8")[legal]
            rare = legal[(needs > 2**JOKER) | (np.bitwise_count(needs) >= 4)]
            game.play(state, int(rng.choice(rare if len(rare) else legal)))


def cards_of(hand: str) -> list[str]:
    """The cards of a hand as text."""
    cards = [hand[i : i + 2] for i in range(0, len(hand.rstrip("*")), 2)]
    return cards + ["*"] * hand.count("*")
