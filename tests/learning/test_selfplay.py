"""Pieces of an update that are played elsewhere: the same results, and what travels."""

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from support_learners import SMALL, learn

from closedhand import InputError, make_game
from closedhand.core import batch
from closedhand.core.agents import make_agent
from closedhand.core.duplicate import start
from closedhand.core.game import State
from closedhand.learning import training
from closedhand.learning.dmc import DMC, DMCSettings
from closedhand.learning.features import Features
from closedhand.learning.imitation import Imitation, ImitationSettings
from closedhand.learning.ppo import PPO, PPOSettings
from closedhand.learning.selfplay import LEARNER, Piece, Record, Wave, cut, halved, join, replay


class Far:
    """Workers that do jobs from their pickles, the last one first, and count what comes back."""

    def __init__(self) -> None:
        self.bytes = 0

    def share(self, value: Any) -> Any:
        return pickle.loads(pickle.dumps(value))

    def results_of(self, work: Callable[..., Any], jobs: list[tuple[Any, ...]]) -> Iterator[Any]:
        texts = [pickle.dumps((work, job)) for job in jobs]
        found = []
        for text in reversed(texts):
            function, arguments = pickle.loads(text)
            found.append(pickle.dumps(function(*arguments)))
        self.bytes += sum(map(len, found))
        yield from map(pickle.loads, reversed(found))


def weights_of(learner: Any) -> np.ndarray:
    state = learner.state()
    return np.concatenate([np.ravel(state[name]) for name in sorted(state)])


@dataclass
class First:
    """An agent that is not hashable."""

    name: str

    def act(self, view: State) -> int:
        return int(make_game("leduc").legal(view)[0])


LEARNERS = {
    "ppo": lambda game, pieces: PPO(game, PPOSettings(**SMALL, pieces=pieces), 3),
    "pool": lambda game, pieces: PPO(
        game, PPOSettings(**SMALL, pieces=pieces, freeze=1), 3, ["pool", "self", "random"]
    ),
    "object": lambda game, pieces: PPO(
        game, PPOSettings(**SMALL, pieces=pieces), 3, ["self", First("first")]
    ),
    "dmc": lambda game, pieces: DMC(game, DMCSettings(**SMALL, pieces=pieces), 3),
    "imitation": lambda game, pieces: Imitation(
        game, ImitationSettings(**SMALL, pieces=pieces), 3, expert="random"
    ),
}


@pytest.mark.parametrize("algorithm", LEARNERS)
@pytest.mark.parametrize("pieces", [1, 5])
def test_who_plays_does_not_matter(algorithm: str, pieces: int) -> None:
    game = make_game("leduc")
    here, there = (LEARNERS[algorithm](game, pieces) for _ in range(2))
    there.remote = Far()
    assert (weights_of(learn(here, 4)) == weights_of(learn(there, 4))).all()
    assert here.measured == there.measured


@pytest.mark.slow
@pytest.mark.parametrize("name", ["doudizhu", "chinese_poker"])
def test_what_travels_is_small(name: str) -> None:
    game = make_game(name)
    settings = replace(PPOSettings(**SMALL), batch=4096, pieces=2)
    here, there = (PPO(game, settings, 3, ["self", "random"]) for _ in range(2))
    there.remote = Far()
    assert (weights_of(learn(here, 2)) == weights_of(learn(there, 2))).all()
    assert there.remote.bytes / there.decisions < 8


def test_games_are_cut_into_pieces_of_nearly_the_same_size() -> None:
    pieces = cut(10, 4, 7)
    assert [list(each.games) for each in pieces] == [[0, 1], [2, 3, 4], [5, 6], [7, 8, 9]]
    assert [each.number for each in pieces] == [0, 1, 2, 3]
    assert {each.update for each in pieces} == {7}
    assert [len(each.games) for each in cut(2, 5, 0)] == [1, 1]
    draws = {each.rng(0).random() for update in range(3) for each in cut(4, 4, update)}
    assert len(draws) == 12


def test_joined_waves_keep_the_rows_of_every_game() -> None:
    learner = PPO(make_game("doudizhu", rules="tiny"), PPOSettings(**SMALL), 3)
    waves = learner.waves(cut(9, 3, 0), {})
    assert len({len(wave.actors) for wave in waves}) > 1  # of different lengths
    whole = join(waves)
    assert histories(whole) == [each for wave in waves for each in histories(wave)]
    assert np.allclose(whole.rewards.sum(axis=0), whole.returns)
    assert (whole.ends.sum(axis=0) == 1).all()


def test_pieces_without_a_decision_are_joined_with_others() -> None:
    """As where the opponent wins at once, or the learner can only pass."""
    game, pieces = make_game("doudizhu", rules="tiny"), cut(64, 64, 0)
    here, there = (PPO(game, PPOSettings(**SMALL, pieces=64), 0, ["random"]) for _ in range(2))
    there.remote = Far()
    waves = here.waves(pieces, {})
    empty = [i for i, wave in enumerate(waves) if not len(wave.actions)]
    assert 0 < len(empty) < 64
    whole = join(waves)
    assert histories(whole) == [each for wave in waves for each in histories(wave)]
    assert (whole.returns == np.concatenate([wave.returns for wave in waves])).all()
    assert len(join([waves[i] for i in empty]).returns) == len(empty)
    assert (weights_of(learn(here, 1)) == weights_of(learn(there, 1))).all()


def test_more_games_are_played_until_the_learner_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("doudizhu", rules="tiny")
    learner = PPO(game, PPOSettings(**SMALL), 0, ["random"])
    play, least, asked = learner.waves, 256, []
    none = [wave for wave in play(cut(64, 64, 0), {}) if not len(wave.actions)]

    def waves(pieces: list[Piece], frozen: Any) -> list[Wave]:
        asked.append(sum(len(piece.games) for piece in pieces))
        return none if asked[-1] < least else play(pieces, frozen)

    monkeypatch.setattr(learner, "waves", waves)
    learner.advance(0.0)
    assert asked == [64, 128, 256] and learner.games == 256 and learner.decisions > 0
    least = 10**6
    with pytest.raises(InputError, match=r"not a single choice in \d+ games of doudizhu"):
        learner.advance(0.0)
    assert training.ENOUGH <= asked[-1] < 2 * training.ENOUGH and learner.games == 256


def histories(wave: Wave) -> list[list[Any]]:
    """The decisions of every game."""
    seats = wave.actors[wave.actors >= 0]
    rows = np.full(wave.actors.shape, -1)
    rows[wave.actors >= 0] = np.arange(len(wave.actions))
    return [
        [
            (int(seats[row]), int(wave.actions[row]), wave.observations[row].tobytes())
            for row in column[column >= 0]
        ]
        for column in rows.T
    ]


def test_a_record_of_other_games_is_refused() -> None:
    learner = PPO(make_game("leduc"), PPOSettings(**SMALL), 3)
    piece = Piece(0, 0, range(5))
    wave = learner.play_piece(piece, {})
    features = Features(make_game("leduc"))
    states = batch.deal_random(features.game, 5, piece.rng(3))
    seating = np.full((5, 2), LEARNER)
    longer = Record(np.append(wave.played, wave.played[:1]), wave.notes)
    with pytest.raises(InputError, match="does not fit its games"):
        replay(features, states, longer, seating, 0)


def test_values_that_cannot_travel_are_refused() -> None:
    assert halved(np.float32([[-65504, 0.1]])).tolist() == [[-65504, np.float16(0.1)]]
    for value in 1e6, -np.inf, np.nan:
        with pytest.raises(InputError, match="so large that its values are beyond 65,504"):
            halved(np.float32([[0, value]]))


def test_a_match_with_the_same_seed_has_other_deals() -> None:
    game, seed, deals = make_game("leduc"), 7, range(20)
    _, dealt = start(game, [make_agent(game, "random")] * 2, seed, deals)
    trained = [game.deal(Piece(deal, 0, range(1)).rng(seed)) for deal in deals]
    same = [mine.tobytes() == theirs.tobytes() for mine, theirs in zip(trained, dealt, strict=True)]
    assert np.mean(same) < 0.5
