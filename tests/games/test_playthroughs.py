"""Golden playthroughs: a drift of rules, ids, planes or deals shows as a diff of a text file.

`PYTHONPATH=tests python tests/games/test_playthroughs.py` writes the files anew, for a change that
is meant.
"""

import zlib
from typing import Any

import numpy as np
import pytest
from support import DATA

from closedhand import make_game

FOLDER = DATA / "playthroughs"

GOLDEN: dict[str, tuple[str, dict[str, Any]]] = {
    "doudizhu": ("doudizhu", {}),
    "doudizhu-substeps": ("doudizhu", {"substeps": True}),
    "doudizhu-rlcard": ("doudizhu", {"rules": "rlcard", "spring": True}),
    "doudizhu-openspiel": ("doudizhu", {"rules": "openspiel"}),
    "daihinmin": ("daihinmin", {"classes": "random"}),
    "daihinmin-compact": ("daihinmin", {"classes": "random", "compact": True}),
    "uh_leduc": ("uh_leduc", {}),
    "uh_leduc-card": ("uh_leduc", {"pair": "card"}),
    "leduc": ("leduc", {}),
    "chinese_poker": ("chinese_poker", {}),
    "chinese_poker-substeps": ("chinese_poker", {"substeps": True}),
    "chinese_poker-everything": (
        "chinese_poker",
        {"players": 4, "rules": "1-6", "fouls": True, "royalties": True, "naturals": True},
    ),
}


def transcript(name: str, options: dict[str, Any]) -> str:
    """Some games of random play: at each step who, what, of how many, and a sum of what he saw."""
    game = make_game(name, **options)
    rng = np.random.default_rng(31)
    lines = [f"{name} {options}: {game.num_actions} actions"]
    for _ in range(2 if game.num_players > 2 else 20):
        state = game.deal(rng)
        lines.append(f"deal {game.deal_text(state)}")
        while not game.over(state):
            player = int(state.player)
            seen = b"".join(part.tobytes() for part in game.observe(state, player).values())
            legal = game.legal(state)
            action = int(legal[int(rng.random() * len(legal))])
            lines.append(
                f"player_{player} {game.text(action)} ({action}) of {len(legal)}: "
                f"{' '.join(game.text(a) for a in legal[:6])}, saw {zlib.crc32(seen):08x}"
            )
            game.play(state, action)
        lines.append(f"returns {game.returns(state).tolist()}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", GOLDEN)
def test_playthroughs_are_as_ever(name: str) -> None:
    assert transcript(*GOLDEN[name]) == (FOLDER / f"{name}.txt").read_text()


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for golden, game_and_options in GOLDEN.items():
        (FOLDER / f"{golden}.txt").write_text(transcript(*game_and_options))
