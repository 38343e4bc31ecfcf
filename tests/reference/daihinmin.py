"""Daihinmin said slowly: every play of the game is tried against the hand and the table.

Nothing here comes from the package. A card is text ("3c", "Td", "*" the joker). A play is a tuple
(kind, cells) such as ("group", ("5c", "5d*")), where "5d*" is the joker as the five of diamonds;
its text is its cells in a row. A joker that stands for no card of the deck is "*" alone, "_c*" at
an end of a kaidan, or "+*" as the fifth card of a group: "5c5d5h5s*" would be read as the four
fives of which the last is the joker. With two jokers, which nothing tells apart, both may be in a
play, and the pair of them alone is ("group", ("*", "*")).
"""

from collections.abc import Callable, Sequence
from itertools import combinations

RANKS = "3456789TJQKA2"
SUITS = "cdhs"
DECK = [rank + suit for rank in RANKS for suit in SUITS] + ["*"]  # the lowest card first
MOST_CARDS = {3: 14, 4: 14, 5: 11, 6: 11}  # in a kaidan, by number of players

Play = tuple[str, tuple[str, ...]]

PASS = "PASS"
JOKER: Play = ("single", ("*",))
JOKERS: Play = ("group", ("*", "*"))
SPADE_THREE: Play = ("single", ("3s",))


class Stuck(Exception):
    """Too many passes in a row: chance has to rank the players who are left."""


def all_plays(players: int = 5, jokers: int = 1) -> list[Play]:
    """The 2,421 plays of five players, or those of another number of them; the pass aside."""
    plays: list[Play] = [("single", (card,)) for card in DECK]
    if jokers == 2:
        plays.append(JOKERS)
    for rank in RANKS:
        four = [rank + suit for suit in SUITS]
        for size in (2, 3, 4):
            for cells in combinations(four, size):
                ways = with_jokers(cells, jokers) if size > 2 else with_joker(cells)
                plays += [("group", marked) for marked in ways]
        fives = with_joker(tuple(four)) if jokers == 2 else [tuple(four)]
        plays += [("group", (*marked, "+*")) for marked in fives]
    for suit in SUITS:
        line = [rank + suit for rank in "_" + RANKS + "_"]
        for size in range(3, MOST_CARDS[players] + 1):
            for start in range(len(line) - size + 1):
                for marked in with_jokers(tuple(line[start : start + size]), jokers):
                    if "_" + suit not in marked:  # only the joker can stand there
                        plays.append(("kaidan", marked))
    return plays


def with_joker(cells: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The cells without the joker, and with the joker in the place of each."""
    ways = [cells]
    for i, cell in enumerate(cells):
        ways.append((*cells[:i], cell + "*", *cells[i + 1 :]))
    return ways


def with_jokers(cells: tuple[str, ...], jokers: int) -> list[tuple[str, ...]]:
    """The cells with up to so many jokers in their places."""
    ways = with_joker(cells)
    if jokers == 2:
        for i, j in combinations(range(len(cells)), 2):
            ways.append(tuple(cell + "*" * (k in (i, j)) for k, cell in enumerate(cells)))
    return ways


def text(play: Play) -> str:
    """The play as an action string."""
    return "".join(play[1])


def needed(play: Play) -> list[str]:
    """The cards that leave the hand."""
    return ["*" if cell.endswith("*") else cell for cell in play[1]]


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


def covers(play: Play, rank: str) -> bool:
    """Whether a rank is in the play, be it the joker."""
    return any(cell[0] == rank for cell in play[1])


def overturns(play: Play) -> bool:
    """Whether the play makes a revolution."""
    kind, cells = play
    return len(cells) >= (5 if kind == "kaidan" else 4)


def beats(play: Play, table: Play, revolution: bool, spade_three: bool = True) -> bool:
    """Whether the play may follow the one on the table, locks aside."""
    if play[0] != table[0] or len(play[1]) != len(table[1]):
        return False
    if table == JOKERS:
        return False
    if table == JOKER:
        return spade_three and play == SPADE_THREE
    if play in (JOKER, JOKERS):
        return True
    if revolution:
        return high(play) < low(table)
    return low(play) > high(table)


PLAYS = {text(play): play for play in all_plays(min(MOST_CARDS), jokers=2)}
NEEDED = {action: needed(play) for action, play in PLAYS.items()}


class Reference:
    """A round in progress: the exchange if there are classes, then the tricks.

    Args:
        hands: the cards by player, before the exchange.
        seats: the players in the order of their turns.
        classes: class by player, 0 (daifugo) to n - 1 (daihinmin), or None without an exchange.
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
        jack_back: a play with a jack turns the ranks around until the trick ends.
        five_skip: each five skips the turn of a player who could have it.
        six_reverse: a play with a six turns the order of play around.
        capital_fall: if another goes out before the daifugo of the round before, that one is last.
        forbidden_finish: who goes out with a joker, an eight, or the highest rank there is before
            that play, is last of those who are left.
        number_lock: plays of adjacent ranks bind the trick to the rank next to the last one.
        seven_give: after a group of sevens as many cards may be given to the next player.
        ten_discard: after a group of tens as many cards may be thrown away.
        jokers: 1 or 2.
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
        jack_back: bool = False,
        five_skip: bool = False,
        six_reverse: bool = False,
        capital_fall: bool = False,
        forbidden_finish: bool = False,
        number_lock: bool = False,
        seven_give: bool = False,
        ten_discard: bool = False,
        jokers: int = 1,
        pass_limit: int = 20,
        rank_rest: Callable[[list[int]], Sequence[int]] | None = None,
    ) -> None:
        deck = DECK + ["*"] * (jokers - 1)
        assert sorted(card for hand in hands for card in hand) == sorted(deck)
        self.number = len(seats)
        assert sorted(seats) == list(range(self.number))
        longest = MOST_CARDS[self.number]
        self.plays = [
            action
            for action, (kind, cells) in PLAYS.items()
            if (kind != "kaidan" or len(cells) <= longest) and NEEDED[action].count("*") <= jokers
        ]
        self.hands = [sorted(hand, key=DECK.index) for hand in hands]
        self.seats, self.first_seat = list(seats), seats[0]
        self.overplay = overplay
        self.joker_edges = joker_edges
        self.lead_pass = lead_pass
        self.joker_unlocks = joker_unlocks
        self.spade_three = spade_three
        self.eight_stop = eight_stop
        self.has_revolution = revolution
        self.has_lock = lock
        self.has_kaidan = kaidan
        self.jack_back = jack_back
        self.five_skip = five_skip
        self.six_reverse = six_reverse
        self.following = {"7": "give"} if seven_give else {}
        self.following |= {"T": "discard"} if ten_discard else {}
        self.owed: list[str] = []  # what the player to act may still do with a card each
        self.least = 0  # place in the deck of the lowest such card
        self.open: list[tuple[str, int]] = []  # cards given after a seven, and who holds them
        self.daifugo = classes.index(0) if classes is not None and capital_fall else None
        self.fallen: int | None = None
        self.forbidden_finish = forbidden_finish
        self.has_number_lock = number_lock
        self.pass_limit = pass_limit
        self.rank_rest = rank_rest

        self.places: list[int | None] = [None] * self.number
        self.revolution = False
        self.back = False  # a jack has turned the ranks in this trick
        self.passes = 0  # in a row
        self.given: list[tuple[int, int, str]] = []  # (giver, receiver, card), in the exchange
        self.returns: list[tuple[int, int]] = []  # (giver, receiver) of the cards to pick yet
        self.first_pick: str | None = None  # the daifugo's, while he picks the second
        if classes is None:
            self.start()
        else:
            order = [classes.index(c) for c in range(self.number)]
            daifugo, daihinmin = order[0], order[-1]
            for card in self.hands[daihinmin][-2:]:
                self.give(daihinmin, daifugo, card)
            self.returns = [(daifugo, daihinmin), (daifugo, daihinmin)]
            if self.number > 3:
                fugo, hinmin = order[1], order[-2]
                self.give(hinmin, fugo, self.hands[hinmin][-1])
                self.returns.append((fugo, hinmin))
            self.player = daifugo

    def legal(self) -> set[str]:
        """The texts of the actions of the player to act; none once the round is over."""
        if self.over():
            return set()
        hand = self.hands[self.player]
        if self.returns:
            if self.first_pick is not None:
                least = DECK.index(self.first_pick)
                another = {"*"}.intersection(hand) if self.first_pick == "*" else set()
                return {card for card in hand if DECK.index(card) > least} | another
            if self.returns[1:] and self.returns[0] == self.returns[1]:
                return set(hand[:-1])  # two are due
            return set(hand)
        if self.owed:
            return {card for card in hand if DECK.index(card) >= self.least} | {PASS}
        own, jokers = set(hand), hand.count("*")
        held = [
            action
            for action in self.plays
            if own.issuperset(NEEDED[action]) and NEEDED[action].count("*") <= jokers
        ]
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
        if not beats(play, self.table, self.revolution != self.back, self.spade_three):
            return False
        if self.numbers_locked and play not in (JOKER, JOKERS) and self.table != JOKER:
            down = self.revolution != self.back
            near = high(play) + 1 == low(self.table) if down else low(play) - 1 == high(self.table)
            if not near:
                return False
        if self.locked and JOKER not in (play, self.table) and play != JOKERS:
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
        elif self.owed:
            self.hand_on(action)
        elif action == PASS:
            self.pass_()
        else:
            self.lay(PLAYS[action])

    def over(self) -> bool:
        """Whether every player has a place."""
        return None not in self.places

    def points(self) -> list[int]:
        """The points by player, at the end."""
        return [self.number - place for place in self.places if place is not None]

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
        self.locked = self.numbers_locked = self.back = False
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
        best = "3" if self.revolution != self.back else "2"
        forbidden = self.forbidden_finish and (
            "*" in text(play) or covers(play, "8") or covers(play, best)
        )
        if self.has_number_lock and self.table and JOKER not in (play, self.table):
            near = (low(play) - high(self.table), low(self.table) - high(play))
            self.numbers_locked = play != JOKERS and 1 in near
        for card in needed(play):
            self.hands[self.player].remove(card)
            self.close(card)
        if play in (JOKER, JOKERS):
            self.locked = self.locked and not self.joker_unlocks
        elif self.has_lock and self.table is not None and suits(play) == suits(self.table):
            self.locked = True
        if self.has_revolution and overturns(play):
            self.revolution = not self.revolution
        if self.jack_back and covers(play, "J"):
            self.back = True
        if self.six_reverse and covers(play, "6"):
            self.seats.reverse()
        ended = self.eight_stop and covers(play, "8")
        if self.table == JOKER:  # this is the spade three
            ended = True
        self.table, self.owner = play, self.player
        if play[0] != "kaidan" and play not in (JOKER, JOKERS) and self.hands[self.player]:
            what = self.following.get(play[1][0][0])
            number = min(len(play[1]), len(self.hands[self.player]))
            self.owed = [what] * number if what else []
            self.least = 0
            if self.owed:
                return
        if not self.hands[self.player] and self.leave(forbidden):
            return
        skipped = 0
        if self.five_skip and covers(play, "5"):
            skipped = len(play[1]) if play[0] != "kaidan" else 1
        self.next_turn(ended, skipped)

    def hand_on(self, action: str) -> None:
        """Give or throw away a card after a seven or a ten, or no more."""
        if action == PASS:
            self.owed = []
        else:
            what = self.owed.pop()
            self.least = DECK.index(action) + (action != "*")  # one joker after the other
            self.close(action)
            if what == "give":
                taker = self.after(self.player, self.live())
                self.open.append((action, taker))
                self.give(self.player, taker, action)
            else:
                self.hands[self.player].remove(action)
            if not self.hands[self.player]:
                self.owed = []
        if self.owed or (not self.hands[self.player] and self.leave()):
            return
        self.next_turn(ended=False)

    def close(self, card: str) -> None:
        """A card leaves the hand of the player to act; it is an open one, if one of these is."""
        if (card, self.player) in self.open:
            self.open.remove((card, self.player))

    def leave(self, forbidden: bool = False) -> bool:
        """Let the player to act go out; whether the round is over."""
        free = [place for place in range(self.number) if place not in self.places]
        if forbidden:
            self.places[self.player] = max(free)
        else:
            self.finish(self.player)
            if self.daifugo in self.live() and free[0] == 0:
                self.places[self.daifugo] = max(free)
                self.fallen = self.daifugo
        if len(self.live()) == 1:
            self.finish(self.live()[0])
        return self.over()

    def finish(self, player: int) -> None:
        """Give the player the best place left."""
        self.places[player] = min(place for place in range(self.number) if place not in self.places)

    def next_turn(self, ended: bool, skipped: int = 0) -> None:
        """Turn to the next player who has not passed, or to the next trick."""
        asked = [player for player in self.live() if player not in self.passed]
        if not self.overplay:
            asked = [player for player in asked if player != self.owner]
        if asked and not ended:
            for _ in range(skipped + 1):
                self.player = self.after(self.player, asked)
            return
        winner = self.leader if self.owner is None else self.owner
        self.lead(winner if winner in self.live() else self.after(winner, self.live()))
