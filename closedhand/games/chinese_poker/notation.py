"""The notation of Chinese Poker: cards, hands, boards, deals and game records.

A card is its rank and suit, `As` or `Td`; a hand is thirteen cards without a separator. A board is
back, middle and front, `AsKs6s5s3s/QhQs8c3c2h/JsJd9h`. A deal is a hand for each player. A
record is a board for each player, which includes the deal. Semicolons separate the players.

Without a hand an arrangement names positions, from `a` for the highest card of the hand to `m` for
the lowest: `abcde/fghij/klm`. In sub-steps a back is `abcde`, and a front is `/fgh`, where `a` to
`h` are the eight cards left. Given a state, cards are written, and cards or positions are read; the
front may be left out of a board in cards. Any other text raises an `InputError`.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import combinations

import numpy as np

from closedhand.core.display import BLANK, Part, Row
from closedhand.core.game import Game, InputError, State
from closedhand.core.records import Record, stated_options
from closedhand.games.chinese_poker.explanations import EXPLANATIONS, EXPLANATIONS_SUBSTEPS
from closedhand.games.chinese_poker.plays import BACK, CARDS, FIVES, FRONTS, HAND, PARTS, names
from closedhand.games.chinese_poker.rules import begin, evaluate, over, returns
from closedhand.games.chinese_poker.state import HIDDEN, STATE, UNKNOWN, UNSET, Rules

LETTERS = "abcdefghijklm"
"""The positions in a hand, high to low."""

IDS = {card.upper(): i for i, card in enumerate(CARDS)}
Ids = dict[tuple[int, ...], int]
BACK_IDS: Ids = {back: i for i, back in enumerate(combinations(range(HAND), 5))}
"""The id of every set of five of the thirteen positions, ascending."""
FRONT_IDS: Ids = {front: i for i, front in enumerate(combinations(range(HAND - 5), 3))}
"""The id of every set of three of the eight positions outside a back, renumbered 0 to 7."""


def parse_cards(text: str) -> list[int]:
    """Parse different cards to ids in their order; spaces and commas between them are ignored."""
    compact = text.replace("10", "T").translate(str.maketrans("♣♦♥♠", "cdhs", " ,\t\n"))
    cards = []
    for i in range(0, len(compact), 2):
        card = IDS.get(compact[i : i + 2].upper())
        if card is None:
            raise InputError(f"{compact[i : i + 2]!r} is not a card: cards are 2c to As")
        if card in cards:
            raise InputError(f"{CARDS[card]} appears twice")
        cards.append(card)
    return cards


def parse_hand(text: str) -> np.ndarray:
    """Parse a hand, thirteen different cards, to their ids, high to low, int8 [13]."""
    cards = parse_cards(text)
    if len(cards) != HAND:
        raise InputError(f"a hand has {HAND} cards, not {len(cards)}")
    return np.array(sorted(cards, reverse=True), np.int8)


def cards_text(cards: Sequence[int] | np.ndarray) -> str:
    """Write cards, `AsKs`; `*` if one of them is `UNKNOWN`."""
    return "*" if UNKNOWN in cards else "".join(CARDS[card] for card in cards)


def board(tables: np.record, hand: Sequence[int] | np.ndarray, arrangement: int) -> list[list[int]]:
    """Return the card ids of an arranged hand's back, middle and front, each high to low."""
    cards = [int(hand[position]) for position in tables.positions[arrangement]]
    return [cards[:5], cards[5:10], cards[10:]]


def board_text(tables: np.record, hand: Sequence[int] | np.ndarray, arrangement: int) -> str:
    """Write an arranged hand in cards.

    Examples:
        >>> from closedhand import make_game
        >>> tables = make_game("chinese_poker").rules.tables
        >>> board_text(tables, parse_hand("AsKs6s5s3s QhQs8c3c2h JsJd9h"), 0)
        'AsKsQsQhJs/6s5s3s3c2h/Jd9h8c'
    """
    return "/".join(map(cards_text, board(tables, hand, arrangement)))


def parse_board(text: str) -> tuple[np.ndarray, int]:
    """Parse a board to its hand, ids high to low, int8 [13], and the id of its arrangement."""
    fields = text.split("/")
    if len(fields) != len(PARTS):
        raise InputError(f"a board has the form back/middle/front, not {text!r}")
    hand = parse_hand("".join(fields))
    positions = {int(card): i for i, card in enumerate(hand)}
    back, middle, front = ([positions[card] for card in parse_cards(field)] for field in fields)
    if (len(back), len(middle)) != (5, 5):
        raise InputError(f"a board has five cards in the back, five in the middle, not {text!r}")
    return hand, arrangement_id(back, front)


def arrangement_id(back: Iterable[int], front: Iterable[int] | None = None) -> int:
    """Return an arrangement's id by its positions; without `front`, the back's lowest id."""
    chosen = tuple(sorted(map(int, back)))
    if front is None:
        return FRONTS * BACK_IDS[chosen]
    others = [i for i in range(HAND) if i not in chosen]
    return FRONTS * BACK_IDS[chosen] + FRONT_IDS[tuple(sorted(map(others.index, front)))]


def letters_in(text: str) -> list[list[int]]:
    """Parse letters to positions, separately for each part; -1 for a letter that names none."""
    return [[LETTERS.find(letter) for letter in part] for part in text.strip().split("/")]


class Notation:
    """Text of actions, deals and tables."""

    explanations = EXPLANATIONS

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def text(self, action: int, state: State | None = None) -> str:
        """Write an action id: positions, or, given a state, the acting player's cards."""
        if state is not None:
            return board_text(self.rules.tables, state.hands[state.player], action)
        letters = "".join(LETTERS[i] for i in self.rules.tables.positions[action])
        return f"{letters[:5]}/{letters[5:10]}/{letters[10:]}"

    def parse(self, text: str, state: State | None = None) -> int:
        """Parse positions or, given a state, also the acting player's cards to an action id."""
        if state is None:
            return self.parse_positions(text)
        with suppress(InputError):
            return self.parse_positions(text)
        positions = {int(card): i for i, card in enumerate(state.hands[state.player])}
        for card in parse_cards(text.replace("/", "")):
            if card not in positions:
                raise InputError(f"{CARDS[card]} is not in the hand")
        parts = [[positions[card] for card in parse_cards(part)] for part in text.split("/")]
        return self.place(state, parts, text)

    def parse_positions(self, text: str) -> int:
        """Parse positions such as `abcde/fghij/klm` to an action id."""
        parts = letters_in(text)
        sizes = [len(part) for part in parts]
        if sizes == [5, 5, 3] and set().union(*parts) == set(range(HAND)):
            return arrangement_id(parts[0], parts[2])
        raise InputError(f"{text!r} is not an arrangement such as abcde/fghij/klm")

    def place(self, state: State, parts: list[list[int]], text: str) -> int:
        """Return the action id of the parts' positions; errors quote `text`, which named them."""
        sizes = [len(part) for part in parts]
        if sizes == [5, 5]:
            parts.append([i for i in range(HAND) if i not in parts[0] + parts[1]])
        elif sizes != [5, 5, 3]:
            form = "back/middle/front, 5, 5 and 3 cards"
            raise InputError(f"a board has the form {form}, not {text!r}")
        return arrangement_id(parts[0], parts[2])

    def deal_text(self, state: State) -> str:
        """Write the hands of all players; `*` for a hand that a view hides."""
        return ";".join(cards_text(hand) for hand in state.hands[: self.rules.players])

    def parse_deal(self, text: str) -> State:
        """Parse a deal, a hand for each player, to the state at its start."""
        fields = text.strip().rstrip(";").split(";")
        if len(fields) != self.rules.players:
            raise InputError(f"a deal must have {self.rules.players} hands, not {len(fields)}")
        state = np.zeros(1, STATE)[0]
        hands = [parse_hand(field) for field in fields]
        parse_cards("".join(map(cards_text, hands)))  # no card is in two hands
        for seat, hand in enumerate(hands):
            state.hands[seat] = hand
        begin(self.rules, state)
        return state

    def parts_of(self, state: State) -> tuple[Part, ...]:
        """Return back, middle and front with their sizes."""
        return (Part("back", 5), Part("middle", 5), Part("front", 3))

    def scene(self, state: State) -> list[Row]:
        """List a row a player: the board if set and known, else cards; at the end with payoffs."""
        players = range(self.rules.players)
        if not over(self.rules, state):
            return [self._row(state, seat, seat == state.player) for seat in players]
        points = np.zeros(len(players))
        returns(self.rules, state, points)
        rows = [self._row(state, seat, False) for seat in players]
        noted = zip(rows, points, strict=True)
        return [row._replace(note=f"{row.note}: {won:+g}") for row, won in noted]

    def _row(self, state: State, seat: int, active: bool) -> Row:
        hand, arrangement = state.hands[seat], state.history[seat]
        label = f"player_{seat}"
        if arrangement >= 0 and hand[0] != UNKNOWN:
            parts = board(self.rules.tables, hand, arrangement)
            cards = [[CARDS[card] for card in part] for part in parts]
            return Row(label, _spaced(cards), self.describe(hand, arrangement), active)
        if hand[0] == UNKNOWN:
            note = "has set a hand" if arrangement == HIDDEN else ""
            return Row(label, ("",) * HAND, note, active)
        if state.backs[seat] >= 0:
            chosen = self.rules.tables.positions[FRONTS * state.backs[seat], :5]
            left = [i for i in range(HAND) if i not in chosen]
            cards = [[CARDS[hand[i]] for i in part] for part in (chosen, left)]
            return Row(label, _spaced(cards), "the back is chosen", active)
        return Row(label, tuple(CARDS[card] for card in hand), "", active)

    def describe(self, hand: np.ndarray, arrangement: int) -> str:
        """Name the back, middle and front of an arranged hand, and say if they are a foul."""
        parts = np.empty(len(PARTS), np.int64)
        ordered = evaluate(self.rules, hand, arrangement, parts)
        texts = [names(part)[parts[part]] for part in range(BACK, -1, -1)]
        return " / ".join(texts) + ("" if ordered else ", a foul")


class SubstepNotation(Notation):
    """Text of sub-steps: a back `abcde`; a front `/fgh`, by places `a` to `h` in the cards left."""

    explanations = EXPLANATIONS_SUBSTEPS

    def parts_of(self, state: State) -> tuple[Part, ...]:
        """Return no parts: sub-steps are chosen from lists."""
        return ()

    def text(self, action: int, state: State | None = None) -> str:
        """Write an action id: positions, or, given a state, the cards if the back is known."""
        back = UNSET if state is None else state.backs[state.player]
        if state is None or (action >= FIVES and back < 0):  # a front whose back is not chosen
            if action < FIVES:
                return super().text(FRONTS * action)[:5]
            return "/" + "".join(LETTERS[i] for i in list(FRONT_IDS)[action - FIVES])
        tables, hand = self.rules.tables, state.hands[state.player]
        if action < FIVES:
            return cards_text(board(tables, hand, FRONTS * action)[0])
        return "/" + cards_text(board(tables, hand, FRONTS * back + action - FIVES)[2])

    def parse_positions(self, text: str) -> int:
        """Parse positions such as `abcde` or `/fgh` to an action id."""
        parts = [tuple(sorted(part)) for part in letters_in(text)]
        if len(parts) == 1 and parts[0] in BACK_IDS:
            return BACK_IDS[parts[0]]
        if len(parts) == 2 and not parts[0] and parts[1] in FRONT_IDS:
            return FIVES + FRONT_IDS[parts[1]]
        raise InputError(f"{text!r} is not a part such as abcde or /fgh")

    def place(self, state: State, parts: list[list[int]], text: str) -> int:
        """Return the action id of a back's or a front's positions; errors quote `text`."""
        sizes = [len(part) for part in parts]
        back = state.backs[state.player]
        if back == UNSET:
            if sizes != [5]:
                raise InputError(f"a back has five cards, not {text!r}")
            return arrangement_id(parts[0]) // FRONTS
        held = self.rules.tables.positions[FRONTS * back, :5]
        if sizes not in ([3], [0, 3]) or any(i in held for i in parts[-1]):
            raise InputError(f"a front has three cards that are not in the back, not {text!r}")
        return FIVES + arrangement_id(held, parts[-1]) % FRONTS


def _spaced(parts: list[list[str]]) -> tuple[str, ...]:
    """Join the cards of several parts in one row, with a gap between parts."""
    cards = [card for part in parts for card in (*part, BLANK)]
    return tuple(cards[:-1])


def parse_record(line: str, game: Game) -> Record:
    """Parse a record, a board for each player; whether the boards are legal is not checked."""
    boards = [field.strip() for field in line.strip().rstrip(";").split(";")]
    hands = [parse_board(text)[0] for text in boards]
    deal = game.deal_text(game.parse_deal(";".join(map(cards_text, hands))))
    return Record(game.name, stated_options(game), tuple(boards), deal=deal)
