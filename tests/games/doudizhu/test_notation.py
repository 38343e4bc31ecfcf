"""The text of plays and of the paper's records."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from support import DATA
from support_notation import format_record

from closedhand import InputError, make_game
from closedhand.core.records import replay
from closedhand.games.doudizhu.counts import pack
from closedhand.games.doudizhu.notation import parse_record

PAPER = DATA / "deeprocket_paper.txt"
DEAL = "4456777889JKKAA2B;335567899TTJJKAA2;4456689TTJQQQK22S;33Q"


def test_the_papers_notation_is_written_as_it_is_read() -> None:
    for line in PAPER.read_text().splitlines():
        if not line.startswith("#"):
            record = parse_record(line, make_game("doudizhu"))
            assert format_record(make_game("doudizhu"), replay(record)).split(";") == [
                *line.split(";")[:4],
                *(field[:2] + canonical(field[2:]) for field in line.split(";")[4:]),
            ]


def canonical(cards: str) -> str:
    game = make_game("doudizhu")
    return game.text(game.parse(cards))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("33;44", "four fields of 17, 17, 17 and 3"),
        (DEAL.replace("33Q", "33X"), "'X' is not a card"),
        (DEAL.replace("33Q", "34Q"), "more than the deck holds|do not make a deck"),
        (DEAL + ";33", "play 1: '33' is not role,cards"),
        (DEAL + ";3,33", "a role 0, 1 or 2"),
        (DEAL + ";0,35", "play 1, 0,35: '35' is not a play"),
        (DEAL + ";0,TT", "play 1, 0,TT: action .* is not legal for player_0"),
        (DEAL + ";1,33", "play 1, 1,33: .*PASS.* is not legal for player_0"),
        (DEAL + ";0,33;1,55;2,44", "play 3, 2,44: .* is not legal for player_2"),
    ],
)
def test_malformed_and_illegal_records_say_why(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_record(line, make_game("doudizhu"))


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="3456789TJQKA2SB+PASS,; xX1", max_size=24))
def test_parse_takes_anything(text: str) -> None:
    """Any text is an action or one clear error."""
    game = make_game("doudizhu", rules="openspiel")
    try:
        action = game.parse(text)
    except InputError as error:
        assert "\n" not in str(error)
    else:
        assert 0 <= action < game.num_actions


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 12654), st.randoms(use_true_random=False))
def test_cards_may_stand_in_any_order(action: int, random) -> None:
    game = make_game("doudizhu")
    letters = list(game.text(action))
    if action != 12654:
        random.shuffle(letters)
    assert game.parse("".join(letters)) == action


@pytest.mark.parametrize(
    "options", [{}, {"bidding": True, "open_hand": True}, {"rules": "two_players"}], ids=str
)
def test_a_view_writes_the_cards_that_its_player_can_know(options: dict) -> None:
    game, rng = make_game("doudizhu", **options), np.random.default_rng(3)
    for _ in range(5):
        state = game.deal(rng)
        whole = game.deal_text(state).split(";")
        while True:
            for player in range(game.num_players):
                view = game.view(state, player)
                fields = game.deal_text(view).split(";")
                # Of a hidden hand without cards, of the winner, all is known.
                known = {seat for seat in range(3) if view.hands[seat] or not view.left[seat]}
                known |= {3} if view.public else set()
                assert player in known
                assert fields[:4] == [whole[i] if i in known else "*" for i in range(4)]
            if game.over(state):
                break
            passed = state.passed
            game.play(state, game.sample(rng, state))
            if state.passed != passed:
                whole = game.deal_text(state).split(";")


def test_text_with_repeated_kickers_names_the_kickers_where_it_must() -> None:
    game = make_game("doudizhu", rules="openspiel")
    with pytest.raises(InputError, match=r"can be read as 333444555666, .*\+"):
        game.parse("333444666555")
    assert game.text(game.parse("333444555+666")) == "333444555+666"


def test_the_table_shows_the_cards_of_each_last_play() -> None:
    """Those that the play takes from the hand: no cards for a pass."""
    game = make_game("doudizhu", rules="openspiel")
    state = game.deal(np.random.default_rng(1))
    game.play(state, game.parse("BID3"))
    state.hands[0] = pack("333444555666789TJQKA")
    for text, cards in (("333444555+666", tuple("333444555666")), ("PASS", ())):
        action, seat = game.parse(text), int(state.player)
        assert game.cards(action, state) == cards
        game.play(state, action)
        row = game.scene(state)[seat]
        assert (row.last, row.note) == (cards, text)


@pytest.mark.parametrize("robbing", [False, True])
def test_the_table_says_whether_the_auction_goes_on(robbing: bool) -> None:
    game = make_game("doudizhu", bidding=True, robbing=robbing, passed_deals=1)
    state = game.deal(np.random.default_rng(1))
    for said in ("no bid yet",) * 3 + ("all passed",):
        row = next(row for row in game.scene(state) if row.label == "public cards")
        assert (row.note, row.marks) == (said, (said,))
        if not game.over(state):
            game.play(state, game.parse("PASS"))
    assert game.over(state)
