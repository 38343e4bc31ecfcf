"""The search over kou's numbers."""

from pathlib import Path

import numpy as np
import pytest

from closedhand import InputError, make_agent, make_game
from closedhand.agents.daihinmin.kou import tuning
from closedhand.agents.daihinmin.kou.tuning import DOWN, LADDERS, UP, Tuning, neighbour
from closedhand.agents.daihinmin.kou.variants import LETTER, REFINED, Numbers

GAME = make_game("daihinmin", classes="random")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PIECE": 4, "SCREENED": 8, "CONFIRMED": 12}.items():
        monkeypatch.setattr(tuning, name, value)


def test_every_number_has_a_ladder_with_the_papers_value() -> None:
    assert set(LADDERS) == set(Numbers._fields) - tuning.UNTUNED
    for name, ladder in LADDERS.items():
        assert list(ladder) == sorted(set(ladder))
        assert getattr(LETTER, name) in ladder


def test_neighbours_are_rungs_away() -> None:
    def value(numbers: Numbers, way: int, stride: int) -> int | None:
        found = neighbour(numbers, "least", way, stride)
        return None if found is None else found.least

    assert LADDERS["least"] == (0, 1, 5, 10, 20)
    middle = LETTER._replace(least=5)
    assert [value(middle, way, stride) for way in (UP, DOWN) for stride in (1, 2)] == [10, 20, 1, 0]
    assert value(middle, UP, 9) == 20
    assert value(LETTER._replace(least=0), DOWN, 1) is None
    assert value(LETTER._replace(least=30), DOWN, 1) == 20


@pytest.mark.parametrize("numbers", [LETTER, REFINED, LETTER._replace(give_three=-5)])
def test_the_text_is_the_agent(numbers: Numbers) -> None:
    agent = make_agent("daihinmin", tuning.text_of(numbers))
    assert agent.kernel_policy.numbers == numbers


@pytest.mark.slow
def test_equal_numbers_gain_nothing(small: None) -> None:
    gains = Tuning(GAME, 3)._play(LETTER)
    assert gains.tolist() == [0.0] * 4


@pytest.mark.slow
def test_gains_are_those_of_all_seats_on_the_same_deals(small: None) -> None:
    """Played again one game at a time."""
    learner = Tuning(GAME, 3)
    challenger = LETTER._replace(weakest_first=1, winning=1)
    gains = learner._play(challenger)
    rng = np.random.default_rng((3, 0xDEA1, 0))
    deals = [GAME.deal(rng) for _ in range(4)]

    def points(numbers: Numbers, deal: int, seat: int) -> float:
        names = ["kou[letter=1]"] * 5
        names[seat] = tuning.text_of(numbers)
        agents = [make_agent("daihinmin", name) for name in names]
        state = deals[deal].copy()
        while not GAME.over(state):
            player = int(state["player"])
            GAME.play(state, agents[player].act(GAME.view(state, player)))
        return float(GAME.returns(state)[seat])

    alone = [
        np.mean([points(challenger, deal, seat) - points(LETTER, deal, seat) for seat in range(5)])
        for deal in range(4)
    ]
    np.testing.assert_allclose(gains, alone)
    assert any(gains)


@pytest.mark.slow
def test_an_interrupted_search_goes_on_as_if_nothing_had_happened(
    small: None, tmp_path: Path
) -> None:
    def work(name: str, *stops: int) -> tuple[list, str]:
        for deals in stops:
            run = tuning.begin(GAME, 5, tmp_path / name)
            run.resume_if_kept()
            run.work(over=lambda run=run, deals=deals: run.learner.deals >= deals)
            assert run.learner.deals == deals
        state = {key: value.tolist() for key, value in run.learner.state().items()}
        history = [{**entry, "seconds": 0} for entry in run.history]
        return [state, history], (tmp_path / name / tuning.TEXT).read_text()

    assert work("whole", 80) == work("parts", 4, 52, 80)
    with pytest.raises(InputError, match="seed 5, not 6"):
        tuning.begin(GAME, 6, tmp_path / "whole").resume()


@pytest.mark.parametrize("count", [{"deals": -1}, {"place": len(LADDERS)}])
def test_counts_that_cannot_be_are_refused(count: dict[str, int], tmp_path: Path) -> None:
    run = tuning.begin(GAME, 1, tmp_path)
    vars(run.learner).update(count)
    run.save()
    with pytest.raises(InputError, match="nothing to resume"):
        tuning.begin(GAME, 1, tmp_path).resume()


def test_a_text_without_a_checkpoint_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / tuning.TEXT).write_text("kou[letter=1,weakest_first=1]\n")
    with pytest.raises(InputError, match=r"kou\.txt is of another training"):
        tuning.begin(GAME, 1, tmp_path).resume_if_kept()


@pytest.mark.slow
def test_it_finds_what_the_letter_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The weakest leads, which gains most; what changes nothing fails."""
    monkeypatch.setattr(tuning, "LADDERS", {"weakest_first": (0, 1), "joker_kaidan": (0, 1, 2)})
    for name, value in {"PIECE": 20, "SCREENED": 40, "CONFIRMED": 100}.items():
        monkeypatch.setattr(tuning, name, value)
    learner = Tuning(GAME, 1)
    while not learner.sweeps:
        learner.advance(1)
    assert learner.numbers == LETTER._replace(weakest_first=1)
    assert (learner.trials, learner.accepted) == (3, 1)
    assert learner.summary()["change"] == "weakest_first=1"
    assert learner.summary()["agent"] == "kou[letter=1,weakest_first=1]"
    assert learner.deals <= 20 * (2 + 5 + 1 + 1)


@pytest.mark.parametrize(
    ("options", "reason"), [({"rounds": 2}, "single rounds"), ({"jokers": 2}, "one joker")]
)
def test_other_tables_are_refused(options: dict, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        Tuning(make_game("daihinmin", **options))
