"""Golden playthroughs: what is played, seen and paid is what the files say; see `playthrough`."""

import pytest
from games.playthrough import ELSEWHERE, FOLDER, PLAYTHROUGHS, seed_of, transcript
from support import marks_of

from closedhand import GAMES


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=marks_of((what.game, dict(what.options))))
        for name, what in PLAYTHROUGHS.items()
    ],
)
def test_playthroughs_are_as_ever(name: str) -> None:
    """`transcript` also asserts that the situation occurs for which the file is kept."""
    what = PLAYTHROUGHS[name]
    assert transcript(what, seed_of(what)) == (FOLDER / f"{name}.txt").read_text()


def test_every_option_that_changes_play_has_a_playthrough() -> None:
    kept = {(what.game, option) for what in PLAYTHROUGHS.values() for option in what.options}
    for name in ("doudizhu", "daihinmin", "uh_leduc", "chinese_poker"):
        options = {option.name for option in GAMES[name].option_table}
        assert {option for game, option in kept if game == name} >= options - {"rules"}
    assert set(ELSEWHERE.values()) <= set(PLAYTHROUGHS)
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(PLAYTHROUGHS)
