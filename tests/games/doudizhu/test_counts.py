"""Cards in packed counts."""

import pytest
from hypothesis import given, settings, strategies as st

from closedhand.games.doudizhu.counts import (
    DECK,
    RANKS,
    at_least,
    bytes_of_counts,
    contains,
    count,
    pack,
    size,
    unpack,
)

hands = st.permutations(list("3456789TJQKA2" * 4 + "SB")).flatmap(
    lambda deck: st.integers(0, 20).map(lambda n: "".join(deck[:n]))
)


@settings(max_examples=200, deadline=None)
@given(hands)
def test_packing_round_trips(hand: str) -> None:
    packed = pack(hand)
    assert sorted(unpack(packed)) == sorted(hand)
    assert size(packed) == len(hand)
    assert contains(DECK, packed)
    for number in (1, 2, 3, 4):
        expected = "".join(r for r in RANKS if hand.count(r) >= number)
        assert unpack(at_least(packed, number)) == expected
    counts = [count(packed, i) for i in range(15)]
    assert counts == [hand.count(r) for r in RANKS]
    assert list(int(bytes_of_counts(packed)).to_bytes(8, "little")) == counts[:8]


@pytest.mark.parametrize("text", ["SS", "3BB", "33333", "x", "10"])
def test_a_hand_holds_no_more_than_the_deck(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a card|more than the deck holds"):
        pack(text)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(hands, hands)
def test_contains_is_the_subset_of_multisets(hand: str, cards: str) -> None:
    assert contains(pack(hand), pack(cards)) == all(hand.count(c) >= cards.count(c) for c in cards)
