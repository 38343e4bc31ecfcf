"""Pictures of tables. Run as a program, this file records what is drawn now."""

import numpy as np
import pytest
from support import DATA

from closedhand.core.display import BLANK, Row
from closedhand.envs import render

FILE = DATA / "picture.png"
VERSION = "Pillow"
"""Name of the picture's note of the library that has drawn it: fonts differ between versions."""

ROWS = [
    Row("player_0 landlord", ("3", "10", "K", "BJ", "As", "10h", "Qd", "7c"), last=("SK", "*")),
    Row("player_1 peasant", ("",) * 17, "a note of several lines beside it", active=True),
    Row("player_2 peasant", tuple(f"{rank}{suit}" for rank in "3456789" for suit in "schd"), ""),
    Row("table", (BLANK, "", BLANK, "2s", "*", "S", "B"), "pass", last=("10", "4")),
]
"""Every kind of card: ranks of one and two letters, all suits, jokers, backs, none; few and many;
last plays and notes."""


def test_a_table_looks_as_it_did() -> None:
    image = pytest.importorskip("PIL.Image")
    seen = render.picture(ROWS)
    with image.open(FILE) as recorded:
        expected = np.asarray(recorded.convert("RGB"))
        is_exact = recorded.info[VERSION] == image.__version__
    assert seen.shape == expected.shape and seen.dtype == np.uint8
    difference = np.abs(seen.astype(int) - expected)
    assert difference.max() == 0 if is_exact else difference.mean() < 4


def test_names_take_the_place_of_labels() -> None:
    """Without accents that the font lacks; a name in letters that it lacks leaves the label."""
    pytest.importorskip("PIL.Image")

    def drawn(*names: str) -> bytes:
        return render.picture([Row("player_0 landlord", ("3",))], names).tobytes()

    assert drawn("Zoe") == drawn("Zoë") != drawn() == drawn("") == drawn("张三")
    assert drawn("A" * 40) == drawn("A" * 50)


def test_the_number_of_cards_is_written_where_it_cannot_be_seen() -> None:
    """Of two cards or more that lie face down, and of five or more in any case."""
    pytest.importorskip("PIL.Image")

    def label(*cards: str) -> bytes:
        return render.picture([Row("player_0", cards)])[:, : render.CARDS].tobytes()

    bare = label(BLANK)
    for uncounted in (("",), ("9h",), ("9h", "9s"), ("9h",) * 4, ("9h", BLANK, BLANK, BLANK, "9s")):
        assert label(*uncounted) == bare
    two, three = label("", ""), label("9h", "", "9s")
    assert len({bare, two, three, label(*["9h"] * 5), label(*[""] * 6)}) == 5
    assert label("", BLANK, "") == two


def test_two_cards_do_not_overlap() -> None:
    pytest.importorskip("PIL.Image")

    def last(*cards: str) -> np.ndarray:
        seen = render.picture([Row("player_0", ("3",), last=cards)])
        width = round(int(0.8 * render.CARD_HEIGHT) * render.CARD_SHAPE)
        return seen[:, render.LAST : render.LAST + width]

    assert (last("10h", "9s") == last("10h")).all()
    assert (last("10h", "9s") != last("10h", "9s", "8c", "7d")).any()


@pytest.mark.parametrize("seats", [1, 2, 4, 6, 9])
def test_nothing_is_drawn_outside_the_table(seats: int) -> None:
    """However many rows, and cards in them, there are."""
    pytest.importorskip("PIL.Image")
    rows = [Row(f"player_{i}", ("9h",) * 40, "note " * 40, last=("9h",) * 40) for i in range(seats)]
    seen = render.picture(rows)
    edges = [seen[:6], seen[-6:], seen[:, :6].swapaxes(0, 1), seen[:, -6:].swapaxes(0, 1)]
    assert all((edge == render.RIM).all() for edge in edges)


if __name__ == "__main__":
    from PIL import Image, PngImagePlugin

    note = PngImagePlugin.PngInfo()
    note.add_text(VERSION, Image.__version__)
    Image.fromarray(render.picture(ROWS)).save(FILE, pnginfo=note, optimize=True)
