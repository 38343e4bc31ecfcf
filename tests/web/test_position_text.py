"""Positions as text, written and read again."""

import asyncio
import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import positions as positions_of

from closedhand import InputError, make_game
from closedhand.core.records import from_state
from closedhand.core.registry import GAMES
from closedhand.web import position_text, requests, study
from closedhand.web.connection import Connection
from closedhand.web.lobby import Lobby

VARIANTS = [*((name, {}) for name in GAMES), ("doudizhu", {"bidding": True}),
            ("daihinmin", {"classes": "random"})]  # fmt: skip


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=str)
def test_a_copied_position_is_the_same_view(name: str, options: dict) -> None:
    """The round trip goes through the fields of the page, all of which are texts."""
    game = make_game(name, **options).flat
    for state in islice(positions_of(game, 7, 1), 8):
        if game.over(state):
            break
        player = int(state["player"])
        hand, actions, public = game.knowledge(state, player)
        texts = [game.text(each) if each >= 0 else "?" for each in actions]
        found = position_text.read(position_text.written(game, player, hand, texts, public))
        again = make_game(found.game, **found.options).flat
        facts = {key: str(value) for key, value in found.facts.items()}
        public = position_text.typed(again, facts)
        view = again.view_from(found.player, found.hand, found.actions, **public)
        assert again.options == game.options
        assert view.tobytes() == game.view(state, player).tobytes()


def test_a_replay_copies_positions() -> None:
    game, rng = make_game("doudizhu"), np.random.default_rng(0)
    record = from_state(game, game.playout(game.deal(rng), rng))
    found = position_text.read(study.Study(record).text(3))
    assert (found.game, len(found.actions)) == ("doudizhu", 3)


def test_a_pasted_game_is_one_of_the_page(tmp_path: Path) -> None:
    """A name with hyphens is that of the list, and an unknown one is refused."""

    async def paste(name: str) -> dict[str, Any]:
        requests.register()
        lobby = Lobby(tmp_path)
        connection = Connection(lobby, owner=True)
        text = f"make_game('{name}').view_from(0, 'SK', [])"
        await connection.answer(json.dumps({"do": "position", "text": text}))
        lobby.close()
        return json.loads(connection.outbox.get_nowait() or "")

    assert asyncio.run(paste("uh-leduc"))["ok"]["game"] == "uh_leduc"
    assert "no game 'absent'" in asyncio.run(paste("absent"))["error"]


def test_the_name_of_a_variable_says_no_game() -> None:
    found = position_text.read("game.view_from(1, 'HK', ['raise'])")
    assert found == ("", {}, 1, "HK", ["raise"], {})


@pytest.mark.parametrize(
    "text",
    [
        "", "1", "x" * 30_000, "(" * 10_000, "view_from(0, '', [])", "game.view_from(0, 1, [])",
        "game.view_from(0, 'HK', [1])", "game.view_from(0, 'HK', [], a=f())",
        "game.view_from(__import__('os').getpid(), 'HK', [])", "game.view_from(0, f'{1}', [])",
        "make_game(open('x')).view_from(0, '', [])", "game.view_from(0, 'HK', []); f()",
        "game.view_from(0, 'HK', [" + "'a'," * 4000 + "!])", "game.view_from(0, 'H\nK', [])",
        "game.view_from(0, 'H\0K', [])", "make_game('leduc').view_from(0, 'SK', [007])",
        "game.view_from(0, '\ud800', [])", "game.view_from(0, 'HK', [], leader=05)",
    ],
)  # fmt: skip
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        position_text.read(text)


def test_options_and_facts_have_any_name_and_number() -> None:
    options = {"maxBet2": 5, "ante": 0.5, "least": 1e-05, "most": -1e16, "seed": 10**12}
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    found = position_text.read(f"make_game('x'{given}).view_from(0, 'K', []{given})")
    assert found.options == found.facts == options
    assert position_text.read("game2.view_from(0, 'K', [])").game == ""


@pytest.mark.parametrize(
    ("text", "hint", "fact"),
    [("False", bool, False), ("true", bool, True), ("None", bool | None, None), ("0.5", float, 0.5),
     ("5", int, 5), ("K", str, "K"), ("[True, False]", Sequence[bool], [True, False])],
)  # fmt: skip
def test_facts_have_the_type_that_the_game_expects(text: str, hint: Any, fact: Any) -> None:
    """A truth value that stayed a text would be true."""
    found = position_text._fact(text, hint)
    assert found == fact and type(found) is type(fact)
    with pytest.raises(InputError, match="true or false"):
        position_text._fact("flase", bool)


def test_facts_that_are_no_literals_are_refused() -> None:
    game = make_game("daihinmin")
    assert position_text.typed(game, {"leader": "5"}) == {"leader": 5}
    for text in ("[11, 11, 10]", "11,11,10"):
        assert position_text.typed(game, {"dealt": text}) == {"dealt": [11, 11, 10]}
    for name, text in (("leader", "05"), ("dealt", "[011, 11, 11, 10, 10]"), ("leader", "'a\n'")):
        with pytest.raises(InputError, match="literals"):
            position_text.typed(game, {name: text})


@pytest.mark.parametrize("name", ["self", "game", "player", "hand", "actions", "x"])
def test_names_that_are_no_facts_are_refused(name: str) -> None:
    found = position_text.read(f"game.view_from(0, 'SK', [], {name}='HK')")
    with pytest.raises(InputError, match=f"'{name}'.* no fact|takes no '{name}'; it takes flop"):
        position_text.typed(make_game("leduc"), found.facts)
