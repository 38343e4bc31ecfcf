"""What kou and other heuristic agents do."""

import pytest
from support_daihinmin import GAME, position

from closedhand import make_agent


def choice(agent: str, *where: str) -> str:
    """What an agent does there."""
    return GAME.text(make_agent(GAME, agent).act(position(*where)))


# An agent, its hand, what is unseen, the play to beat, fields of the view; what it does.
DECISIONS = """
# The strongest of the weak plays leads, as rank 13 "if m is the strongest" has priority.
letter: 3c 8d Jc Kh: 4d 5d Td Ad 2d *: : : Kh
kou[letter=1,weakest_first=1]: 3c 8d Jc Kh: 4d 5d Td Ad 2d *: : : 3c
# The strongest play follows, the 8 before the 2; nothing but the hand's own plays.
letter: 3c 8d 2c: Td Kd Ad Qh: 5h: : 8d
letter: 3c 9d 9h Ac 2c: Td Kd Ad 2d Qh: 5h: : 2c
# A strong card is reserved while the hand is weak; of the others the highest priority follows.
letter: 3c 4c 5d 6d 7h 2c: Td Kd Ad 2d Qh: Ah: : PASS
letter: 3c 4c 5d 6d 7h 2c: Td Kd Ad 2d Qh *: 4h: : 2c
# Over its own trick it passes.
letter: 3c Jh Kh 2c: Td Kd Ad 2d: 9c: passed=30 owner=0: PASS
# Jc would start a lock that only a player with the strongest club wants.
letter: 3d 4d Jc: Td Kd Ac 2c Qc: 9c: : PASS
letter: 3d 4d Jc: Td Kd Ad 2d Qd: 9c: : Jc
# Winning form, all but the 3 end their tricks; the weak one goes last.
kou: 3c 8d 2c: 4d 5d Kd Ad: : : 2c
# Otherwise the lowest rank leads, of equal ones the larger set.
kou: 3c 3h Jc 4d 9s: PAIRS: : : 3c3h
kou: 3c Jc 4d 9s: Td Kd Ad 2d 5d: : revolution=1: Jc
# Follows with the lowest single; breaks nothing for it.
kou: 3c 6d Jc Qc Qd: 4d Td Kd Ad 2d: 5h: : 6d
# A strong card is reserved while the hand is weak.
kou: 3c 4c 5d 6d 7h 2c: Td Kd Ad 2d Qh: Ah: : PASS
kou: 3c 4c 2c: Td Kd Ad Qh: Ah: : 2c
# Over its own trick it passes, when all have passed.
kou: 3c Jh Kh 2c: Td Kd Ad 2d: 9c: passed=30 owner=0: PASS
# A lock ends the trick where the suit's top card is its own.
kou: 3d 3h Jc 2c: Tc Ts Qc Kh Ac 2h: 9c: : Jc
kou: 7c *: 3s 2c: : : 7c7d*
kou: 3s 4d 5d: Kd Ad: *: : 3s
# A sure win, what ends the trick goes first, the 3s last.
min-sets: 3c 3d 8h 2c: Kd Ad 4h: : : 8h
min-sets: 3c 3d 8h 2c: Kd Ad 4h: 9h: : 2c
# The kaidan saves a play, the pair of 4s does not.
min-sets: 3c 4c 5c 4d Jh Kh: 6d 7d 8d 9d Td 6h 7h 8h 9h Th: : : 3c4c5c
# The lowest single of those that break no set, rather one that locks.
min-sets: 3c 6d 9c Jd Qc Qd: 4d Td Kd Ad 2d *: 5h: : 6d
min-sets: 3c 6d 9c Jd Qc Qd: 4d Td Kd Ad 2d *: 5c: : 9c
min-sets: 9c 9d Jc Jd: 4d Td Kd Ad 2d *: 5h: : PASS
min-sets: 3c 4d 5h 6s 7c 9h Jd 2c: Td Kd Ad 2d: Qh: : PASS
min-sets: 3c 4d 5h 9h 2c: Td Kd Ad 2d: Qh: : 2c
# The joker goes along with the lowest card.
trick-ender: 4c 9d Jh Qs *: PAIRS: : : 4c4d*
# What ends a trick is kept while many plays remain, spent when few do.
trick-ender: 3c 4d 5h 6s 7c 9h Jd Qd 2c: Td Kd Ad 2d *: Kh: : PASS
trick-ender: 3c 4d 5h 9h 2c: Td Kd Ad 2d *: Kh: : 2c
trick-ender: 3c 4d 5h 6s 7c 9h Td Qd Kc: Kd Ac Ad 2d *: Jc: : Qd
trick-ender: 3c 4d 5h 6s 7c 9h Td Qd Kc: Kd Ad 2d *: Jc: : Kc
"""


@pytest.mark.slow
@pytest.mark.parametrize("line", [line for line in DECISIONS.split("\n") if ":" in line])
def test_agents_play(line: str) -> None:
    agent, hand, unseen, target, fields, action = (part.strip() for part in line.split(":"))
    agent = "kou[letter=1]" if agent == "letter" else agent
    assert choice(agent, hand, unseen, target, fields) == action


EXCHANGE = (
    "01234;01234;3c4c5cTcTd9h9sQcAcAd2c;5dJc4h4s6d6h7c7d8cKcAh;3d3h3s5h5s6c7h8dQdKd;"
    "4d6s7s8h9cJdJhTsQh8s;9dThJsQsKhKsAs2d2h2s*"
)
"""The daifugo gets * and 2s, the fugo Qh."""


def given(agent: str) -> list[str]:
    """What the daifugo and the fugo give."""
    state, cards = GAME.parse_deal(EXCHANGE), []
    while state.leader < 0:
        cards.append(make_agent(GAME, agent).act(GAME.view(state, int(state.player))))
        GAME.play(state, cards[-1])
    return [GAME.text(card) for card in cards]


def test_kou_gives_what_its_hand_is_better_without() -> None:
    # The joker and a 2 come in. Of the weak plays 99 TT Qc the first is the lowest that two cards
    # can undo; a card of 3c4c5c would leave two more of them.
    assert given("kou")[:2] == ["9h", "9s"]
    # Without a price on its hand it gives the lowest ranks, but 3s.
    assert given("kou[give_weakness=0]")[:2] == ["4c", "5c"]


def test_an_unwanted_lock_gives_no_strength_or_is_not_played() -> None:
    where = ("3d 4d 5s 6h Jc", "Td Kd Ac 2c Qc", "9c")
    assert choice("kou", *where) == choice("kou:lock+", *where) == "Jc"
    for agent in ("kou[unwanted_lock=0]", "kou[unwanted_lock=-1]", "kou:lock-"):
        assert choice(agent, *where) == "PASS"
    # A strong play, the 8, is made all the same, but not to the letter.
    where = ("3d 4d 8c", "9c Td Kd Ac 2c Qc", "7c")
    assert choice("kou[unwanted_lock=0]", *where) == "8c"
    assert choice("kou[unwanted_lock=-1]", *where) == "PASS"
