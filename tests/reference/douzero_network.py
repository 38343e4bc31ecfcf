"""DouZero's features and networks said slowly: lists of cards, and one number after the other.

Nothing here comes from the package, and no tensor library is used: weights are nested lists.
"""

import math

RANKS = "3456789TJQKA2SB"
ROLES = ("landlord", "landlord_down", "landlord_up")


def cards_of(text):
    """The 54 numbers of some cards: at least 1, 2, 3, 4 of each rank, then the two jokers."""
    numbers = []
    for rank in RANKS[:13]:
        numbers += [1.0 if text.count(rank) >= k else 0.0 for k in (1, 2, 3, 4)]
    return [*numbers, float("S" in text), float("B" in text)]


def number_of(value, most):
    """A count from 1 as one of `most` numbers."""
    return [1.0 if i + 1 == value else 0.0 for i in range(most)]


def without(hand, cards):
    """A hand less some cards."""
    for card in cards:
        hand = hand.replace(card, "", 1)
    return hand


class Table:
    """A game as DouZero's features see it: hands at the start, and all actions, "" for a pass."""

    def __init__(self, hands, actions):
        self.hands = list(hands)
        self.played = ["", "", ""]
        self.latest = ["", "", ""]
        self.actions = list(actions)
        self.bombs = 0
        for i, cards in enumerate(actions):
            role = i % 3
            self.hands[role] = without(self.hands[role], cards)
            self.played[role] += cards
            self.latest[role] = cards
            self.bombs += (len(cards) == 4 and len(set(cards)) == 1) or sorted(cards) == ["B", "S"]

    def history(self):
        """The last fifteen actions, five steps of three."""
        rows = [cards_of(cards) for cards in ([""] * 15 + self.actions)[-15:]]
        return [rows[i] + rows[i + 1] + rows[i + 2] for i in range(0, 15, 3)]

    def position(self):
        """The features of the player to act, without the play."""
        role = len(self.actions) % 3
        tail = ["", "", *self.actions]
        beaten = tail[-1] or tail[-2]
        others = "".join(self.hands[other] for other in range(3) if other != role)
        left = [len(hand) for hand in self.hands]
        bombs = [1.0 if i == self.bombs else 0.0 for i in range(15)]
        if role == 0:
            parts = [self.hands[0], others, beaten, self.played[2], self.played[1]]
            counts = number_of(left[2], 17) + number_of(left[1], 17)
        else:
            partner = {1: 2, 2: 1}[role]
            parts = [self.hands[role], others, self.played[0], self.played[partner], beaten,
                     self.latest[0], self.latest[partner]]  # fmt: skip
            counts = number_of(left[0], 20) + number_of(left[partner], 17)
        return [x for part in parts for x in cards_of(part)] + counts + bombs


def sums(weights, bias, x):
    """A dense layer; only the inputs that are not zero are looked at."""
    active = [(i, value) for i, value in enumerate(x) if value]
    return [
        b + math.fsum(row[i] * v for i, v in active) for row, b in zip(weights, bias, strict=True)
    ]


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def read(weights, history):
    """The last output of the LSTM; its gates are input, forget, cell and output."""
    size = len(weights["lstm.weight_hh_l0"][0])
    h, c = [0.0] * size, [0.0] * size
    for step in history:
        into = sums(weights["lstm.weight_ih_l0"], weights["lstm.bias_ih_l0"], step)
        back = sums(weights["lstm.weight_hh_l0"], weights["lstm.bias_hh_l0"], h)
        gates = [a + b for a, b in zip(into, back, strict=True)]
        for k in range(size):
            i, f, g, o = (gates[k + part * size] for part in range(4))
            c[k] = sigmoid(f) * c[k] + sigmoid(i) * math.tanh(g)
            h[k] = sigmoid(o) * math.tanh(c[k])
    return h


def value(weights, table, play):
    """The value of a play, cards as text."""
    x = read(weights, table.history()) + table.position() + cards_of(play)
    for layer in range(1, 7):
        x = sums(weights[f"dense{layer}.weight"], weights[f"dense{layer}.bias"], x)
        if layer < 6:
            x = [max(0.0, each) for each in x]
    return x[0]
