"""Pictures of results, also of games without optional members."""

from pathlib import Path

import pytest

from closedhand import make_game
from closedhand.arena import league

pytest.importorskip("matplotlib")


def test_a_league_of_a_game_without_presets_is_drawn(tmp_path: Path) -> None:
    from closedhand.arena.plot import plot_league

    game = make_game("chinese_poker", players=3)
    data = league.summary(league.play(game, ("random", "random"), 3, 1))
    data["options"].pop("rules")
    plot_league(data, tmp_path / "league.png")
    assert (tmp_path / "league.png").read_bytes().startswith(b"\x89PNG")
