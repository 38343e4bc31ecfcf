"""Dou Dizhu said slowly: hands are sorted lists of rank letters, legality is a search.

Nothing here comes from the package. A play is a tuple (category, main ranks, kickers), such as
("trio chain+solos", "345", "6789"); ("pass", "", "") is a pass.
"""

from collections import Counter
from itertools import combinations

RANKS = "3456789TJQKA2SB"
CHAINABLE = "3456789TJQKA"

CATEGORIES = {  # copies of a main rank, shortest chain, longest chain, kickers a rank, kicker size
    "solo": (1, 1, 1, 0, 0),
    "solo chain": (1, 5, 12, 0, 0),
    "pair": (2, 1, 1, 0, 0),
    "pair chain": (2, 3, 10, 0, 0),
    "trio": (3, 1, 1, 0, 0),
    "trio chain": (3, 2, 6, 0, 0),
    "trio+solo": (3, 1, 1, 1, 1),
    "trio chain+solos": (3, 2, 5, 1, 1),
    "trio+pair": (3, 1, 1, 1, 2),
    "trio chain+pairs": (3, 2, 4, 1, 2),
    "four+dual solo": (4, 1, 1, 2, 1),
    "four+dual pair": (4, 1, 1, 2, 2),
    "bomb": (4, 1, 1, 0, 0),
}
PASS = ("pass", "", "")
ROCKET = ("rocket", "SB", "")


def cards(play):
    """The cards of a play, sorted."""
    category, main, kickers = play
    copies = CATEGORIES[category][0] if category in CATEGORIES else 1
    return sorted(main * copies + kickers, key=RANKS.index)


def kickers_allowed(preset, main, kickers, size):
    """Whether a preset lets these kickers (sorted letters) go with the main ranks."""
    counts = Counter(kickers)
    if set(kickers) & set(main) or {"S", "B"} <= set(kickers):
        return False
    if size == 2 or preset == "deeprocket":
        return max(counts.values()) == size
    if max(counts.values()) > 3:
        return False
    if preset == "rlcard" and len(main) > 1:
        low, high = CHAINABLE.index(main[0]), CHAINABLE.index(main[-1])
        beside = CHAINABLE[max(0, low - 1) : low] + CHAINABLE[high + 1 : high + 2]
        return all(counts[rank] < 3 for rank in beside)
    return True


def plays_in(hand, preset):
    """Every play that a hand holds, passes aside, as a set."""
    counts = Counter(hand)
    found = {ROCKET} if counts["S"] and counts["B"] else set()
    for category, (copies, shortest, longest, each, size) in CATEGORIES.items():
        if preset == "openspiel" and category.startswith("four+"):
            continue
        for length in range(shortest, longest + 1):
            for start in range(15):
                main = RANKS[start : start + length]
                if len(main) < length or any(counts[rank] < copies for rank in main):
                    continue
                if length > 1 and not set(main) <= set(CHAINABLE):
                    continue
                rest = sorted((counts - Counter(main * copies)).elements(), key=RANKS.index)
                for kickers in choices(rest, each * length, size):
                    if not kickers or kickers_allowed(preset, main, kickers, size):
                        found.add((category, main, kickers))
    return found


def choices(rest, number, size):
    """All ways to take `number` kickers of `size` cards from sorted cards, as sorted letters."""
    if number == 0:
        return {""}
    if size == 1:
        return {"".join(chosen) for chosen in combinations(rest, number)}
    pairs = sorted({rank for rank in rest if rest.count(rank) >= 2}, key=RANKS.index)
    return {"".join(rank * 2 for rank in chosen) for chosen in combinations(pairs, number)}


def beats(play, target):
    """Whether a play may follow another."""
    if target[0] == "rocket":
        return False
    if play[0] == "rocket":
        return True
    if play[0] == "bomb" and target[0] != "bomb":
        return True
    same = play[0] == target[0] and len(play[1]) == len(target[1])
    return same and RANKS.index(play[1][0]) > RANKS.index(target[1][0])


class Reference:
    """A game in progress, without an auction: seat 0 is the landlord."""

    def __init__(self, deal, preset="deeprocket", base=3, spring=False):
        *hands, public = deal.split(";")
        self.hands = [list(hand) for hand in hands]
        self.hands[0] += public
        self.public = public
        self.preset, self.base, self.spring = preset, base, spring
        self.player, self.owner, self.target = 0, 0, None
        self.history = []  # (seat, play)

    def legal(self):
        plays = plays_in(self.hands[self.player], self.preset)
        if self.target is None:
            return plays
        return {play for play in plays if beats(play, self.target)} | {PASS}

    def play(self, play):
        assert play in self.legal()
        self.history.append((self.player, play))
        if play != PASS:
            for card in cards(play):
                self.hands[self.player].remove(card)
            self.owner, self.target = self.player, play
        self.player = (self.player + 1) % 3
        if self.player == self.owner:
            self.target = None

    def over(self):
        return any(not hand for hand in self.hands)

    def returns(self):
        made = [(seat, play) for seat, play in self.history if play != PASS]
        points = self.base
        for _, play in made:
            if play[0] in ("bomb", "rocket"):
                points *= 2
        won = not self.hands[0]
        turns = Counter(seat for seat, _ in made)
        if self.spring and (turns[0] == 1 if not won else turns[1] + turns[2] == 0):
            points *= 2
        return [2 * points, -points, -points] if won else [-2 * points, points, points]

    def planes(self, observer):
        """The set cells (rank, row, plane) of the paper's observation, rows and planes from 0."""
        names = [*CATEGORIES, "rocket", "pass"]
        rows = {name: 4 + i for i, name in enumerate(names)}
        set_cells = set()

        def draw_cards(which, z):
            for rank, number in Counter(which).items():
                for y in range(number):
                    set_cells.add((RANKS.index(rank), y, z))

        def draw_main(play, z):
            ranks = RANKS if play == PASS else play[1]
            for rank in ranks:
                set_cells.add((RANKS.index(rank), rows[play[0]], z))

        # Rounds begin with the observer; the first may lack him.
        rounds = [[]]
        for seat, play in self.history:
            if seat == observer:
                rounds.append([])
            rounds[-1].append((seat, play))
        recent = rounds[-6:]
        before = []
        for _, play in self.history[: len(self.history) - sum(map(len, recent))]:
            before += cards(play)
        draw_cards(before, 0)
        for age, moves in enumerate(reversed(recent)):
            for seat, play in moves:
                z = 1 + 3 * (5 - age) + (seat - observer) % 3
                draw_cards(cards(play), z)
                draw_main(play, z)
        known = Counter(self.public)
        for seat, play in self.history:
            if seat == 0:
                known -= Counter(cards(play))
        others = [card for seat in range(3) if seat != observer for card in self.hands[seat]]
        unseen = Counter(others) - (known if observer != 0 else Counter())
        for z, held in ((19, list(unseen.elements())), (20, self.hands[observer])):
            draw_cards(held, z)
            for play in plays_in(held, self.preset):
                draw_main(play, z)
        return set_cells
