"""The rules of the Leduc family again, slow and plain, for tests of the fast ones.

Nothing here is shared with the package: cards are text, probabilities fractions, and games trees of
Python calls. `value` and `best_response` go through every history of every deal.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

COPIES = {
    "uh": {"SA": 2, "HA": 2, "SK": 2, "HK": 2, "SQ": 3, "HQ": 3, "SJ": 2, "HJ": 2},
    "standard": {"SK": 1, "HK": 1, "SQ": 1, "HQ": 1, "SJ": 1, "HJ": 1},
}
ORDER = ["HJ", "SJ", "HQ", "SQ", "HK", "SK", "HA", "SA"]

Probability = Fraction | float
Policy = Callable[[tuple, list[str]], dict[str, Any]]


class Reference:
    """One game, played by the names of its actions."""

    def __init__(
        self, deal: str, rules: str = "uh", pair: str = "rank", double_pair: str = "suit"
    ) -> None:
        self.s_card, self.t_card, self.flop = deal.split(";")
        self.rules, self.pair, self.double_pair = rules, pair, double_pair
        self.player = 0
        self.phase = 1
        self.bets = [1, 1]
        self.history: tuple[str, ...] = ()
        self.this_phase: list[tuple[int, str]] = []
        self.winner: int | None = None
        self.shown = False

    def legal(self) -> set[str]:
        if self.over():
            return set()
        own, other = self.bets[self.player], self.bets[1 - self.player]
        raises = [who for who, action in self.this_phase if action == "raise"]
        if self.rules == "standard":
            actions = {"fold", "call"} if own < other else {"check"}
            return actions | ({"raise"} if len(raises) < 2 else set())
        if own < other:
            may_raise = self.player == 1 and 1 not in raises
            return {"fold", "call", "raise"} if may_raise else {"fold", "call"}
        if self.phase == 1 or own > 1:
            return {"check", "raise"}
        return {"fold", "raise"}

    def play(self, action: str) -> None:
        assert action in self.legal()
        self.history = (*self.history, action)
        self.this_phase.append((self.player, action))
        if action == "fold":
            self.winner = 1 - self.player
            return
        if action == "raise":
            by = 3 if self.rules == "uh" else {1: 2, 2: 4}[self.phase]
            self.bets[self.player] = max(self.bets) + by
        if action == "call":
            self.bets[self.player] = max(self.bets)
        if action == "call" or (action == "check" and self.player == 1):
            if self.phase == 2:
                self.shown = True
            else:
                self.phase, self.player, self.this_phase = 2, 0, []
        else:
            self.player = 1 - self.player

    def over(self) -> bool:
        return self.shown or self.winner is not None

    def returns(self) -> list[float]:
        if self.winner is not None:
            lost = self.bets[1 - self.winner]
            return [float(lost), float(-lost)] if self.winner == 0 else [float(-lost), float(lost)]
        points = float(self.compare() * self.bets[0])
        return [points, -points]

    def compare(self) -> int:
        """1 where S has the better hand, -1 where T has, else 0."""
        s, t = self.s_card, self.t_card
        if self.pair == "rank" or self.rules == "standard":
            s_pairs, t_pairs = s[1] == self.flop[1], t[1] == self.flop[1]
        else:
            s_pairs, t_pairs = s == self.flop, t == self.flop
        if s_pairs and not t_pairs:
            return 1
        if t_pairs and not s_pairs:
            return -1
        if s == t or (self.rules == "standard" and s[1] == t[1]):
            return 0
        if s_pairs and t_pairs and self.double_pair == "split":
            return 0
        return 1 if ORDER.index(s) > ORDER.index(t) else -1

    def text(self) -> str:
        if self.winner is not None:
            return f"P{'ST'[self.winner]}{self.bets[1 - self.winner]}"
        if self.shown:
            return f"WL{self.bets[0]}"
        card = (self.s_card, self.t_card)[self.player]
        flop = "*" if self.phase == 1 else self.flop
        return f"({'st'[self.player]}{self.phase},{self.bets[0]},{self.bets[1]},{card},{flop})"

    def information_set(self) -> tuple:
        card = (self.s_card, self.t_card)[self.player]
        return self.player, card, "*" if self.phase == 1 else self.flop, self.history


def deals(rules: str) -> dict[str, Fraction]:
    """Every deal, by kinds of cards, and its probability: card by card from the deck."""
    deck = [card for card, copies in COPIES[rules].items() for _ in range(copies)]
    found: dict[str, Fraction] = defaultdict(Fraction)
    each = Fraction(1, len(deck) * (len(deck) - 1) * (len(deck) - 2))
    for i in range(len(deck)):
        for j in range(len(deck)):
            for k in range(len(deck)):
                if len({i, j, k}) == 3:
                    found[f"{deck[i]};{deck[j]};{deck[k]}"] += each
    return dict(found)


def uniform(information_set: tuple, legal: list[str]) -> dict[str, Fraction]:
    """Every legal action with the same probability."""
    return {action: Fraction(1, len(legal)) for action in legal}


def after(deal: str, history: tuple[str, ...], **options: Any) -> Reference:
    """A game after some actions."""
    game = Reference(deal, **options)
    for action in history:
        game.play(action)
    return game


def games(deal: str, rules: str, history: tuple[str, ...] = ()) -> Iterator[Reference]:
    """A deal's game after every possible history."""
    game = after(deal, history, rules=rules)
    yield game
    for action in game.legal():
        yield from games(deal, rules, (*history, action))


def count_information_sets(rules: str) -> tuple[int, int]:
    """How many information sets S and T have."""
    found: tuple[set[tuple], set[tuple]] = (set(), set())
    for deal in deals(rules):
        for game in games(deal, rules):
            if not game.over():
                found[game.player].add(game.information_set())
    return len(found[0]), len(found[1])


def count_terminal_histories(rules: str) -> int:
    """How many ways a game can go, by kinds of cards: a fold in phase 1 comes before any flop."""
    found = set()
    for deal in deals(rules):
        for game in games(deal, rules):
            if game.over():
                flop = "*" if game.phase == 1 else game.flop
                found.add((game.s_card, game.t_card, flop, game.history))
    return len(found)


def value(policy: Policy, **options: Any) -> Any:
    """What S wins on average when both follow the policy."""

    def expected(deal: str, history: tuple[str, ...]) -> Any:
        game = after(deal, history, **options)
        if game.over():
            return Fraction(game.returns()[0])
        chosen = policy(game.information_set(), sorted(game.legal()))
        return sum(p * expected(deal, (*history, action)) for action, p in chosen.items() if p)

    return sum(p * expected(deal, ()) for deal, p in deals(options.get("rules", "uh")).items())


def best_response(policy: Policy, player: int, **options: Any) -> Any:
    """What `player` wins on average by the best response to the other's policy.

    An information set of the player is a list of (probability, deal, history): everything that the
    game may be when he knows what he knows. He takes the action that is best for all of them.
    """
    Situations = list[tuple[Any, str, tuple[str, ...]]]

    def forward(situations: Situations) -> Iterator[tuple[Any, Reference, str]]:
        """The others' moves, until the player acts or the game is over."""
        for probability, deal, history in situations:
            game = after(deal, history, **options)
            if game.over() or game.player == player:
                yield probability, game, deal
                continue
            chosen = policy(game.information_set(), sorted(game.legal()))
            yield from forward([(probability * p, deal, (*history, a)) for a, p in chosen.items()])

    def best(situations: Situations) -> Any:
        total: Any = 0
        known: dict[tuple, Situations] = defaultdict(list)
        for probability, game, deal in forward(situations):
            if game.over():
                total += probability * Fraction(game.returns()[player])
            else:
                known[game.information_set()].append((probability, deal, game.history))
        for together in known.values():
            _, deal, history = together[0]
            total += max(
                best([(p, d, (*h, action)) for p, d, h in together])
                for action in after(deal, history, **options).legal()
            )
        return total

    return best([(p, deal, ()) for deal, p in deals(options.get("rules", "uh")).items()])
