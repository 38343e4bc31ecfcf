"""Daihinmin said slowly: every play of the game is tried against the hand and the table.

Nothing here comes from the package. A card is text ("3c", "Td", "*" the joker). A play is a tuple
(kind, cells) such as ("group", ("5c", "5d*")), where "5d*" is the joker as the five of diamonds;
its text is its cells in a row. A joker that stands for no card of the deck is "*" alone, "_c*" at
an end of a kaidan, or "+*" as the fifth card of a group: "5c5d5h5s*" would be read as the four
fives of which the last is the joker.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

RANKS = "3456789TJQKA2"
SUITS = "cdhs"
DECK = [rank + suit for rank in RANKS for suit in SUITS] + ["*"]  # the lowest card first
PLAYERS = 5
MOST_CARDS = 11  # in a hand, so in a kaidan
POINTS = (5, 4, 3, 2, 1)

Play = tuple[str, tuple[str, ...]]

PASS = "PASS"
JOKER: Play = ("single", ("*",))
SPADE_THREE: Play = ("single", ("3s",))


class Stuck(Exception):
    """Too many passes in a row: chance has to rank the players who are left."""


def all_plays() -> list[Play]:
    """The 2,421 plays, the pass aside."""
    plays: list[Play] = [("single", (card,)) for card in DECK]
    for rank in RANKS:
        four = [rank + suit for suit in SUITS]
        for size in (2, 3, 4):
            for cells in combinations(four, size):
                plays += [("group", marked) for marked in with_joker(cells)]
        plays.append(("group", (*four, "+*")))
    for suit in SUITS:
        line = [rank + suit for rank in "_" + RANKS + "_"]
        for size in range(3, MOST_CARDS + 1):
            for start in range(len(line) - size + 1):
                for marked in with_joker(tuple(line[start : start + size])):
                    if "_" + suit not in marked:  # only the joker can stand there
                        plays.append(("kaidan", marked))
    return plays


def with_joker(cells: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The cells without the joker, and with the joker in the place of each."""
    ways = [cells]
    for i, cell in enumerate(cells):
        ways.append((*cells[:i], cell + "*", *cells[i + 1 :]))
    return ways


def text(play: Play) -> str:
    """The play as an action string."""
    return "".join(play[1])


def needed(play: Play) -> set[str]:
    """The cards that leave the hand."""
    return {"*" if cell.endswith("*") else cell for cell in play[1]}


def low(play: Play) -> int:
    """The lowest rank, 0 for a three; -1 is the joker below it."""
    first = play[1][0][0]
    return -1 if first == "_" else RANKS.index(first)


def high(play: Play) -> int:
    """The highest rank, 12 for a two; 13 is the joker above it."""
    kind, cells = play
    return low(play) + len(cells) - 1 if kind == "kaidan" else low(play)


def suits(play: Play) -> set[str]:
    """The suits, with that of the card the joker stands for; none for the joker alone."""
    return {letter for letter in text(play) if letter in SUITS}


def covers_eight(play: Play) -> bool:
    """Whether an eight is in the play, be it the joker."""
    return any(cell[0] == "8" for cell in play[1])


def overturns(play: Play) -> bool:
    """Whether the play makes a revolution."""
    kind, cells = play
    return len(cells) >= (5 if kind == "kaidan" else 4)


def beats(play: Play, table: Play, revolution: bool, spade_three: bool = True) -> bool:
    """Whether the play may follow the one on the table, locks aside."""
    if play[0] != table[0] or len(play[1]) != len(table[1]):
        return False
    if play == JOKER:
        return True
    if table == JOKER:
        return spade_three and play == SPADE_THREE
    if revolution:
        return high(play) < low(table)
    return low(play) > high(table)


PLAYS = {text(play): play for play in all_plays()}
NEEDED = {action: needed(play) for action, play in PLAYS.items()}


class Reference:
    """A round in progress: the exchange if there are classes, then the tricks.

    Args:
        hands: the cards by player, before the exchange.
        seats: the players in the order of their turns.
        classes: class by player, 0 (daifugo) .. 4 (daihinmin), or None without an exchange.
        overplay: the owner of a trick is asked too once the others have passed.
        joker_edges: the joker may stand below the 3 or above the 2 of a kaidan.
        lead_pass: the player who leads may pass.
        joker_unlocks: a lone joker takes the lock away. It is seen in `locked` only: what may
            follow is the spade three, which no lock keeps back.
        spade_three: the spade three beats the lone joker, and ends the trick.
        eight_stop: an eight ends the trick.
        revolution: groups of four or more and kaidans of five or more turn the ranks around.
        lock: a play of the suits of the one before it binds the trick to them.
        kaidan: there are kaidans.
        pass_limit: so many passes in a row end the round.
        rank_rest: orders the players who are left then, best first; without it, `Stuck`.
    """

    def __init__(
        self,
        hands: Sequence[Sequence[str]],
        seats: Sequence[int],
        classes: Sequence[int] | None = None,
        *,
        overplay: bool = True,
        joker_edges: bool = True,
        lead_pass: bool = True,
        joker_unlocks: bool = True,
        spade_three: bool = True,
        eight_stop: bool = True,
        revolution: bool = True,
        lock: bool = True,
        kaidan: bool = True,
        pass_limit: int = 20,
        rank_rest: Callable[[list[int]], Sequence[int]] | None = None,
    ) -> None:
        assert sorted(card for hand in hands for card in hand) == sorted(DECK)
        assert sorted(seats) == list(range(PLAYERS))
        self.hands = [sorted(hand, key=DECK.index) for hand in hands]
        self.seats = list(seats)
        self.overplay = overplay
        self.joker_edges = joker_edges
        self.lead_pass = lead_pass
        self.joker_unlocks = joker_unlocks
        self.spade_three = spade_three
        self.eight_stop = eight_stop
        self.has_revolution = revolution
        self.has_lock = lock
        self.has_kaidan = kaidan
        self.pass_limit = pass_limit
        self.rank_rest = rank_rest

        self.places: list[int | None] = [None] * PLAYERS
        self.revolution = False
        self.passes = 0  # in a row
        self.given: list[tuple[int, int, str]] = []  # (giver, receiver, card), in the exchange
        self.returns: list[tuple[int, int]] = []  # (giver, receiver) of the cards to pick yet
        self.first_pick: str | None = None  # the daifugo's, while he picks the second
        if classes is None:
            self.start()
        else:
            daifugo, fugo, _, hinmin, daihinmin = (classes.index(c) for c in range(PLAYERS))
            for card in self.hands[daihinmin][-2:]:
                self.give(daihinmin, daifugo, card)
            self.give(hinmin, fugo, self.hands[hinmin][-1])
            self.returns = [(daifugo, daihinmin), (daifugo, daihinmin), (fugo, hinmin)]
            self.player = daifugo

    def legal(self) -> set[str]:
        """The texts of the actions of the player to act; none once the round is over."""
        if self.over():
            return set()
        hand = self.hands[self.player]
        if self.returns:
            if self.first_pick is not None:
                least = DECK.index(self.first_pick)
                return {card for card in hand if DECK.index(card) > least}
            if len(self.returns) == 3:
                return set(hand[:-1])
            return set(hand)
        held = [action for action in PLAYS if NEEDED[action].issubset(hand)]
        actions = {action for action in held if self.allowed(PLAYS[action])}
        if self.table is not None or self.lead_pass:
            actions.add(PASS)
        return actions

    def allowed(self, play: Play) -> bool:
        """Whether somebody who holds this play may lay it on the table."""
        if play[0] == "kaidan" and not self.has_kaidan:
            return False
        if play[0] == "kaidan" and not self.joker_edges and "_" in text(play):
            return False
        if self.table is None:
            return True
        if not beats(play, self.table, self.revolution, self.spade_three):
            return False
        if self.locked and JOKER not in (play, self.table):
            return suits(play) == suits(self.table)
        return True

    def play(self, action: str) -> None:
        """Take the action of the player to act.

        Raises:
            Stuck: the limit of passes is reached and nothing was given to rank the players.
        """
        assert action in self.legal(), action
        if self.returns:
            self.pick(action)
        elif action == PASS:
            self.pass_()
        else:
            self.lay(PLAYS[action])

    def over(self) -> bool:
        """Whether every player has a place."""
        return None not in self.places

    def points(self) -> list[int]:
        """The points by player, at the end."""
        return [POINTS[place] for place in self.places if place is not None]

    def give(self, giver: int, receiver: int, card: str) -> None:
        """Move a card in the exchange."""
        self.given.append((giver, receiver, card))
        self.hands[giver].remove(card)
        self.hands[receiver] = sorted([*self.hands[receiver], card], key=DECK.index)

    def pick(self, card: str) -> None:
        """Give one card back."""
        giver, receiver = self.returns.pop(0)
        self.give(giver, receiver, card)
        if not self.returns:
            self.start()
            return
        self.player = self.returns[0][0]
        self.first_pick = card if self.player == giver else None

    def start(self) -> None:
        """Begin with the tricks."""
        self.first_pick = None
        self.lead(next(player for player in self.seats if "3d" in self.hands[player]))

    def lead(self, player: int) -> None:
        """Begin a trick."""
        self.leader = self.player = player
        self.table: Play | None = None
        self.owner: int | None = None  # of the play on the table
        self.locked = False
        self.passed: set[int] = set()

    def live(self) -> list[int]:
        """The players without a place, in seat order."""
        return [player for player in self.seats if self.places[player] is None]

    def after(self, player: int, wanted: Sequence[int]) -> int:
        """The first of the wanted players whose turn comes after the player's, or himself."""
        seat = self.seats.index(player)
        around = self.seats[seat + 1 :] + self.seats[: seat + 1]
        return next(other for other in around if other in wanted)

    def pass_(self) -> None:
        """Pass."""
        self.passes += 1
        self.passed.add(self.player)
        if self.passes == self.pass_limit:
            if self.rank_rest is None:
                raise Stuck(f"{self.passes} passes in a row")
            rest = list(self.rank_rest(self.live()))
            assert sorted(rest) == sorted(self.live())
            for player in rest:
                self.finish(player)
            return
        self.next_turn(ended=False)

    def lay(self, play: Play) -> None:
        """Put a play on the table."""
        self.passes = 0
        for card in needed(play):
            self.hands[self.player].remove(card)
        if play == JOKER:
            self.locked = self.locked and not self.joker_unlocks
        elif self.has_lock and self.table is not None and suits(play) == suits(self.table):
            self.locked = True
        if self.has_revolution and overturns(play):
            self.revolution = not self.revolution
        ended = self.eight_stop and covers_eight(play)
        if self.table == JOKER:  # this is the spade three
            ended = True
        self.table, self.owner = play, self.player
        if not self.hands[self.player]:
            self.finish(self.player)
            if len(self.live()) == 1:
                self.finish(self.live()[0])
                return
        self.next_turn(ended)

    def finish(self, player: int) -> None:
        """Give the player the best place left."""
        self.places[player] = PLAYERS - len(self.live())

    def next_turn(self, ended: bool) -> None:
        """Turn to the next player who has not passed, or to the next trick."""
        asked = [player for player in self.live() if player not in self.passed]
        if not self.overplay and asked == [self.owner]:
            asked = []
        if asked and not ended:
            self.player = self.after(self.player, asked)
            return
        winner = self.leader if self.owner is None else self.owner
        self.lead(winner if winner in self.live() else self.after(winner, self.live()))
