"""The odds of parts of a hand."""

import pytest

from closedhand import make_game
from closedhand.agents.chinese_poker import advise as module, pool as pools, separable
from closedhand.agents.chinese_poker.advise import advise, odds
from closedhand.core.game import InputError
from closedhand.core.registry import load, spec_of

GAME = make_game("chinese_poker")
VIEW = GAME.view_from(0, "AsKsQsJsTs 2c3c4d6h9h 2d2h7s")


@pytest.fixture(autouse=True)
def small_pool(own_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POOL_SIZE", 20_000)


def test_complete_parts_have_odds() -> None:
    back, middle, front = odds(GAME, VIEW, ["AsKsQsJsTs", "2c", "2d2h7s"])
    assert back is not None and front is not None
    assert middle is None
    assert back.win + back.tie > 0.99
    assert "straight flush" in back.name
    assert 0 < front.win < 0.7
    assert front.name.startswith("22")


def test_a_game_in_substeps_has_the_same() -> None:
    substeps = make_game("chinese_poker", substeps=True)
    parts = ["AsKsQsJsTs", "", "2d2h7s"]
    assert odds(substeps, VIEW, parts) == odds(GAME, VIEW, parts)


def test_they_are_those_of_advice(own_cache: None) -> None:
    """The best arrangement has the chances that `advise` says it has, against the same pool."""
    pool = pools.pool_of(GAME.rules, separable.shipped(), module.POOL_SIZE)
    best = advise(GAME.rules, pool, VIEW["hands"][0], 1)[0][0]
    found = odds(GAME, VIEW, [part.cards for part in best.parts])
    assert [(each.name, each.win, each.tie) for each in found if each] == [
        (part.name, part.win, part.tie) for part in best.parts
    ]


@pytest.mark.parametrize(
    "parts",
    [[], ["", ""], ["x", "", ""], ["As", "As", ""], ["AsKsQsJsTs9h", "", ""], ["Ac", "", ""]],
)
def test_other_parts_are_refused(parts: list[str]) -> None:
    with pytest.raises(InputError):
        odds(GAME, VIEW, parts)


def test_the_spec_names_them() -> None:
    assert load(spec_of("chinese_poker").odds) is odds
