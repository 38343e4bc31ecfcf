"""What users can rely on about every game: ids, options, sizes, ranges, and the meaning of actions.

Run as a program, this file records what holds now. A change of what it has recorded breaks code,
records or weights of users, and belongs into the changelog.
"""

import hashlib
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from support import DATA, HOUSE_RULES, VARIANTS, variant_id

from closedhand import make_game
from closedhand.core.registry import GAMES

FILE = DATA / "facts.json"
OURS = ("chinese_poker", "daihinmin", "doudizhu", "leduc", "uh_leduc")


def facts_of_spec(name: str) -> dict[str, Any]:
    """Ids and options of a game."""
    spec = GAMES[name]
    table = spec.option_table
    return {
        "ids": [spec.aec_id, spec.gymnasium_id, spec.parallel_id],
        "contract": spec.contract,
        "opponent": spec.opponent,
        "league": spec.league,
        "commands": sorted(spec.commands),
        "trainers": list(spec.trainers),
        "options": {
            option.name: [option.default, list(option.choices), option.least, option.most]
            for option in table
        },
        "presets": {preset: dict(options) for preset, options in table.presets.items()},
    }


def facts_of_game(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Sizes, ranges and actions of a game with some options."""
    game = make_game(name, **options)
    texts = "\n".join(game.text(action) for action in range(game.num_actions))
    return {
        "options": dict(game.options),
        "players": game.num_players,
        "actions": [game.num_actions, hashlib.sha256(texts.encode()).hexdigest()[:16]],
        "features": [
            game.feature_size,
            hashlib.sha256("\n".join(game.feature_names).encode()).hexdigest()[:16],
        ],
        "shapes": {part: list(shape) for part, shape in game.shapes.items()},
        "state": game.dtype.itemsize,
        "roles": list(game.roles),
        "sides": list(game.sides),
        "payoffs": list(game.payoff_range),
        "moves": game.max_moves,
        "kind": [game.zero_sum, game.simultaneous, game.lenient, game.staged, game.rounds],
        "layout": game.layout,
        "flat": None if game.flat_form is None else dict(game.flat_form.options),
        "substep_options": dict(game.substep_options),
    }


SOURCES: dict[str, Callable[[], dict[str, Any]]] = {
    **{f"spec of {name}": partial(facts_of_spec, name) for name in OURS},
    **{variant_id(variant): partial(facts_of_game, *variant) for variant in VARIANTS + HOUSE_RULES},
}
"""What finds the facts of each game and of each variant."""


def test_facts_are_of_all_games_and_variants() -> None:
    assert json.loads(FILE.read_text()).keys() == SOURCES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_what_users_rely_on_stays(name: str) -> None:
    assert json.loads(json.dumps(SOURCES[name]())) == json.loads(FILE.read_text())[name]


if __name__ == "__main__":
    lines = (f"{json.dumps(name)}: {json.dumps(find())}" for name, find in SOURCES.items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
