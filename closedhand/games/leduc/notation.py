"""The notation of the Leduc family: actions, deals and game records.

An action is `fold`, `check`, `call` or `raise`. A deal is three cards, `SK;HQ;SA`: those of S
(player 0) and T (player 1), and the flop. A record is a deal followed by all actions, such as
`SK;HQ;SA;check raise call raise raise call`. Any other text raises an `InputError`.
"""

from collections import Counter

import numpy as np

from closedhand.core.display import Row
from closedhand.core.game import Game, InputError, State
from closedhand.core.notation import TableNotation
from closedhand.core.records import Record, stated_options
from closedhand.games.leduc.explanations import EXPLANATIONS
from closedhand.games.leduc.plays import ACTIONS, KINDS, VARIANTS, name
from closedhand.games.leduc.rules import begin, over
from closedhand.games.leduc.state import FLOP, SEATS, STATE, UNKNOWN, Rules, revealed

CARDS = tuple(VARIANTS["uh"].deck)
"""Text of every kind of card, by id; the kinds of standard Leduc are the first six."""

assert len(CARDS) == KINDS and CARDS[:6] == tuple(VARIANTS["standard"].deck)

HIDDEN = "*"
"""Text of a card that a view hides."""


def card_text(card: int) -> str:
    """Write a kind of card, `*` for `UNKNOWN`."""
    return HIDDEN if card == UNKNOWN else CARDS[card]


class Notation(TableNotation):
    """Text of actions, deals and tables under the rules of one member of the family."""

    explanations = EXPLANATIONS
    texts = ACTIONS
    actions = f"an action: actions are {', '.join(ACTIONS)}"

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.cards = CARDS[: rules.tables.kinds]

    def card(self, text: str) -> int:
        """Parse a card of the deck to the id of its kind."""
        card = text.strip().upper()
        if card not in self.cards:
            raise InputError(f"{text!r} is not a card: cards are {', '.join(self.cards)}")
        return self.cards.index(card)

    def deal_text(self, state: State) -> str:
        """Write the cards of S and T, and the flop; `*` for a card that a view hides."""
        return ";".join(map(card_text, state.cards))

    def parse_deal(self, text: str) -> State:
        """Parse a deal, three cards that the deck holds together, to the state at its start."""
        fields = text.strip().rstrip(";").split(";")
        if len(fields) != SEATS + 1:
            raise InputError(f"a deal is three cards, of S, T and the flop, not {len(fields)}")
        state = np.zeros(1, STATE)[0]
        state.cards[:] = [self.card(field) for field in fields]
        for kind, number in Counter(state.cards.tolist()).items():
            if number > self.rules.tables.copies[kind]:
                raise InputError(f"the deck does not hold {number} cards {CARDS[kind]}")
        begin(state)
        return state

    def scene(self, state: State) -> list[Row]:
        """Return rows for S, T and the flop, face down until it is revealed; bets and actions."""
        node = self.rules.tables.nodes[state.node]
        running = not over(self.rules, state)
        shown = [card_text(card).strip(HIDDEN) for card in state.cards]
        rows: list[Row] = []
        for seat, number in enumerate(node["bets"]):
            label, bet = f"player_{seat} {'ST'[seat]}", f"bets {number}"
            active = bool(running and seat == state.player)
            rows.append(Row(label, (shown[seat],), bet, active, marks=(bet,)))
        flop = shown[FLOP] if revealed(self.rules, state) else ""
        actions = " ".join(ACTIONS[action] for action in state.history[: state.moves])
        ended = "" if running else f" = {name(node)}"
        pot = f"pot {sum(node['bets'])}"
        return [*rows, Row("flop", (flop,), actions + ended, marks=(pot,))]


def parse_record(line: str, game: Game) -> Record:
    """Parse a record, `card;card;flop;actions`; whether the actions are legal is not checked."""
    *cards, actions = f"{line.strip()};;".split(";", SEATS + 1)
    deal = ";".join(cards)
    game.parse_deal(deal)
    actions = actions.rstrip("; ")
    texts = tuple(game.text(game.parse(action)) for action in actions.split())
    return Record(game.name, stated_options(game), texts, deal=deal)
