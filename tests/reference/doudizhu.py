"""Dou Dizhu said slowly: hands are sorted lists of rank letters, legality is a search.

Nothing here comes from the package. A play is a tuple (category, main ranks, kickers), such as
("trio chain+solos", "345", "6789"); ("pass", "", "") is a pass. What is said before the landlord
leads are plays too, such as ("word", "CALL", ""), and the pass.
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
MOST_FOURS = 5  # fours in a row under `botzone`
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
    if set(kickers) & set(main):
        return False
    if preset == "douzero" and size == 1:
        return True
    if preset == "botzone":
        return max(counts.values()) == size
    if {"S", "B"} <= set(kickers):
        return False
    if size == 2 or preset not in ("rlcard", "openspiel"):
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
        if preset == "botzone" and copies == 4:
            longest = MOST_FOURS
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
    return named_by_cards(found) if preset == "douzero" else found


def named_by_cards(plays):
    """One play for every set of cards: without kickers if it can, else of the highest chain."""
    named = {}
    for play in sorted(plays, key=lambda play: (not play[2], RANKS.index(play[1][0]))):
        named[tuple(cards(play))] = play
    return set(named.values())


def choices(rest, number, size):
    """All ways to take `number` kickers of `size` cards from sorted cards, as sorted letters."""
    if number == 0:
        return {""}
    if size == 1:
        return {"".join(chosen) for chosen in combinations(rest, number)}
    pairs = sorted({rank for rank in rest if rest.count(rank) >= 2}, key=RANKS.index)
    return {"".join(rank * 2 for rank in chosen) for chosen in combinations(pairs, number)}


def highest_trio(play):
    """The highest rank of which a play has just three cards, kickers or not."""
    counts = Counter(cards(play))
    return max(RANKS.index(rank) for rank in counts if counts[rank] == 3)


def beats_with_kickers(play, target):
    """Whether DouZero's environment lets a play follow a chain of trios with solos, bombs aside."""
    length = len(target[1])
    if length > 3 and max(Counter(target[2]).values()) >= 3:
        return False
    kinds = [("trio chain+solos", length)] + [("trio chain", 4)] * (length == 3)
    return (play[0], len(play[1])) in kinds and highest_trio(play) > highest_trio(target)


def is_bomb(play):
    """Whether a play is a bomb; several fours in a row are none."""
    return play[0] == "bomb" and len(play[1]) == 1


def beats(play, target, preset):
    """Whether a play may follow another."""
    if target[0] == "rocket":
        return False
    if play[0] == "rocket":
        return True
    if is_bomb(play) and not is_bomb(target):
        return True
    if preset == "douzero" and target[0] == "trio chain+solos":
        return beats_with_kickers(play, target)
    same = play[0] == target[0] and len(play[1]) == len(target[1])
    return same and RANKS.index(play[1][0]) > RANKS.index(target[1][0])


def bid(players):
    """An auction of one bid each."""
    bids = {}
    for seat in range(players):
        highest = max(bids.values(), default=0)
        word = yield seat, [f"BID{value}" for value in (1, 2, 3) if value > highest]
        if word != "PASS":
            bids[seat] = int(word[3])
        if 3 in bids.values():
            break
    return (max(bids, key=bids.get), max(bids.values()), 0) if bids else None


def call_and_rob(players, base):
    """An auction by calling and robbing."""
    for caller in range(players):
        if (yield caller, ["CALL"]) == "CALL":
            break
    else:
        return None
    robbers = []
    if players == 2:
        # Only those who have not declined to call are asked: nobody if the second one called.
        for turn in range(4 if caller == 0 else 0):
            if (yield (turn + 1) % 2, ["ROB"]) == "PASS":
                break
            robbers.append((turn + 1) % 2)
    else:
        for seat in range(caller + 1, 3):
            if (yield seat, ["ROB"]) == "ROB":
                robbers.append(seat)
        if robbers and (yield caller, ["ROB"]) == "ROB":
            robbers.append(caller)
    return [caller, *robbers][-1], base * 2 ** len(robbers), len(robbers)


class Reference:
    """A game in progress; without an auction seat 0 is the landlord."""

    def __init__(self, deal, preset="deeprocket", base=3, spring=False, **options):
        *self.dealt, self.public = deal.split(";")
        self.preset, self.base, self.spring = preset, base, spring
        self.options = {
            name: options.get(name, False)
            for name in ("bidding", "robbing", "doubling", "open_hand")
        }
        self.players = 2 if preset == "two_players" else 3  # the third hand is then set aside
        self.words = []  # (seat, word, the first of those offered)
        self.history = []  # (seat, play)
        self.target = None
        self.listen()

    def listen(self):
        """Repeat all that was said, up to who is asked what now, or to the landlord's lead."""
        self.hands = [list(hand) for hand in self.dealt]
        self.landlord, self.stake, self.robbed = None, 0, 0
        self.doubled, self.shown, self.dealt_again = set(), False, False
        questions = self.talk()
        try:
            self.player, self.offered = next(questions)
            for _, word, _ in self.words:
                self.player, self.offered = questions.send(word)
        except StopIteration:
            self.player, self.owner, self.offered = self.landlord, self.landlord, []

    def talk(self):
        """What is said before the landlord leads: a generator of questions, sent the answers.

        A question is the seat that is asked, and what it may say beside PASS.
        """
        outcome = (0, self.base, 0)
        if self.options["robbing"]:
            outcome = yield from call_and_rob(self.players, self.base)
        elif self.options["bidding"]:
            outcome = yield from bid(self.players)
            if outcome is None and self.preset == "botzone":
                outcome = (0, 0, 0)
        if outcome is None:
            # What may be said then does not depend on the cards of the next deal.
            self.words, self.dealt_again = [], True
            yield from self.talk()
            return
        self.landlord, self.stake, self.robbed = outcome
        self.hands[self.landlord] += self.public
        if self.options["doubling"]:
            for seat in [*range(self.landlord, self.players), *range(self.landlord)]:
                if (yield seat, ["DOUBLE"]) == "DOUBLE":
                    self.doubled.add(seat)
        if self.options["open_hand"] and (yield self.landlord, ["SHOW"]) == "SHOW":
            self.shown = True
            self.stake *= 2

    def legal(self):
        if self.offered:
            return {("word", word, "") for word in self.offered} | {PASS}
        plays = plays_in(self.hands[self.player], self.preset)
        if self.target is None:
            return plays
        return {play for play in plays if beats(play, self.target, self.preset)} | {PASS}

    def play(self, play):
        assert play in self.legal()
        if self.offered:
            word = "PASS" if play == PASS else play[1]
            self.words.append((self.player, word, self.offered[0]))
            self.listen()
            return
        self.history.append((self.player, play))
        if play != PASS:
            for card in cards(play):
                self.hands[self.player].remove(card)
            self.owner, self.target = self.player, play
        self.player = (self.player + 1) % self.players
        if self.player == self.owner:
            self.target = None

    def over(self):
        if self.landlord is None:
            return False
        conceded = 1 + self.robbed if self.players == 2 else 0
        return any(
            len(self.hands[seat]) <= (0 if seat == self.landlord else conceded)
            for seat in range(self.players)
        )

    def returns(self):
        made = [(seat, play) for seat, play in self.history if play != PASS]
        points = self.stake
        for _, play in made:
            if is_bomb(play) or play[0] == "rocket":
                points *= 2
        won = not self.hands[self.landlord]
        turns = Counter(seat for seat, _ in made)
        if self.spring and (set(turns) == {self.landlord} if won else turns[self.landlord] == 1):
            points *= 2
        returns = [0] * self.players
        for seat in set(range(self.players)) - {self.landlord}:
            settled = points * 2 ** len(self.doubled & {seat, self.landlord})
            returns[self.landlord] += settled if won else -settled
            returns[seat] -= settled if won else -settled
        return returns

    def open_cards(self, observer):
        """What an observer sees in each hand, his own and what is shown."""
        seen = {observer, self.landlord} if self.shown else {observer}
        return ["".join(sorted(hand, key=RANKS.index)) if seat in seen else ""
                for seat, hand in enumerate(self.hands)]  # fmt: skip

    def told(self, observer):
        """The bids, or how many calls and robberies, and the doublings, from the observer on."""
        bids, doubled = [-1] * self.players, [-1] * self.players
        for seat, word, offered in self.words:
            place = (seat - observer) % self.players
            if offered == "DOUBLE":
                doubled[place] = int(word == "DOUBLE")
            elif offered != "SHOW":
                value = 0 if word == "PASS" else int(word[3]) if word[:3] == "BID" else 1
                bids[place] = max(bids[place], 0) + value
        return bids, doubled

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
                z = 1 + 3 * (5 - age) + (seat - observer) % self.players
                draw_cards(cards(play), z)
                draw_main(play, z)
        public = self.public if self.landlord is None else ""
        unseen = Counter("".join(map("".join, self.hands)) + public)
        for hand in self.open_cards(observer):
            unseen -= Counter(hand)
        if self.landlord not in (None, observer) and not self.shown:
            known = Counter(self.public)
            for seat, play in self.history:
                if seat == self.landlord:
                    known -= Counter(cards(play))
            unseen -= known
        for z, held in ((19, list(unseen.elements())), (20, self.hands[observer])):
            draw_cards(held, z)
            for play in plays_in(held, self.preset):
                draw_main(play, z)
        return set_cells
