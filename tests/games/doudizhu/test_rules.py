"""Dou Dizhu against its sources: scores, the paper's games, RLCard, DouZero."""

import importlib
import json
from collections import Counter
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from support import DATA, SHIPPED, examples, positions

from closedhand import Game, InputError, make_agent, make_game
from closedhand.core import contract, records
from closedhand.core.game import State
from closedhand.core.records import read, replay
from closedhand.games.doudizhu import hidden
from closedhand.games.doudizhu.auction import auction_length, is_opening
from closedhand.games.doudizhu.counts import RANKS, pack, size, unpack
from closedhand.games.doudizhu.game import average_difference, winning_percentage
from closedhand.games.doudizhu.notation import parse_record
from closedhand.games.doudizhu.plays import CATEGORIES, build
from closedhand.games.doudizhu.rules import begin
from closedhand.games.doudizhu.state import STATE

PAPER = DATA / "deeprocket_paper.txt"
DEAL = "4456777889JKKAA2B;335567899TTJJKAA2;4456689TTJQQQK22S;33Q"


def play_out(game_options: dict, moves: str, deal: str = DEAL) -> np.ndarray:
    game = make_game("doudizhu", **game_options)
    state = game.parse_deal(deal)
    for text in moves.split():
        game.play(state, game.parse(text))
    return game.returns(state)


# A landlord who runs out alone, with a bomb and the rocket.
SPRING = "3333456789TJQKA22;44455566677788899;9TTTJJJQQQKKKAAA2;2SB"
OTHERS = "PASS PASS "


@pytest.mark.parametrize(
    ("options", "returns"),
    [
        ({}, [24, -12, -12]),
        ({"base": 1}, [8, -4, -4]),
        ({"spring": True}, [48, -24, -24]),
        ({"objective": "win"}, [1, -1, -1]),
    ],
)
def test_scores_double_for_bombs_rocket_and_spring(options: dict, returns: list) -> None:
    moves = f"3333 {OTHERS} SB {OTHERS} 456789TJQKA {OTHERS} 222"
    assert play_out(options, moves, SPRING).tolist() == returns


@pytest.mark.parametrize("winner", range(3))
def test_spring_needs_that_nobody_answered(winner: int) -> None:
    """Peasants who never played, or a landlord who only led: one play more and nothing doubles."""
    game = make_game("doudizhu", spring=True)
    state = game.parse_deal(SPRING)
    state.left[winner] = 0
    for plays in product(range(3), repeat=3):
        state.plays[:] = plays
        spring = plays[1] + plays[2] == 0 if winner == 0 else plays[0] == 1
        assert abs(game.returns(state)).tolist() == ([12, 6, 6] if spring else [6, 3, 3])


def test_the_status_vector_counts_every_bomb() -> None:
    game = make_game("doudizhu")
    state = game.parse_deal(SPRING)
    for bombs, text in enumerate(f"3333 {OTHERS} SB {OTHERS}".split()):
        assert game.observe(state, 0)["status"][9] == min((bombs + 2) // 3, 2)
        game.play(state, game.parse(text))
    assert game.observe(state, 2)["status"][9] == 2


def test_spring_is_for_peasants_too() -> None:
    """The landlord plays once and never again."""
    deal = "3456789TJQKA3456B;3456789TJQKA78922;3456789TJQKATJQKA;22S"
    game = make_game("doudizhu", spring=True)
    state = game.parse_deal(deal)
    game.play(state, game.parse("3"))
    while not game.over(state):
        # The landlord passes, the down peasant plays the longest he has, the partner passes.
        legal = game.legal(state)
        seat = int(state.player)
        passing = game.parse("PASS")
        if seat == 1:
            best = max(legal, key=lambda a: (len(game.text(a)) if a != passing else 0, -a))
            game.play(state, int(best))
        else:
            game.play(state, passing)
    assert game.returns(state).tolist() == [-12, 6, 6]


def test_the_auction() -> None:
    game = make_game("doudizhu", bidding=True)
    state = game.parse_deal(DEAL)
    assert [game.text(a) for a in game.legal(state)] == ["PASS", "BID1", "BID2", "BID3"]
    game.play(state, game.parse("BID1"))
    assert [game.text(a) for a in game.legal(state)] == ["PASS", "BID2", "BID3"]
    game.play(state, game.parse("BID2"))
    game.play(state, game.parse("PASS"))
    assert (state.landlord, state.player, state.stake) == (1, 1, 2)
    assert size(state.hands[1]) == 20
    assert game.deal_text(state) == DEAL

    state = game.parse_deal(DEAL)
    game.play(state, game.parse("BID3"))
    assert (state.landlord, state.stake) == (0, 3)


@pytest.mark.parametrize(
    ("options", "words", "landlord", "stake"),
    [
        ({}, "CALL PASS PASS", 0, 3),
        ({}, "CALL ROB PASS PASS", 1, 6),
        ({}, "CALL PASS ROB ROB", 0, 12),
        ({}, "CALL ROB ROB ROB", 0, 24),
        ({"base": 1}, "PASS CALL ROB ROB", 1, 4),
        ({"base": 1}, "PASS PASS CALL", 2, 1),
        ({"rules": "two_players"}, "CALL PASS", 0, 3),
        ({"rules": "two_players"}, "PASS CALL", 1, 3),
        ({"rules": "two_players"}, "CALL ROB PASS", 1, 6),
        ({"rules": "two_players"}, "CALL ROB ROB ROB ROB", 0, 48),
        ({"open_hand": True}, "CALL PASS PASS SHOW", 0, 6),
        ({"doubling": True}, "PASS CALL PASS DOUBLE PASS DOUBLE", 1, 3),
    ],
    ids=str,
)
def test_calling_robbing_and_what_is_said_after_it(
    options: dict, words: str, landlord: int, stake: int
) -> None:
    game = make_game("doudizhu", bidding=True, robbing=True, **options)
    state = game.deal(np.random.default_rng(0))
    for word in words.split():
        assert is_opening(game.rules, state)
        game.play(state, game.parse(word))
    assert not is_opening(game.rules, state)
    assert (state.landlord, state.player, state.stake) == (landlord, landlord, stake)


@pytest.mark.parametrize(
    ("words", "returns"),
    [
        ("PASS PASS PASS", [24, -12, -12]),
        ("DOUBLE PASS PASS", [48, -24, -24]),
        ("PASS DOUBLE PASS", [36, -24, -12]),
        ("DOUBLE PASS DOUBLE", [72, -24, -48]),
    ],
)
def test_the_landlord_settles_with_each_peasant(words: str, returns: list) -> None:
    moves = f"{words} 3333 {OTHERS} SB {OTHERS} 456789TJQKA {OTHERS} 222"
    assert play_out({"doubling": True}, moves, SPRING).tolist() == returns


def test_a_peasant_of_two_wins_with_the_cards_conceded() -> None:
    deal = "566778899TTJJKKAA;5566778899TTJJQK2;QQAA222SB;5QK"
    game = make_game("doudizhu", rules="two_players")
    state = game.parse_deal(deal)
    for text in ("CALL", "ROB", "ROB", "PASS", "5", "K", "PASS", "56789TJ", "PASS"):
        game.play(state, game.parse(text))
    assert not game.over(state) and state.left.tolist() == [19, 9, 9]
    game.play(state, game.parse("56789TJ"))
    assert game.over(state) and game.returns(state).tolist() == [-12, 12]


def test_two_players_win_what_the_other_one_loses() -> None:
    for objective in ("score", "win"):
        assert make_game("doudizhu", rules="two_players", objective=objective).zero_sum
    assert make_game("doudizhu", objective="win").payoff_sum is None


def test_nobody_wins_minus_nothing() -> None:
    """All pass, and the first player is the landlord for 0 points."""
    moves = f"PASS PASS PASS 3333 {OTHERS} SB {OTHERS} 456789TJQKA {OTHERS} 222"
    assert not np.signbit(play_out({"rules": "botzone"}, moves, SPRING)).any()


def test_options_that_need_others_say_so() -> None:
    with pytest.raises(InputError, match="robbing is a kind of auction: it needs bidding"):
        make_game("doudizhu", robbing=True)


def test_three_passes_deal_anew() -> None:
    game = make_game("doudizhu", bidding=True)
    state = game.deal(np.random.default_rng(1))
    first = game.deal_text(state)
    for _ in range(3):
        game.play(state, game.parse("PASS"))
    assert game.deal_text(state) != first
    assert (state.landlord, state.player, state.words, state.moves) == (-1, 0, 0, 0)


AUCTIONS: list[dict[str, Any]] = [
    {"bidding": True},
    {"bidding": True, "substeps": True},
    {"bidding": True, "robbing": True, "doubling": True, "open_hand": True},
    {"rules": "two_players"},
    {"bidding": True, "objective": "win"},
]


@pytest.mark.parametrize("options", AUCTIONS, ids=str)
@pytest.mark.parametrize(("number", "given"), [(3, None), (1, 1), (5, 5)])
def test_the_game_ends_after_some_deals_without_a_landlord(
    options: dict[str, Any], number: int, given: int | None
) -> None:
    """With 0 for all; records, saved states and views know how many deals were passed."""
    game = make_game("doudizhu", **options, passed_deals=given)
    state, deals = game.deal(np.random.default_rng(1)), []
    for deal in range(number):
        deals.append(game.deal_text(state))
        for seat in range(game.num_players):
            assert not game.over(state) and state.player == seat and state.passed == deal
            view = game.view(state, seat)
            assert game.valid(state) == game.valid(view, seat) == ""
            hand, actions, public = game.knowledge(view, seat)
            assert game.view_from(seat, hand, actions, **public) == view
            assert game.load(game.save(state)) == state
            assert game.redeal(view, seat, np.random.default_rng(2)).passed == deal
            game.play(state, game.parse("PASS"))
    assert len(set(deals)) == number and deals[-1].count("PASSED") == (number > 1)
    assert game.over(state) and not game.returns(state).any() and game.valid(state) == ""
    assert game.scene(state) and [*game.observe(state, 0)]
    record = records.from_state(game, state)
    assert record.deal == deals[-1] and record.returns == (0,) * game.num_players
    assert game.key(records.replay(record), 0) == game.key(state, 0)
    assert len(deals) * game.num_players <= game.max_moves
    with pytest.raises(InputError, match="the game is over"):
        game.play(state, game.parse("PASS"))
    ids = np.empty(game.num_actions, np.int32)
    words = range(game.num_actions - 10, game.num_actions + 1)
    assert not any(contract.is_legal(game.rules, state, word, ids) for word in words)
    later = state.copy()
    contract.play(game.rules, later, game.legal(state)[-1])
    assert "is not legal" in game.valid(later)


def test_a_landlord_of_a_later_deal_plays_as_one_of_the_first() -> None:
    game = make_game("doudizhu", bidding=True)
    state = game.deal(np.random.default_rng(1))
    for text in ("PASS", "PASS", "PASS", "PASS", "BID3"):
        game.play(state, game.parse(text))
    assert state.passed == 1 and state.landlord == 1
    end = game.playout(state, np.random.default_rng(1))
    assert game.over(end) and game.returns(end).any()
    assert game.key(records.replay(records.from_state(game, end)), 0) == game.key(end, 0)


def test_as_many_deals_as_it_takes() -> None:
    game = make_game("doudizhu", bidding=True, passed_deals=0)
    state = game.deal(np.random.default_rng(1))
    for _ in range(3 * 50):
        game.play(state, game.parse("PASS"))
    assert not game.over(state) and state.passed == 0


def test_the_number_of_passed_deals_is_checked() -> None:
    game = make_game("doudizhu", bidding=True)
    deal = game.deal_text(game.deal(np.random.default_rng(1)))
    with pytest.raises(InputError, match="the number of passed deals"):
        game.parse_deal(f"{deal};PASSED3")
    with pytest.raises(InputError, match="passed deals, is at most 2, not 3"):
        game.view_from(0, deal.split(";")[0], passed=3)
    with pytest.raises(InputError, match="passed_deals counts auctions: it needs bidding"):
        make_game("doudizhu", passed_deals=1)
    state = game.deal(np.random.default_rng(1))
    state.passed = 3
    assert "passed holds 3, not 0 to 2" in game.valid(state)
    with pytest.raises(InputError, match="with passed_deals=1 none does"):
        game.deals()
    assert next(make_game("doudizhu", bidding=True, passed_deals=1).deals()).probability > 0


def test_two_passes_give_the_lead_back() -> None:
    game = make_game("doudizhu")
    state = game.parse_deal(DEAL)
    game.play(state, game.parse("33"))
    assert game.parse("PASS") in game.legal(state)
    game.play(state, game.parse("PASS"))
    game.play(state, game.parse("PASS"))
    assert state.player == 0
    assert game.parse("PASS") not in game.legal(state)


def test_the_papers_games_replay_to_its_scores() -> None:
    """Tables 7 to 10: 17 complete games, 3 cut short in the paper, the two of section 5.4."""
    match = list(read(SHIPPED / "deeprocket_match.jsonl"))
    paper = list(read(PAPER))
    assert len(match) == len(paper) == 22
    totals = {"human": 0.0, "DeepRocket": 0.0}
    for record, printed in zip(match, paper, strict=True):
        game = make_game("doudizhu", **record.rules)
        state = replay(record)
        assert game.over(state)
        completed = record.extra.get("completed", 0)
        assert printed.actions == record.actions[: len(record.actions) - completed]
        assert printed.deal == record.deal
        if "match" in record.extra:
            assert record.returns is not None
            totals[record.extra["landlord"]] += game.returns(state)[0]
    assert totals == {"human": 24, "DeepRocket": 30}
    assert [record.extra["match"] for record in match if record.extra.get("completed")] == [4, 5, 9]


def position_before(line: str, action: str) -> State:
    """The state before the last time that an action stands in a record, passes played."""
    state = replay(parse_record(line[: line.rindex(f";{action}")], make_game("doudizhu")))
    game = make_game("doudizhu")
    while state.player != int(action[0]):
        game.play(state, game.parse("PASS"))
    return state


def test_the_papers_two_positions() -> None:
    """Section 5.4: the hands are as printed, and `greedy` feeds its partner the 3 as there."""
    *_, first, second = PAPER.read_text().splitlines()
    cooperation = position_before(first, "1,3")
    inference = position_before(second, "2,A")
    assert [unpack(hand) for hand in cooperation.hands] == ["448QB", "339TJ2", "5"]
    assert [unpack(hand) for hand in inference.hands] == ["2", "44699JJQA2B", "78JKKAS"]
    game = make_game("doudizhu")
    greedy = make_agent(game, "greedy")
    assert game.text(greedy.act(game.view(cooperation, 1))) == "3"


@cache
def without_bidding(preset: str) -> Game:
    return make_game("doudizhu", rules=preset, bidding=False)


def position(hand: str, target: str | None, preset: str) -> np.ndarray:
    """The legal actions of a hand that has to beat `target`, as sorted cards."""
    game = without_bidding(preset)
    state = np.zeros(1, STATE)[0]
    begin(game.rules, state)
    state.hands[0] = pack(hand)
    state.target = -1 if target is None else game.parse(target)
    return {
        unpack(pack(game.text(a).replace("+", ""))) if game.text(a) != "PASS" else "PASS"
        for a in game.legal(state)
    }


@pytest.mark.parametrize("program", ["rlcard", "douzero"])
def test_legal_actions_equal_the_golden_file_of_a_program(program: str) -> None:
    lines = (DATA / f"{program}_legal.jsonl").read_text().splitlines()
    assert len(lines) >= 300
    for line in lines:
        case = json.loads(line)
        assert position(case["hand"], case["target"], program) == set(case["legal"])


@pytest.mark.peers
@pytest.mark.slow
def test_chains_of_trios_with_solos_equal_douzeros() -> None:
    """Hands of few ranks, which can often follow such a chain: not one action more or less."""
    pytest.importorskip("douzero")
    from reference.douzero_oracle import legal

    plays = build("douzero")
    categories = plays.families["category"][plays.groups["family"][plays.group]]
    names = [CATEGORIES[category].name for category in categories[: plays.number]]
    chains = [i for i, name in enumerate(names) if name.startswith("trio chain")]
    rng = np.random.default_rng(14)
    for _ in range(examples(3000)):
        low = int(rng.integers(0, 8))
        ranks = sorted({*RANKS[low : low + int(rng.integers(5, 8))], *"2SB"}, key=RANKS.index)
        deck = [rank for rank in ranks for _ in range(1 if rank in "SB" else 4)]
        hand = unpack(pack("".join(rng.permutation(deck)[: int(rng.integers(9, 21))])))
        target = unpack(plays.need[rng.choice(chains)])
        assert position(hand, target, "douzero") == legal(hand, target)


@pytest.mark.peers
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("play", ["random", "greedy"])
@pytest.mark.parametrize("program", ["rlcard", "douzero"])
def test_legal_actions_equal_those_of_a_program(program: str, play: str) -> None:
    """10,000 positions of random and of greedy games each: not one action more or less."""
    pytest.importorskip(program)
    legal = importlib.import_module(f"reference.{program}_oracle").legal

    game = make_game("doudizhu", rules=program)
    agent = make_agent(game, play, seed=12)
    rng = np.random.default_rng(12)
    need = game.rules.plays.need
    seen = 0
    while seen < 10_000:
        state = game.deal(rng)
        while not game.over(state):
            ours = {
                unpack(need[a]) if game.text(a) != "PASS" else "PASS" for a in game.legal(state)
            }
            target = None if state.target < 0 else unpack(need[state.target])
            assert ours == legal(unpack(state.hands[state.player]), target)
            game.play(state, agent.act(game.view(state, int(state.player))))
            seen += 1


@pytest.mark.slow
def test_random_games_last_as_long_as_the_state_can_hold() -> None:
    game = make_game("doudizhu", rules="rlcard", bidding=True)
    longest = max(int(state.moves) for state in positions(game, seed=13, games=300))
    assert 60 < longest <= 160


def test_points_of_the_literature_have_a_base_of_one() -> None:
    points = np.array([[12.0, -12.0], [-6.0, 6.0]])
    for base in (1, 3):
        found = average_difference(make_game("doudizhu", base=base), points)
        assert found is not None and (found == points / base).all()
    assert average_difference(make_game("doudizhu", objective="win"), points) is None
    assert average_difference(make_game("doudizhu", bidding=True), points) is None
    assert (winning_percentage(make_game("doudizhu"), points) == (points > 0)).all()


def test_all_deals_of_a_small_deck_have_their_probabilities() -> None:
    """As often as the ten cards, told apart, can be shared out: three to each and a public one."""
    game = make_game("doudizhu", rules="tiny")
    deck = unpack(int(game.rules.options.deck))
    ways: Counter[tuple[str, ...]] = Counter()
    for first in combinations(range(10), 3):
        rest = [card for card in range(10) if card not in first]
        for second in combinations(rest, 3):
            others = [card for card in rest if card not in second]
            for public in others:
                third = [card for card in others if card != public]
                parts = (first, second, third, [public])
                ways[tuple("".join(deck[card] for card in part) for part in parts)] += 1
    found = {}
    for state, probability in game.deals():
        assert not game.valid(state)
        landlord, *peasants = state.hands.tolist()
        public = int(state.public)
        found[tuple(map(unpack, (landlord - public, *peasants, public)))] = probability
    assert found.keys() == ways.keys()
    for parts, number in ways.items():
        assert found[parts] == pytest.approx(number / ways.total())


def test_what_is_shown_is_told_apart_from_what_is_not() -> None:
    """A peasant knows the landlord's hand if that is played open, and is told of none otherwise."""
    for open_hand in (False, True):
        game = make_game("doudizhu", open_hand=open_hand)
        state = game.deal(np.random.default_rng(0))
        if open_hand:
            while "SHOW" in map(game.text, game.legal(state)):
                game.play(state, game.parse("SHOW"))
        for player in range(3):
            _, _, public = game.knowledge(game.view(state, player), player)
            assert public.get("shown") == (unpack(state.hands[0]) if open_hand and player else None)


def test_what_was_said_is_shown_in_sub_steps_as_well() -> None:
    """Who has doubled, and the hand that is played open."""
    options = {"doubling": True, "open_hand": True}
    games = [make_game("doudizhu", substeps=substeps, **options) for substeps in (False, True)]
    states = [game.deal(np.random.default_rng(4)) for game in games]
    for _ in range(6):
        seen = [
            [game.observe(state, player)["opening"].tolist() for player in range(3)]
            for game, state in zip(games, states, strict=True)
        ]
        assert seen[0] == seen[1]
        words = [word for word in ("DOUBLE", "SHOW") if word in texts_of(games[0], states[0])]
        for game, state in zip(games, states, strict=True):
            game.play(state, game.parse(words[0]) if words else int(game.legal(state)[0]))
    assert all(any(own) for own in seen[0])


def test_an_auction_ends_where_its_words_do() -> None:
    """What is said of doubling after it does not belong to it."""
    game = make_game("doudizhu", bidding=True, doubling=True)
    for said, number in (
        ("BID3", 1), ("BID1 BID3", 2), ("PASS BID1 BID2", 3), ("BID1 PASS PASS", 3),
    ):  # fmt: skip
        state = game.deal(np.random.default_rng(2))
        for text in said.split():
            game.play(state, game.parse(text))
        for _ in range(3):
            assert state.landlord >= 0 and auction_length(game.rules, state) == number
            game.play(state, int(game.legal(state)[-1]))
        assert state.words > number


def test_kickers_of_one_rank_may_follow_each_other() -> None:
    """Where the rules have them: main cards, then kickers from low to high."""
    for rules, twice in (("douzero", True), ("deeprocket", False)):
        game = make_game("doudizhu", rules=rules, substeps=True)
        state = game.deal(np.random.default_rng(0))
        state.hands[0] = pack("33344455567789TTJJQK")
        for text in ("333444+?+?", "+5"):
            game.play(state, game.parse(text))
        assert ("+5" in texts_of(game, state)) == twice and "+6" in texts_of(game, state)


def test_main_cards_without_kickers_in_the_hand_are_not_listed() -> None:
    game = make_game("doudizhu", rules="douzero", substeps=True)
    state = game.deal(np.random.default_rng(0))
    state.hands[0] = pack("333SB")
    legal = game.legal(state).tolist()
    assert legal == sorted(legal)
    assert texts_of(game, state) == {"3", "33", "333", "333+?", "S", "B", "SB"}


KICKER_PLANES = [
    (  # of the landlord, who has picked one of two solos
        "333444+?+? +5",
        [
            ["", "", "", "56789TJQK", "57TJ", "", "", "6789TJQK", ""],
            ["", "", "", "", "34", "5", "", "34", "3"],
            [RANKS, "6789TJQKA2", "689QKA2", "A2", "7TJ", "3QK", RANKS, RANKS, RANKS],
        ],
    ),
    (  # of the down peasant, who is to pick a pair
        "333+?? +44 666+??",
        [
            [RANKS, RANKS, "", "345789TJ", "789T", "89", "", "", "789T"],
            ["34", "34", "3", "", "6", "", "", "3", "3"],
            ["456789TJQKA2SB", "57TJQKA2", "5JQKA2", "A2", "89", "QK", RANKS, RANKS, RANKS],
        ],
    ),
]
"""The ranks in each row of the three channels."""


@pytest.mark.parametrize(("moves", "expected"), KICKER_PLANES)
def test_the_kicker_planes_are_those_of_the_table(moves: str, expected: list[list[str]]) -> None:
    game = make_game("doudizhu", substeps=True)
    state = game.parse_deal("3344455567789TTJJ;34566677888999TTJ;JQQQKKKAAAA2222SB;3QK")
    for text in moves.split():
        game.play(state, game.parse(text))
    for seat in range(3):
        found = [[""] * 9 for _ in range(3)]
        for rank, row, channel in np.argwhere(game.observe(state, seat)["kicker"]):
            found[channel][row] += RANKS[rank]
        assert found == (expected if seat == state.player else [[""] * 9] * 3)


def texts_of(game: Game, state: State) -> set[str]:
    return set(map(game.text, game.legal(state)))


def test_taking_all_plays_back_leads_to_the_deal() -> None:
    from closedhand.games.doudizhu import rules

    for options in product((False, True), (False, True)):
        game = make_game("doudizhu", bidding=options[0], substeps=options[1])
        rng = np.random.default_rng(11)
        state = game.deal(rng)
        while state.landlord < 0:
            game.play(state, int(game.legal(state)[-1]))
        start = state.copy()
        for _ in range(15):
            if not game.over(state):
                game.play(state, int(rng.choice(game.legal(state))))
        rules.rewind(state)
        state.history[state.moves :] = 0
        assert state.tobytes() == start.tobytes()


@pytest.mark.parametrize("rules", ["deeprocket", "mini", "tiny", "two_players"])
def test_the_cards_of_others_are_those_of_the_deck_in_use(rules: str) -> None:
    game = make_game("doudizhu", rules=rules)
    for state in positions(game, seed=5, games=3):
        hands = [int(hand) for hand in state.hands]
        if state.landlord < 0:
            hands.append(int(state.public))
        player = int(state.player)
        others = hidden.cards_of_others(game.rules, state, player)
        assert int(others) == sum(hands) - hands[player]


def test_the_end_shows_what_the_points_are_made_of() -> None:
    game = make_game("doudizhu", spring=True)
    state = game.parse_deal(SPRING)
    for text in f"3333 {OTHERS} SB {OTHERS} 456789TJQKA {OTHERS} 222".split():
        game.play(state, game.parse(text))
    assert game.scene(state)[3].marks == ("stake 3", "bombs 2", "spring")
    plain = make_game("doudizhu")
    assert plain.scene(state)[3].marks == ("stake 3", "bombs 2")
