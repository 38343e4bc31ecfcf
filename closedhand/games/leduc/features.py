"""A player's compact observation: the cards by kind, the bets, and the whole betting history."""

from closedhand.core.features import Feature, FeatureTable, labels
from closedhand.core.numba.jit import kernel
from closedhand.games.leduc.planes import write_actions, write_flop
from closedhand.games.leduc.plays import ACTIONS, VARIANTS
from closedhand.games.leduc.state import SEATS, Rules, revealed

SEAT, PHASE, BETS, CARDS = 0, SEATS, SEATS + 1, 2 * SEATS + 1  # first index of each group


def table(rules: Rules) -> FeatureTable:
    """Return the table of the compact observation under some rules."""
    kinds = tuple(VARIANTS["uh"].deck)[: rules.tables.kinds]
    most = int(rules.tables.nodes["bets"].max())
    turns = range(1, rules.tables.longest + 1)
    return FeatureTable(
        Feature("seat", ("S", "T"), "the observer's seat"),
        Feature("phase", ("2",), "whether the flop is revealed"),
        Feature("bet", ("self", "opponent"), "the player's bet", most=most),
        Feature("card", kinds, "the observer's card"),
        Feature("flop", kinds, "the flop, all 0 in phase 1"),
        Feature("action", labels((1, 2), turns, ACTIONS),
                "the actions of phase 1 in order, then those of phase 2; S acts first in both"),
    )  # fmt: skip


@kernel
def features(rules, state, player, out):
    """Write the compact observation, in the order of `table`, to `out`, which is all zero."""
    kinds = rules.tables.kinds
    at = rules.tables.nodes[state.node]
    out[SEAT + player] = 1
    out[PHASE] = revealed(rules, state)
    out[BETS] = at.bets[player]
    out[BETS + 1] = at.bets[1 - player]
    out[CARDS + state.cards[player]] = 1
    write_flop(rules, state, out[CARDS + kinds :])
    write_actions(rules, state, len(ACTIONS), out[CARDS + 2 * kinds :])
