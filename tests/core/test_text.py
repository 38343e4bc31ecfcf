"""Messages and characters that a stream may not be able to show; names of files."""

import io

import pytest
from hypothesis import given, strategies as st

from closedhand import InputError, make_game
from closedhand.core.text import MOST, one_line, showable, slug

ENCODINGS = ("ascii", "cp1252", "gbk", "shift_jis", "utf-8", "koi8-r")


@given(st.text(), st.sampled_from(ENCODINGS))
def test_every_stream_shows_every_text(text: str, encoding: str) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding)
    found = showable(text, stream)
    stream.write(found)
    if text.isascii():
        assert found == text


def test_a_board_keeps_its_columns(capsys: pytest.CaptureFixture[str]) -> None:
    game = make_game("uh_leduc")
    board = game.board(game.view(game.parse_deal("SK;HQ;SA"), 0))
    plain = showable(board, io.TextIOWrapper(io.BytesIO(), "gbk"))
    assert plain == board.replace("▒", "#") != board
    assert showable(board, None) == board
    assert showable("ü µ", io.TextIOWrapper(io.BytesIO(), "ascii")) == "\\xfc u"


@given(st.text(max_size=3 * MOST))
def test_a_message_is_one_line(text: str) -> None:
    message = str(InputError(text))
    assert message.isprintable() and len(message) <= MOST
    assert one_line(message) == message
    if text.isprintable() and len(text) <= MOST:
        assert message == text


def test_matches_that_differ_by_a_sign_or_a_dot_have_files_of_their_own() -> None:
    """A plain text keeps its plain name; every other one gets a checksum."""
    assert slug("match leduc greedy,random") == "match-leduc-greedy-random"
    for texts in (
        ("kou[unwanted_lock=1],default", "kou[unwanted_lock=-1],default"),
        ("strategy:a.npz", "strategy:a-npz", "strategy:a/npz", "strategy:a npz"),
        ("league daihinmin policy,search", "league daihinmin policy-search"),
        ("solve a 9.5", "solve a 9,5", "solve a -9,5"),
        (f"net:{'x' * 200}", f"net:{'x' * 201}"),
        ("牌" * 90, "牌" * 91),
    ):
        names = {slug(text) for text in texts}
        assert len(names) == len(texts) and all(len(name.encode()) <= 100 for name in names)
