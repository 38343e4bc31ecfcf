"""Learners that play their own games: waves of games, opponents, weights, checkpoints.

Each update plays games of its own, so that a resumed training continues exactly as it would have
without the interruption.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self, TypeVar

import numpy as np
import torch

from closedhand.core import batch
from closedhand.core.agents import Agent
from closedhand.core.files import write_atomically
from closedhand.core.game import Game
from closedhand.core.options import Range
from closedhand.core.workers import Crew
from closedhand.learning import networks
from closedhand.learning.action_sharing import plain, share
from closedhand.learning.agent import NetworkAgent
from closedhand.learning.network_learner import (
    NetworkLearner,
    NetworkSettings,
    Weights,
    arrays_of,
    load_weights,
    moments_of,
    restore_module,
    restore_moments,
)
from closedhand.learning.population import OPPONENTS, Population
from closedhand.learning.remote_games import Piece, Record, cut, record, replay, rounded
from closedhand.learning.selfplay import Choose, Wave, join, play_wave


@dataclass(frozen=True, kw_only=True)
class Settings(NetworkSettings):
    """Settings of every learner that plays its own games."""

    pieces: Annotated[
        int, Range(1, 10**4), "pieces of an update's games, for as many actors of a cluster"
    ] = 1
    weight_decay: Annotated[float, Range(0, 1), "weight decay of AdamW"] = 1e-4
    anneal: Annotated[
        float, Range(1), "decisions after which rates are divided by the square root of 2"
    ] = 2e6
    freeze: Annotated[int, Range(1), "updates until a frozen self joins the pool"] = 20


FIRST_BATCH = 8192
"""Decisions in the first updates, where a batch is larger."""
GROWTH = 1 / 8
"""Share of the decisions so far that later updates may take."""


class Scale:
    """The typical size of payoffs, by which rewards are divided for networks.

    Attributes:
        sums: Number, sum and sum of squares of the payoffs so far, with slow forgetting,
            float64 [3].
    """

    KEPT = 0.95

    def __init__(self) -> None:
        """Start without payoffs."""
        self.sums = np.zeros(3)

    def add(self, returns: np.ndarray) -> float:
        """Add the payoffs of an update; returns their standard deviation, 1 if there is none."""
        values = returns.ravel()
        new = np.array([len(values), values.sum(), (values**2).sum()])
        self.sums = self.KEPT * self.sums + new
        number, total, squares = self.sums
        variance = squares / number - (total / number) ** 2
        return float(np.sqrt(variance)) if variance > 1e-12 else 1.0


class State(NamedTuple):
    """What those who play for a learner need of it in a round.

    Attributes:
        weights: Weights of its network.
        frozen: Weights of frozen selves by the index of their opponent.
        decisions: Number of decisions learned from.
    """

    weights: Weights
    frozen: Mapping[int, Weights]
    decisions: int


Chosen = TypeVar("Chosen", bound=Settings)


class DeepLearner(NetworkLearner[Chosen]):
    """A training by games that the learner plays itself.

    A subclass implements `update` and `chooser`.

    Attributes:
        network: The network that learns, in which actions share weights; see `action_sharing`.
        average: Average of its weights, weighted towards the latest: what agents play.
        acting: The network that plays an update: what `network` was before it.
        population: The opponents.
        crew: Who plays the games; None: this process.
    """

    settings_type = Settings

    def __init__(
        self,
        game: Game,
        settings: Chosen,
        seed: int = 0,
        opponents: Sequence[str] = (),
        against: Sequence[str] = (),
        threads: int = 1,
    ) -> None:
        """Start from an untrained network.

        Args:
            game: The game.
            settings: The settings.
            seed: Seed of everything random.
            opponents: Who plays the other seats, see `population`; empty: self-play.
            against: Agents that the learner is judged against.
            threads: Number of threads of PyTorch.

        Raises:
            InputError: An unknown agent or observation.
        """
        super().__init__(game, settings, seed, against, threads)
        self.acting: Any = networks.build(self.shape)
        self.network: Any = networks.build(self.shape, seed)
        self.average: Any = networks.build(self.shape, seed)
        parts = self.features.spelling
        if parts is not None:
            share(self.network.by_action(), parts)
            share(self.average.by_action(), parts)
        self.optimiser = torch.optim.AdamW(
            self.network.parameters(),
            settings.learning_rate,
            weight_decay=settings.weight_decay,
            fused=True,
        )
        self.population = Population(self.features.game, opponents, settings.freeze)
        self.opponents = self.population.names
        self.crew: Crew | None = None
        self.scale = Scale()

    # What a subclass does.

    def chooser(self, states: np.ndarray, rng: np.random.Generator) -> Choose:
        """What decides for the learner in a piece.

        Args:
            states: The games of the piece, `features.game.dtype` [n].
            rng: Generator of the decisions.
        """
        raise NotImplementedError

    # What it has for that.

    @property
    def rate(self) -> float:
        """What learning rates are multiplied by, which falls with the decisions learned from."""
        return (1 + self.decisions / self.settings.anneal) ** -0.5

    @property
    def games_in_update(self) -> int:
        """Number of games to play in the next update.

        They are as many as make a batch of the size that is set. The first batches are smaller:
        a policy that knows little gains more by new games than by many.
        """
        each = self.decisions / self.games if self.games else float(self.game.num_players)
        most = 4 * self.games // max(1, self.updates) if self.games else 64
        wanted = min(self.settings.batch, max(FIRST_BATCH, round(GROWTH * self.decisions)))
        return max(1, min(round(wanted / max(each, 1e-6)), most))

    def play(self, rng: np.random.Generator) -> Wave:
        """Play the games of an update.

        Args:
            rng: Generator of the draw from the pool.
        """
        drawn = self.population.draw(rng)
        number = self.games_in_update
        frozen = {i: self.population.members[at] for i, at in drawn.items()}
        wave = join(self.waves(cut(number, self.settings.pieces, self.updates), frozen))
        self.population.drawn += [(self.updates, at) for at in drawn.values()]
        self.games += number
        self.decisions += len(wave.actions)
        self.moves += wave.moves
        return wave

    def waves(self, pieces: Sequence[Piece], frozen: Mapping[int, Weights]) -> list[Wave]:
        """Play pieces, here or by the crew.

        Args:
            pieces: The pieces.
            frozen: Weights of the frozen selves by the index of their opponent.
        """
        weights = self.weights(self.network)
        if self.crew is None:
            load_weights(self.acting, weights)
            return [self._wave(piece, frozen) for piece in pieces]
        state = self.crew.share(State(weights, frozen, self.decisions))
        jobs = [(*self.maker(), state, piece) for piece in pieces]
        return [
            self.replay(piece, found, frozen)
            for piece, found in zip(pieces, self.crew.results_of(play_piece, jobs), strict=True)
        ]

    def weights(self, network: torch.nn.Module) -> Weights:
        """The weights of a network of this training, as those who play take them."""
        return plain(network, self.acting.state_dict())

    def maker(self) -> tuple[type[Self], tuple[Any, ...]]:
        """The class and the hashable arguments of a learner that plays the same."""
        names = tuple(self.population.names)
        return type(self), (self.game, self.settings, self.seed, names)

    def _deal(self, piece: Piece, rng: np.random.Generator) -> np.ndarray:
        return batch.deal_random(self.features.game, len(piece.games), rng)

    def _wave(self, piece: Piece, frozen: Mapping[int, Weights]) -> Wave:
        """Play a piece."""
        wave = play_wave(self.features, *self._seated(piece, frozen))
        return wave._replace(notes=rounded(wave.notes))

    def record(self, piece: Piece, frozen: Mapping[int, Weights]) -> Record:
        """Play a piece for a learner elsewhere; arguments as for `waves`."""
        return record(self.features, *self._seated(piece, frozen))

    def _seated(
        self, piece: Piece, frozen: Mapping[int, Weights]
    ) -> tuple[np.ndarray, Choose, np.ndarray, list[Agent]]:
        rng = piece.rng(self.seed)
        states = self._deal(piece, rng)
        agents = self.population.agents(frozen, rng, self._thaw)
        seating = self.population.seating(piece.games, frozen)
        return states, self.chooser(states, rng), seating, agents

    def replay(self, piece: Piece, found: Record, frozen: Container[int] = ()) -> Wave:
        """A piece that was played elsewhere.

        Args:
            piece: The piece.
            found: What has come back of it.
            frozen: Indices of the opponents that were frozen selves.
        """
        states = self._deal(piece, piece.rng(self.seed))
        seating = self.population.seating(piece.games, frozen)
        return replay(self.features, states, found, seating, len(self.population.names))

    def _thaw(self, weights: Weights, seed: int) -> NetworkAgent:
        """A frozen self as an agent."""
        network = networks.build(self.shape)
        load_weights(network, weights)
        return NetworkAgent(
            self.features.game,
            network,
            self.features,
            self.settings.temperature,
            seed,
            "frozen",
        )

    def take_step(self, loss: torch.Tensor) -> None:
        """A step of the optimiser along the gradient of a loss, which is clipped."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.settings.learning_rate * self.rate
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimiser.step()

    # The protocol of learners.

    def agent_weights(self) -> Weights:
        """The averaged weights."""
        return self.weights(self.average)

    def after_update(self) -> None:
        """Average the weights, and freeze a self for the pool if it is time to."""
        self._average()
        self.population.add(self.updates, lambda: self.weights(self.network))

    @torch.no_grad()
    def _average(self) -> None:
        # Polynomial decay (Shamir and Zhang, 2013): the last tenth of the updates or so counts,
        # however long the training is.
        share = 9 / (self.updates + 8)
        for mean, new in zip(self.average.parameters(), self.network.parameters(), strict=True):
            mean.lerp_(new, share)

    def state(self) -> dict[str, Any]:
        """Everything that `restore` needs, arrays by name."""
        return {
            "counts": self.counts,
            "scale": self.scale.sums.copy(),
            **self.population.state(),
            **arrays_of("network", self.network),
            **arrays_of("average", self.average),
            **moments_of(self.optimiser),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what `state` returned.

        Raises:
            ValueError: The state is that of another network.
        """
        restore_module(self.network, "network", state)
        restore_module(self.average, "average", state)
        restore_moments(self.optimiser, state)
        self.population.restore(state)
        self.scale.sums = state["scale"].astype(np.float64)
        self.counts = state["counts"]

    def save(self, folder: Path) -> None:
        """Write the averaged network for the agent `learned`, and who of the pool has played."""
        super().save(folder)
        if self.population.drawn:
            write_atomically(folder / OPPONENTS, self.population.log())


def play_piece(
    cls: type[DeepLearner], arguments: tuple[Any, ...], state: State, piece: Piece
) -> Record:
    """Play a piece for a learner elsewhere.

    Args:
        cls: Class of the learner.
        arguments: Its arguments; see `DeepLearner.maker`.
        state: What it has learned.
        piece: The piece.
    """
    learner = _player(cls, arguments)
    learner.decisions = state.decisions
    load_weights(learner.acting, state.weights)
    return learner.record(piece, state.frozen)


@lru_cache(maxsize=1)
def _player(cls: type[DeepLearner], arguments: tuple[Any, ...]) -> DeepLearner:
    return cls(*arguments)
