"""The heuristic agents of Daihinmin: kou by the formulas of its paper, and two stand-ins."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from closedhand import Game, InputError, make_agent, make_game
from closedhand.baselines.daihinmin import decompose as division
from closedhand.baselines.daihinmin.min_sets import MOST_RUNS, fewest
from closedhand.baselines.daihinmin.strength import foes_of, locked, strength_of
from closedhand.baselines.daihinmin.variants import VARIANTS, Numbers
from closedhand.games.daihinmin.plays import DECK, PASS
from closedhand.games.daihinmin.records import cards_in, parse_cards

GAME = make_game("daihinmin")
REST = "5c 5d 5h 5s"
"""Cards that are above little."""


def position(
    hand: str, unseen: str, target: str = "", owner: int = 1, left: int = 9, **fields: Any
) -> Any:
    """The view of player 0, who leads or has `target` before him; others may hold `unseen`."""
    view = GAME.empty(1)[0]
    view.seats[:], view.classes[:], view.places[:] = range(5), -1, -1
    view.next[:] = [1, 2, 3, 4, 0]
    own, others = parse_cards(hand), parse_cards(unseen)
    assert own & others == 0
    view.hands[0] = own
    view.played[4] = int(DECK) & ~own & ~others
    view.left[:] = [own.bit_count(), *[left] * 4]
    view.leader = 1
    view.target = GAME.parse(target) if target else -1
    view.owner = owner if target else 0
    for name, value in fields.items():
        view[name] = value
    for player in range(5):
        if view.passed >> player & 1 and view.out:
            view.places[player] = player
    return view


def choice(agent: str, *where: Any, game: Game = GAME, **fields: Any) -> str:
    """What an agent does there."""
    return GAME.text(make_agent(game, agent).act(position(*where, **fields)))


@pytest.mark.parametrize(
    ("play", "unseen", "fields", "expected"),
    [
        # Singles: 30 for each stronger rank, 1 for the joker.
        ("Qc", "Kc Ac Ad 2s *", {}, 100 - 3 * 30 - 1),
        ("Ac", "Kc Ad 2s 2h *", {}, 100 - 30 - 1),
        ("2c", "Kc 2s *", {}, 99),
        ("2c", "Kc 2s", {}, 100),
        ("9c", "Tc Jc Qc Kc Ac", {}, 1),
        ("9c", "Tc 8c 7c 3c", {"revolution": 1}, 100 - 2 * 30),
        ("8c", "9c 2c *", {}, 101),
        ("*", "3s 2c", {}, 1),
        ("*", "3c 2c", {}, 100),
        # Pairs: K 4 (two unseen), A 9 (three), 2 15 (four); J 1, with the joker only.
        ("TcTd", "Jc Kc Kd Ac Ad Ah 2c 2d 2h 2s", {}, 100 - 4 - 9 - 15),
        ("TcTd", "Jc Kc Kd Ac Ad Ah 2c 2d 2h 2s *", {}, 100 - 4 - 9 - 15 - 1),
        ("TcTd", "Jc Kc Kd Ac Ad Ah 2c 2d 2h 2s", {"out": 1}, 100 - 9 - 15 - 24),
        ("TcTd", "Jc Kc Kd Ac Ad Ah 2c 2d 2h 2s", {"out": 3}, 100 - 3 * 30),
        ("TcTdTh", "Kc Kd Ac Ad Ah 2c 2d 2h 2s", {}, 100 - 4 - 9),
        ("TcTd", "9c 9d Qc Kc", {}, 100),
        # Kaidan: each that is above it, by the players who are out plus one; 1 with the joker.
        ("3c4c5c", "5d 6d 7d 8d 9d", {}, 100 - 2),
        ("3c4c5c", "5d 6d 7d 8d 9d", {"out": 2}, 100 - 2 * 3),
        ("3c4c5c", "5d 6d 7d 8d 9d", {"out": 3}, 100 - 2 * 15),
        ("3c4c5c", "6d 7d 9d *", {}, 100 - 2),
        ("6c7c8c", "9d Td Jd", {}, 101),
        # Nobody holds so many cards.
        ("3c3d", "2c 2d 2h", {"left": 1}, 100),
    ],
)
def test_strengths_are_those_of_the_paper(
    play: str, unseen: str, fields: dict[str, Any], expected: int
) -> None:
    view = position("3d" if "3d" not in play else "4h", unseen, **fields)
    foes = foes_of(GAME.rules, view, view.revolution, view.passed)
    assert strength_of(GAME.rules, Numbers(), foes, GAME.parse(play)) == expected


def test_under_a_lock_only_its_suits_count() -> None:
    view = position("Jc Kc", "Qd Qh Kd Ac 2d 2h")
    foes = foes_of(GAME.rules, view, 0, 0)
    jack = GAME.parse("Jc")
    assert strength_of(GAME.rules, Numbers(), foes, jack) == 1
    assert strength_of(GAME.rules, Numbers(), locked(foes, 1), jack) == 70


def divide(hand: str, unseen: str, **fields: Any) -> Any:
    """The plays of a hand in the present order of ranks, and its weakness."""
    view = position(hand, unseen, **fields)
    foes = foes_of(GAME.rules, view, view.revolution, 0)
    parts: Any = np.zeros(division.MOST_PARTS, division.PART)
    n = division.decompose(Numbers(), foes, view.hands[0], parts)
    found = {"".join(cards_in(part["cards"])) for part in parts[:n]}
    return found, division.weakness(Numbers(), parts, n)


@pytest.mark.parametrize(
    ("hand", "plays"),
    [
        ("3c 4c 5c 9d 9h Jh", "3c4c5c 9d9h Jh"),
        # All ranks of the run pair as well, but for the 8.
        ("6c 7c 8c 6d 7d Jh", "6c6d 7c7d 8c Jh"),
        ("5c 6c 7c 6d 7d Jh", "5c6c7c 6d 7d Jh"),
        ("Qc Kc Ac 2c 3d", "QcKcAc 2c 3d"),
        ("Kc Ac 2c 3d", "Kc Ac 2c 3d"),
        ("8c 8d 2c 2d 2h *", "8c 8d 2h 2c2d *"),
        # A pair of As is no strong card here.
        ("Ac Ad 5h", "AcAd 5h"),
    ],
)
def test_hands_are_divided_as_the_paper_says(hand: str, plays: str) -> None:
    assert divide(hand, "3s 4d 2s")[0] == set(plays.split())


def test_under_revolution_hands_are_divided_in_the_mirror() -> None:
    # Turned, ranks 2 A K 3 are 3 4 5 2: the 3 is strongest.
    found, _ = divide("3c 3d 2c Ac Kc", "5h 6h", revolution=1)
    assert found == {"3c" if "3c" in found else "9", "2h", "2d"} | {"3c4c5c"} or "3c4c5c" in found


@pytest.mark.parametrize(
    ("hand", "unseen", "expected"),
    [
        # 3 (1) 2, A (69) 0, 2 (99) -1.
        ("3c Ac 2c", "4d Td Kd Ad 2d *", 2 + 0 - 1),
        # K (39) 1, joker -2, triple 9 without any above -1.
        ("Kc * 9c 9d 9h", "3s 4d Td Ad 2d", 1 - 2 - 1),
        # The single 2, and a pair of them.
        ("2c 2d 2h", "4d *", -1 - 2),
    ],
)
def test_weakness_adds_up(hand: str, unseen: str, expected: int) -> None:
    assert divide(hand, unseen)[1] == expected


@pytest.mark.parametrize(
    ("where", "fields", "action"),
    [
        # Winning form: all but the 3 end their tricks; the weak one goes last.
        (("3c 8d 2c", "4d 5d Kd Ad"), {}, "2c"),
        (("3c 8d 2c", "4d 5d Kd Ad", "7h"), {}, "8d"),
        # Otherwise the lowest rank leads, of equal ones the larger set.
        (("3c 6d 6h Jc", "4d Td Kd Ad 2d"), {}, "3c"),
        (("3c 3h Jc 4d 9s", "Td Kd Ad 2d"), {}, "3c3h"),
        (("3c Jc 4d 9s", "Td Kd Ad 2d 5d"), {"revolution": 1}, "Jc"),
        # Follows with the lowest single; breaks nothing for it.
        (("3c 6d Jc Qc Qd", "4d Td Kd Ad 2d", "5h"), {}, "6d"),
        # A strong card is reserved while the hand is weak.
        (("3c 4c 5d 6d 7h 2c", "Td Kd Ad 2d Qh", "Ah"), {}, "PASS"),
        (("3c 4c 2c", "Td Kd Ad Qh", "Ah"), {}, "2c"),
        # Over its own trick, when all have passed, it lays off what is weak.
        (("3c Jh Kh 2c", "Td Kd Ad 2d", "9c", 0), {"passed": 0b11110}, "Jh"),
        (("3c 4h 2c", "Td Kd Ad 2d", "9c", 0), {"passed": 0b11110}, "PASS"),
        # A lock is begun where the suit's top card is its own, not otherwise.
        (("3d 4d 5s 6h Jc 2c", "Td Kd Ac 2h Qh", "9c"), {}, "Jc"),
        (("3d 4d 5s 6h Jc Ah", "Td Kd Ac 2c Qh", "9c"), {}, "PASS"),
        # The whole hand, the joker in it.
        (("7c *", "3s 2c"), {}, "7c7d*"),
        (("3s 4d 5d", "Kd Ad", "*"), {}, "3s"),
    ],
)
def test_kou_plays(where: tuple[Any, ...], fields: dict[str, Any], action: str) -> None:
    assert choice("kou", *where, **fields) == action


def exchange(agent: str, deal: str) -> list[str]:
    """The cards that winners give who are all of one agent."""
    state = GAME.parse_deal(deal)
    player = make_agent(GAME, agent)
    given = []
    while state.leader < 0:
        action = player.act(GAME.view(state, int(state.player)))
        given.append(GAME.text(action))
        GAME.play(state, action)
    return given


EXCHANGE = (
    "01234;01234;3c4c5cTcTd9h9sQcAcAd2c;5dJc4h4s6d6h7c7d8cKcAh;3d3h3s5h5s6c7h8dQdKd;"
    "4d6s7s8h9cJdJhTsQh8s;9dThJsQsKhKsAs2d2h2s*"
)
"""The daifugo gets * and 2s, the fugo Q."""


def test_kou_gives_what_its_hand_is_better_without() -> None:
    # The joker and a 2 come in; 3c4c5c is a kaidan, T and 9 pairs: only the Q is alone and weak.
    assert "Qc" in exchange("kou", EXCHANGE)[:2]
    assert exchange("kou", EXCHANGE)[2] in ("5d", "Jc")
    # Without a price on its hand it gives the lowest ranks, but 3s, 8s, Ks and As.
    assert exchange("kou:give_weakness=0", EXCHANGE)[:2] == ["4c", "5c"]
    assert exchange("kou:give_weakness=0,give_three=0", EXCHANGE)[:2] == ["3c", "4c"]


@pytest.fixture(scope="module")
def views() -> np.ndarray:
    """Many decisions of rounds of `kou`."""
    game = make_game("daihinmin", rounds=10)
    player, found = make_agent(game, "kou"), []
    rng = np.random.default_rng(3)
    for _ in range(6):
        state = game.deal(rng)
        while not game.over(state):
            view = game.view(state, int(state.player))
            found.append(view)
            game.play(state, player.act(view))
    return np.array(found, game.dtype)


def decisions(agent: str, views: np.ndarray) -> np.ndarray:
    return make_agent(GAME, agent).act_batch(views)  # type: ignore[attr-defined]


@pytest.mark.parametrize("variant", [*VARIANTS, "unwanted_lock=1", "w80,lock+"])
def test_variants_decide_otherwise(variant: str, views: np.ndarray) -> None:
    differ = decisions("kou", views) != decisions(f"kou:{variant}", views)
    leads = views["target"] < 0
    assert differ.any()
    if variant.startswith("lock") or variant in ("use_2", "unwanted_lock=1"):
        assert not differ[leads].any()
    if variant in ("weak", "single"):
        assert not differ[~leads].any()


def test_variants_are_numbers(views: np.ndarray) -> None:
    assert (decisions("kou:w80", views) == decisions("kou:threshold=80", views)).all()
    assert (decisions("kou", views) == decisions("kou:threshold=95,eight=101", views)).all()


@pytest.mark.parametrize("argument", ["w70", "threshold", "threshold=", "threshold=x", "w80,,w90"])
def test_bad_variants_are_refused(argument: str) -> None:
    with pytest.raises(InputError, match=r"kou has no variant .*w100.*threshold=NUMBER"):
        make_agent("daihinmin", f"kou:{argument}")


def fewest_by_brute_force(cards: int) -> int:
    """The fewest plays by trying every play that contains the lowest card, then the rest."""
    known = {0: 0}

    def solve(left: int) -> int:
        if left not in known:
            lowest = left & -left
            known[left] = 1 + min(
                solve(left & ~need) for need in needs if need & lowest and not need & ~left
            )
        return known[left]

    needs = {int(need) for need in GAME.rules.plays.need[:PASS] if not int(need) & ~cards}
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
