"""The notation of Daihinmin: plays, deals and records of rounds.

A play is its cards by rank, then suit: `5c5h`, `7s8s9s`. The joker is a star: after the card that
it stands for (`5c5h*`, `7s8s*9s`), after a plus as the fifth card of a group (`5c5d5h5s+*`), as
`_c*` in a kaidan below the 3 or above the 2 (`_c*3c4c`, `Ac2c_c*`), or alone (`*`). Two jokers are
written alike: `5c5d*5h*`, `5c*5d5h5s+*`, and `**` for the pair. The pass is `PASS`. In the exchange
an action is one card, and so it is when cards are handed on after 7s or 10s.

A deal is `seats;classes;` and the hands by player, as they were before the exchange. Seats are the
players in seat order (`01234`). Classes are given by player, from 0 for the daifugo to the number
of the last place for the daihinmin, or as `-` in a round without classes. In later rounds of a
match a further field gives the round, counted from 0, and the points before it: `3:12,9,6,9,9`. A
record is a deal and all actions, separated by semicolons. Any other text raises an `InputError`.
"""

from contextlib import suppress
from functools import cached_property

import numpy as np

from closedhand.core.display import BLANK, Row
from closedhand.core.game import Game, InputError, State
from closedhand.core.notation import TableNotation
from closedhand.core.parsing import parse_whole
from closedhand.core.records import Record, stated_options
from closedhand.games.daihinmin import card_sets, plays
from closedhand.games.daihinmin.cards import are_disjoint, together, without
from closedhand.games.daihinmin.exchange import loser, winner
from closedhand.games.daihinmin.explanations import explanations_of
from closedhand.games.daihinmin.plays import CARDS, JOKER, cards_in, cards_text
from closedhand.games.daihinmin.rules import begin, over
from closedhand.games.daihinmin.seven_ten_rules import due_of, own_of
from closedhand.games.daihinmin.state import CLASSES, PLAYERS, TITLES, Rules
from closedhand.games.daihinmin.tricks import is_back, is_reversed

IDS = {card.upper(): i for i, card in enumerate(CARDS)}


def parse_cards(text: str, jokers: int = 1) -> int:
    """Parse cards to a set, no card twice; spaces are ignored."""
    cards, rest = 0, "".join(text.split())
    while rest:
        length = 1 if rest[0] == "*" else 2
        card, rest = rest[:length], rest[length:]
        i = IDS.get(card.upper())
        if i is None:
            raise InputError(f"{card!r} is not a card: cards are 3c to 2s, and * for the joker")
        if i == JOKER and cards >> i & 1 and jokers > 1:
            i += 1
        if cards >> i & 1:
            raise InputError(
                f"{CARDS[i]} appears twice" if i <= JOKER else "there are two jokers only"
            )
        cards |= 1 << i
    return cards


def dealt(state: State) -> list[int]:
    """Return the hands before the exchange, sets of cards by player."""
    hands = [own_of(state, player, state.hands[player]) for player in range(len(state.hands))]

    def move(cards: np.uint64, giver: int, taker: int) -> None:
        hands[giver] = without(state, hands[giver], cards)
        hands[taker] = together(state, hands[taker], cards)

    if state.classes[0] >= 0:
        # Undo the exchange: first the cards returned, unless only chosen so far; then the taxes.
        for pair in range(len(state.taxed)):
            taking, giving = winner(state, pair), loser(state, pair)
            if not without(state, state.returned[pair], hands[giving]):  # they have been given
                move(state.returned[pair], giving, taking)
            move(state.taxed[pair], taking, giving)
    return [int(hand) for hand in hands]


class Notation(TableNotation):
    """Text of actions, deals and tables; with `sets` actions are sets of cards, the joker last."""

    actions = "an action such as 5c5h, 7s8s*9s, * or PASS"

    def __init__(self, rules: Rules, sets: bool = False) -> None:
        self.rules = rules
        self.players = int(rules.options.players)
        self.jokers = int(rules.options.jokers)
        self.explanations = explanations_of(rules, sets)
        self._sets = card_sets.sets(self.players) if sets else None

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The notation of every action id."""
        if self._sets is not None:
            return tuple(cards_text(cards) or "PASS" for cards in self._sets)
        return plays.texts(self.players, self.jokers)

    def deal_text(self, state: State) -> str:
        """Write the deal from which `state`, at any point of a round, started."""
        seats = "".join(map(str, state.seats))
        classes = "".join(map(str, state.classes)) if state.classes[0] >= 0 else "-"
        fields = [seats, classes, *map(cards_text, dealt(state))]
        if state.round_number > 0:
            fields.append(f"{state.round_number}:{','.join(map(str, points_before(state)))}")
        return ";".join(fields)

    def parse_deal(self, text: str) -> State:
        """Parse a deal to the state at the start of its round."""
        fields = [field.strip() for field in text.strip().rstrip(";").split(";")]
        players = self.players
        if len(fields) not in (2 + players, 3 + players):
            raise InputError(
                f"a deal is seats;classes and {players} hands, not {len(fields)} fields"
            )
        state = np.zeros(1, self.rules.state_type)[0]
        state.seats[:] = permutation(fields[0], "seats", players)
        state.classes[:] = -1 if fields[1] == "-" else permutation(fields[1], "classes", players)
        hands = [parse_cards(field, self.jokers) for field in fields[2 : 2 + players]]
        sizes = plays.sizes_dealt(players, self.jokers)
        if sorted(hand.bit_count() for hand in hands) != sorted(sizes):
            raise InputError(f"the hands have {sizes} cards, in any order")
        if not are_disjoint(hands, self.jokers):
            raise InputError(f"the {players} hands do not hold every card once")
        state.hands[:] = hands
        if len(fields) > 2 + players:
            state.round_number, state.points[:] = self._standing(fields[-1])
        state.seed = 1 + hash(tuple(hands)) % 2**53
        begin(self.rules, state)
        return state

    def _standing(self, field: str) -> tuple[int, list[int]]:
        """Parse the last field of a deal to the round and the points before it."""
        place, _, points = field.partition(":")
        number, before = 0, list[int]()
        with suppress(InputError):
            before = [parse_whole(each, "points") for each in points.split(",")]
            number = parse_whole(place, "a round")
        rounds = self.rules.options.rounds
        if not (0 < number < rounds and len(before) == self.players and may_stand(before, number)):
            raise InputError(f"{field!r} is not a round of {rounds} such as 3:12,9,6,9,9")
        return number, before

    def cards_of(self, action: int, state: State) -> tuple[str, ...]:
        """List the cards of a play or set, or the card that is given away."""
        return tuple(cards_in((self._sets or self.rules.plays.need)[action]))

    def scene(self, state: State) -> list[Row]:
        """Return the table: a row for each player in seat order, then the play to beat."""
        return [self._row(state, int(player)) for player in state.seats] + [self._middle(state)]

    def _row(self, state: State, player: int) -> Row:
        hand = cards_in(state.hands[player])
        hidden = [""] * (int(state.left[player]) - len(hand))
        role, title = self._title(state.classes[player]), self._title(state.places[player])
        note = f"is {title}" if title else "passed" if state.passed >> player & 1 else ""
        active = bool(player == state.player and not over(self.rules, state))
        # While a player hands on cards, after 7s or 10s, there is no play to beat: show none.
        last = () if due_of(state) else tuple(cards_in(self._last_play(state, player)))
        return Row(
            f"player_{player} {role}".rstrip(), (*hand, *hidden) or (BLANK,), note, active, last,
            role, (note,) if note else (),
        )  # fmt: skip

    def _title(self, place: int) -> str:
        """Name a place; an empty text for -1, a player without one."""
        return CLASSES[TITLES[self.players][place]] if place >= 0 else ""

    def _last_play(self, state: State, player: int) -> int:
        """Return the cards of a player's last play in this trick, a set; 0 if there is none."""
        need, there = self.rules.plays.need, int(state.trick[player])
        made = (int(need[action]) for action in reversed(state.history[: state.moves]) if there)
        return next((cards for cards in made if cards and not cards & ~there), 0)

    def _middle(self, state: State) -> Row:
        """Describe the table: the play to beat, its player, the lock, and reversed orders."""
        note = ["exchange"] if state.leader < 0 else []  # nobody has led yet
        if due_of(state):
            note.append(f"{due_of(state)} to hand on")
        if state.target >= 0:
            text = plays.texts(self.players, self.jokers)[state.target]
            note.append(f"{text} by player_{state.owner}")
        if state.lock:
            suits = "".join(s for i, s in enumerate(plays.SUITS) if state.lock >> i & 1)
            note.append(f"lock {suits}")
        back = is_back(self.rules, state)  # a jack turns `state.revolution` until the trick ends
        turned = {
            "revolution": bool(state.revolution) != back,
            "jack back": back,
            "reversed": is_reversed(state),  # the order of the seats
        }
        note += [text for text, holds in turned.items() if holds]
        cards = cards_in(self.rules.plays.need[state.target]) if state.target >= 0 else [BLANK]
        marks = [text for text in note if " by player_" not in text]
        return Row("table", tuple(cards), ", ".join(note), marks=tuple(marks))


def points_before(state: np.record) -> list[int]:
    """Return the points by player before the current round, which may be over."""
    points = state.points.tolist()
    if state.out != len(points):
        return points
    return [p - len(points) + place for p, place in zip(points, state.places.tolist(), strict=True)]


def may_stand(points: list[int], rounds: int) -> bool:
    """Return whether n players can have `points` after rounds that give them n to 1 points.

    They can if any k players together have at least the points of the k lowest places in all
    `rounds` rounds, with equality for k = n (Landau's theorem on score sequences).
    """
    least = rounds * np.cumsum(range(1, len(points) + 1))
    sums = np.cumsum(sorted(points))
    return bool((sums >= least).all() and sums[-1] == least[-1])


def permutation(text: str, name: str, players: int = PLAYERS) -> list[int]:
    """Parse seats or classes: the digits of all players, each once."""
    if sorted(text) != [str(player) for player in range(players)]:
        raise InputError(
            f"{name} must be the digits 0 to {players - 1} in some order, not {text!r}"
        )
    return [int(digit) for digit in text]


def parse_record(line: str, game: Game) -> Record:
    """Parse a record in the notation above; its actions are checked only when it is replayed."""
    fields = [field.strip() for field in line.strip().rstrip(";").split(";")]
    end = 2 + game.num_players
    if len(fields) > end and ":" in fields[end]:
        end += 1
    return Record(game.name, stated_options(game), tuple(fields[end:]), deal=";".join(fields[:end]))
