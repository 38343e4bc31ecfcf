"""RLCard's own answer to "what may be played?", in our notation (needs the `peers` extra)."""

from types import SimpleNamespace

from rlcard.games.doudizhu.judger import DoudizhuJudger
from rlcard.games.doudizhu.utils import get_gt_cards

THEIRS = str.maketrans("SB", "BR")
"""RLCard calls the black (small) joker B and the red (big) joker R."""
OURS = str.maketrans("BR", "SB")


def legal(hand: str, target: str | None) -> set[str]:
    """The legal actions of a hand as sorted cards, or PASS.

    Args:
        hand: Rank letters.
        target: The cards to beat in rank order, None for the leader.
    """
    theirs = hand.translate(THEIRS)
    if target is None:
        actions = DoudizhuJudger.playable_cards_from_hand(theirs)
    else:
        cards = [
            SimpleNamespace(rank="", suit=letter + "J")
            if letter in "BR"
            else SimpleNamespace(rank=letter, suit="S")
            for letter in theirs
        ]
        actions = get_gt_cards(
            SimpleNamespace(current_hand=cards),
            SimpleNamespace(played_cards=target.translate(THEIRS)),
        )
    return {"PASS" if a == "pass" else a.translate(OURS) for a in actions}
