"""The heuristic agents of Daihinmin: kou by the formulas of its paper, and two stand-ins."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from closedhand import InputError, make_agent, make_game
from closedhand.baselines.daihinmin.kou import division
from closedhand.baselines.daihinmin.kou.strength import foes_of, locked, strength_of
from closedhand.baselines.daihinmin.kou.variants import VARIANTS, Numbers, parse
from closedhand.baselines.daihinmin.min_sets import MOST_RUNS, fewest
from closedhand.core.agents import act_batch
from closedhand.games.daihinmin.notation import cards_in, parse_cards
from closedhand.games.daihinmin.plays import DECK, PASS

GAME = make_game("daihinmin")
PAIRS = "3s Td Th Kd Ks Ad As 2d 2h"
"""With these unseen a low pair has 100 - 4 x 4, a low triple 100."""


def position(hand: str, unseen: str, target: str = "", fields: str = "") -> Any:
    """The view of player 0, and fields of it such as `out=1 left=2`; others may hold `unseen`."""
    view = GAME.empty(1)[0]
    view.classes[:], view.places[:] = -1, -1
    own, others = parse_cards(hand), parse_cards(PAIRS if unseen == "PAIRS" else unseen)
    assert own & others == 0
    view.hands[0] = own
    view.played[4] = int(DECK) & ~own & ~others
    view.left[:], view.leader, view.owner, view.target = 9, 1, 0, -1
    if target:
        view.owner, view.target = 1, GAME.parse(target)
    for field in fields.split():
        view[field.partition("=")[0]] = int(field.partition("=")[2])
    view.left[0] = own.bit_count()
    return view


def choice(agent: str, *where: str) -> str:
    """What an agent does there."""
    return GAME.text(make_agent(GAME, agent).act(position(*where)))


def foes(view: Any, lock: int = 0) -> Any:
    """What may stand against the plays of player 0; numbers as kernels have them."""
    found = foes_of(GAME.rules, view, view.revolution, 0)
    found = locked(found._replace(cards=np.uint64(found.cards)), lock)
    return found._replace(cards=np.uint64(found.cards))


# A play, what is unseen, fields of the view, the strength.
STRENGTHS = """
Qc: Kc Ac Ad 2s *: : 100 - 3 * 30 - 1
2c: Kc 2s *: : 99
9c: Tc Jc Qc Kc Ac: : 1
9c: Tc Jc 8c 7c: revolution=1: 100 - 2 * 30
8c: 9c 2c *: : 101
*: 3s 2c: : 1
TcTd: Jc Kc Kd Ac Ad Ah 2c 2d 2h 2s: : 100 - 4 - 9 - 15
TcTd: Jc Kc Kd Ac Ad Ah 2c 2d 2h 2s *: : 100 - 4 - 9 - 15 - 1
TcTd: Jc Kc Kd Ac Ad Ah 2c 2d 2h 2s: out=1: 100 - 9 - 15 - 24
TcTd: Jc Kc Kd Ac Ad Ah 2c 2d 2h 2s: out=3: 100 - 3 * 30
TcTdTh: Kc Kd Ac Ad Ah 2c 2d 2h 2s: : 100 - 4 - 9
3c4c5c: 5d 6d 7d 8d 9d: : 100 - 2
3c4c5c: 5d 6d 7d 8d 9d: out=3: 100 - 2 * 15
3c4c5c: 6d 7d 9d *: : 100 - 2
3c3d: 2c 2d 2h: left=1: 100
"""


@pytest.mark.parametrize("line", STRENGTHS.strip().splitlines())
def test_strengths_are_those_of_the_paper(line: str) -> None:
    play, unseen, fields, expected = line.split(":")
    view = position("4h", unseen, "", fields)
    assert strength_of(GAME.rules, Numbers(), foes(view), GAME.parse(play)) == eval(expected)


def test_under_a_lock_only_its_suits_count() -> None:
    view, jack = position("Jc Kc", "Qd Qh Kd Ac 2d 2h"), GAME.parse("Jc")
    assert strength_of(GAME.rules, Numbers(), foes(view), jack) == 1
    assert strength_of(GAME.rules, Numbers(), foes(view, lock=1), jack) == 70


def divide(*where: str) -> Any:
    """The plays of a hand in the present order of ranks, and its weakness."""
    view = position(*where)
    parts: Any = np.zeros(division.MOST_PARTS, division.PART)
    n = division.decompose(Numbers(), foes(view), view.hands[0], parts)
    found = {"".join(cards_in(part["cards"])) for part in parts[:n]}
    return found, division.weakness(Numbers(), parts, n)


# A hand, its plays (6c 7c 8c pair all but for the 8).
DIVISIONS = """
3c 4c 5c 9d 9h Jh: 3c4c5c 9d9h Jh
6c 7c 8c 6d 7d Jh: 6c6d 7c7d 8c Jh
5c 6c 7c 6d 7d Jh: 5c6c7c 6d 7d Jh
Qc Kc Ac 2c 3d: QcKcAc 2c 3d
8c 8d 2c 2d 2h *: 8c 8d 2h 2c2d *
"""


@pytest.mark.parametrize("line", DIVISIONS.strip().splitlines())
def test_hands_are_divided_as_the_paper_says(line: str) -> None:
    hand, plays = line.split(":")
    assert divide(hand, "3s 4d 2s")[0] == set(plays.split())
    # Under revolution the ranks 3 K A 2 are 2 5 4 3 to kou: the 3s are strongest.
    assert divide("3c 3d 2c Ac Kc", "5h 6h", "", "revolution=1")[0] == {"3c4c5c", "2c", "2d"}


def test_weakness_adds_up() -> None:
    # 3 (1) adds 2, A (69) 0, 2 (99) -1; K (39) 1, the joker -2, 999 (100) -1.
    assert divide("3c Ac 2c", "4d Td Kd Ad 2d *")[1] == 2 + 0 - 1
    assert divide("Kc * 9c 9d 9h", "3s 4d Td Ad 2d")[1] == 1 - 2 - 1


# An agent, its hand, what is unseen, the play to beat, fields of the view; what it does.
DECISIONS = """
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
# Over its own trick, when all have passed, it lays off what is weak.
kou: 3c Jh Kh 2c: Td Kd Ad 2d: 9c: passed=30 owner=0: Jh
kou: 3c 4h 2c: Td Kd Ad 2d: 9c: passed=30 owner=0: PASS
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


@pytest.mark.parametrize("line", [line for line in DECISIONS.split("\n") if ":" in line])
def test_agents_play(line: str) -> None:
    agent, hand, unseen, target, fields, action = (part.strip() for part in line.split(":"))
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
    assert given("kou:give_weakness=0")[:2] == ["4c", "5c"]


def test_an_unwanted_lock_gives_no_strength_or_is_not_played() -> None:
    where = ("3d 4d 5s 6h Jc Ah", "Td Kd Ac 2c Qc", "9c")
    assert choice("kou", *where) == choice("kou:lock+", *where) == "Jc"
    assert choice("kou:unwanted_lock=0", *where) == choice("kou:lock-", *where) == "PASS"


@pytest.fixture(scope="module")
def views() -> np.ndarray:
    """Many decisions of rounds of `kou`."""
    game, found = make_game("daihinmin", rounds=60), []
    state, player = game.deal(np.random.default_rng(3)), make_agent(game, "kou")
    while not game.over(state):
        found.append(game.view(state, int(state.player)))
        game.play(state, player.act(found[-1]))
    return np.array(found, game.dtype)


@pytest.mark.parametrize("variant", [*VARIANTS, "unwanted_lock=0", "w80,lock+"])
def test_variants_decide_otherwise(variant: str, views: np.ndarray) -> None:
    plain, other = make_agent(GAME, "kou"), make_agent(GAME, f"kou:{variant}")
    differ = act_batch(plain, views) != act_batch(other, views)
    leads = views["target"] < 0
    assert differ.any()
    assert differ[leads].any() == (variant[0] == "w" or variant == "single")
    assert differ[~leads].any() == (variant not in ("weak", "single"))


def test_variants_are_numbers() -> None:
    assert parse("w80") == parse("threshold=80") == Numbers(threshold=80) != parse(None)
    assert parse("lock-,weak,hold_rise=-3") == Numbers(lock=-1, lead=1, hold_rise=-3)


@pytest.mark.parametrize("argument", ["w70", "threshold", "threshold=", "threshold=x", "w80,,w90"])
def test_bad_variants_are_refused(argument: str) -> None:
    with pytest.raises(InputError, match=r"kou has no variant .*w100.*threshold=NUMBER"):
        make_agent("daihinmin", f"kou:{argument}")


def fewest_by_brute_force(cards: int) -> int:
    """The fewest plays by trying every play that contains the lowest card, then the rest."""
    needs = {int(need) for need in GAME.rules.plays.need[:PASS] if not int(need) & ~cards}

    @cache
    def solve(left: int) -> int:
        lowest = left & -left
        options = [need for need in needs if need & lowest and not need & ~left]
        return 1 + min(solve(left & ~need) for need in options) if left else 0

    return solve(cards)


def test_the_fewest_plays_are_those_of_every_partition() -> None:
    rng = np.random.default_rng(0)
    runs = np.empty(MOST_RUNS, np.uint64)
    # Few ranks and suits, so that sets of all kinds overlap; the joker in half of the hands.
    pool = [4 * rank + suit for rank in range(3, 10) for suit in range(3)]
    counts = []
    for i in range(300):
        cards = sum(1 << int(c) for c in rng.choice(pool, rng.integers(1, 10), replace=False))
        cards |= (i % 2) << 52
        counts.append(fewest_by_brute_force(cards))
        assert fewest(GAME.rules, np.uint64(cards), runs) == counts[-1], cards_in(cards)
    assert {1, 2, 3, 4, 5} <= set(counts)
