"""Learners that play their own games: waves of games, opponents, weights, checkpoints.

An update:

1. Play new games in pieces, here or by other processes (`selfplay`), against opponents of the
   `population`. Games end within an update, so that resuming a training does not change results.
2. Learn from them, as the subclass defines.
3. Average the weights with more weight on later updates. Freeze the learner for the pool if due.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self, TypeVar

import numpy as np
import torch

from closedhand.core import batch
from closedhand.core.agents import AnyAgent, watch_files
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.options import Range
from closedhand.core.reading import check_arrays
from closedhand.core.workers import RemoteWorkers
from closedhand.learning import module_state, networks
from closedhand.learning.module_state import Weights
from closedhand.learning.network_learner import NetworkLearner, NetworkSettings
from closedhand.learning.population import OPPONENTS, Population, names_of
from closedhand.learning.selfplay import Choose, Piece, Record, Wave, cut, join, play_wave, replay


@dataclass(frozen=True, kw_only=True)
class Settings(NetworkSettings):
    """Settings of every learner that plays its own games."""

    pieces: Annotated[
        int, Range(1, 10**4), "pieces of an update's games, for as many workers of a cluster"
    ] = 1
    weight_decay: Annotated[float, Range(0, 1), "weight decay of AdamW"] = 1e-4
    anneal: Annotated[
        float, Range(1), "decisions after which rates are divided by the square root of 2"
    ] = 2e6
    freeze: Annotated[int, Range(1), "updates until a frozen self joins the pool"] = 20


GreedyTemperature = Annotated[float, Range(0, 100), "at which agents play: 0 takes the best action"]
"""The setting `temperature` of learners whose agents by default take the best action."""
FEWEST = 1 / 64
"""Lower bound of the decisions per game by which an update's number of games is computed."""
FIRST_BATCH = 8192
"""Decisions in each of the first updates, unless a batch has fewer."""
GROWTH = 1 / 8
"""Limit of the decisions of later updates, as a share of the decisions so far."""
ENOUGH = 4096
"""Number of games without a decision to learn from at which an update gives up."""


class Scale:
    """Typical size of payoffs, by which rewards are divided."""

    KEPT = 0.95  # factor by which the sums decay in each update

    def __init__(self) -> None:
        self.sums = np.zeros(3)  # number, sum and sum of squares of payoffs, with decay

    def add(self, returns: np.ndarray) -> float:
        """Add the payoffs of an update; return the standard deviation of all, or 1 if it is 0."""
        values = returns.ravel()
        new = np.array([len(values), values.sum(), (values**2).sum()])
        self.sums = self.KEPT * self.sums + new
        number, total, squares = self.sums
        variance = squares / number - (total / number) ** 2
        return float(np.sqrt(variance)) if variance > 1e-12 else 1.0


class State(NamedTuple):
    """Data for other processes to play for a learner; `frozen` is as for `DeepLearner.waves`."""

    weights: Weights
    frozen: Mapping[int, Weights]
    decisions: int


Chosen = TypeVar("Chosen", bound=Settings)


class DeepLearner(NetworkLearner[Chosen]):
    """Base of learners that play their own games; a subclass implements `update` and `chooser`.

    Attributes:
        network: The network that learns, in which actions share weights; see `networks`.
        average: Average of the weights of `network`, mostly of the latest; agents play it.
        acting: The network that plays an update: a copy of `network` made before it.
        remote: Workers that play the games; None: this process.
        check_files: Check that raises an `InputError` if the files of an agent that plays have
            changed since the beginning (`watch_files`).
    """

    settings_type = Settings

    def __init__(
        self,
        game: Game,
        settings: Chosen,
        seed: int = 0,
        opponents: Sequence[AnyAgent] = (),
        against: Sequence[AnyAgent] = (),
        threads: int = 1,
    ) -> None:
        """Start from an untrained network; `opponents` as for `Population`, by default `SELF`."""
        super().__init__(game, settings, seed, against, threads)
        self.acting: Any = networks.build(self.shape)
        self.network: Any = networks.build(self.shape, seed)
        self.average: Any = networks.build(self.shape, seed)
        parts = networks.spelling(self.features.game)
        if parts is not None:
            layers = [*networks.by_action(self.network), *networks.by_action(self.average)]
            networks.share(layers, parts)
        weights, decay = self.network.parameters(), settings.weight_decay
        self.optimiser = torch.optim.AdamW(
            weights, settings.learning_rate, weight_decay=decay, fused=True
        )
        self.modules = {"network": self.network, "average": self.average}
        self.population = Population(self.features.game, opponents, settings.freeze)
        self.opponents = names_of(self.features.game, self.population.players)
        self.check_files = watch_files(self.features.game, self.population.others)
        self.remote: RemoteWorkers | None = None
        self.scale = Scale()

    def chooser(self, rng: np.random.Generator) -> Choose:
        """Return the function that decides for the learner in the games of a piece."""
        raise NotImplementedError

    @property
    def rate(self) -> float:
        """Factor of all falling settings, such as `learning_rate`, by the number of decisions."""
        return (1 + self.decisions / self.settings.anneal) ** -0.5

    @property
    def games_in_update(self) -> int:
        """Number of games of the next update, which make about a batch of decisions.

        The first batches are smaller: an untrained policy gains more by frequent updates.
        """
        each = self.decisions / self.games if self.games else float(self.game.num_players)
        # At most 64 games in the first update, later at most four times the mean so far.
        most = 4 * self.games // max(1, self.updates) if self.games else 64
        wanted = min(self.settings.batch, max(FIRST_BATCH, round(GROWTH * self.decisions)))
        return max(1, min(round(wanted / max(each, FEWEST)), most))

    def play(self, rng: np.random.Generator) -> Wave:
        """Play and count the games of an update; `rng` draws opponents from the pool.

        If the learner has no decision in them, play twice as many; an `InputError` after `ENOUGH`.
        """
        drawn = self.population.draw(rng)
        number = self.games_in_update
        frozen = {i: self.population.members[at] for i, at in drawn.items()}
        while True:
            wave = join(self.waves(cut(number, self.settings.pieces, self.updates), frozen))
            if len(wave.actions):
                break
            if number >= ENOUGH:
                name = self.features.game.name
                raise InputError(f"the learner has not a single choice in {number} games of {name}")
            number *= 2
        self.population.drawn += [(self.updates, at) for at in drawn.values()]
        self.games += number
        self.decisions += len(wave.actions)
        self.moves += wave.moves
        return wave

    def waves(self, pieces: Sequence[Piece], frozen: Mapping[int, Weights]) -> list[Wave]:
        """Play pieces, here or in other processes; `frozen` has weights by index of the opponent.

        Raises:
            InputError: The files of an agent have changed, so that the games may mix networks.
        """
        weights = self.weights(self.network)
        if self.remote is None:
            module_state.load_weights(self.acting, weights)
            waves = [self.play_piece(piece, frozen) for piece in pieces]
        else:
            state = self.remote.share(State(weights, frozen, self.decisions))
            players = self.population.players
            jobs = [(*self.maker(), players, state, piece) for piece in pieces]
            records = self.remote.results_of(play_elsewhere, jobs)
            waves = [
                self.play_piece(piece, frozen, record)
                for piece, record in zip(pieces, records, strict=True)
            ]
        self.check_files()
        return waves

    def weights(self, network: torch.nn.Module) -> Weights:
        """Return the weights of a network of this learner by `networks.plain`."""
        return networks.plain(network, self.acting.state_dict())

    def maker(self) -> tuple[type[Self], tuple[Any, ...]]:
        """Return class and hashable arguments to make this learner elsewhere, without opponents."""
        return type(self), (self.game, self.settings, self.seed)

    def play_piece(
        self, piece: Piece, frozen: Mapping[int, Weights], record: Record | None = None
    ) -> Wave:
        """Play a piece, or replay its record of another process; `frozen` is as for `waves`."""
        rng = piece.rng(self.seed)
        states = batch.deal_random(self.features.game, len(piece.games), rng)
        seating = self.population.seating(piece.games, frozen)
        if record is not None:
            return replay(self.features, states, record, seating, len(self.population.players))
        agents = self.population.agents(
            frozen, rng, lambda weights, seed: self.agent(seed=seed, weights=weights)
        )
        return play_wave(self.features, states, self.chooser(rng), seating, agents)

    def take_step(self, loss: torch.Tensor) -> None:
        """Take a step of the optimiser along the clipped gradient of a loss."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.settings.learning_rate * self.rate
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimiser.step()

    def agent_weights(self) -> Weights:
        """Return copies of the averaged weights."""
        return {name: each.copy() for name, each in self.weights(self.average).items()}

    def after_update(self) -> None:
        """Average the weights, and freeze a self for the pool if it is due."""
        module_state.add_to_average(self.average, self.network, self.updates)
        self.population.add(self.updates, lambda: self.weights(self.network))

    def state(self) -> dict[str, Any]:
        """Return everything that `restore` needs, arrays by name."""
        return {**super().state(), "scale": self.scale.sums.copy(), **self.population.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state that `state` returned; after an error discard the learner."""
        check_arrays(state, {"scale": self.scale.sums, "counts": self.counts})
        super().restore(state)
        self.population.restore(state)
        for each in self.population.members.values():
            check_arrays(each, self.weights(self.network))
        self.scale.sums = state["scale"].astype(np.float64)

    def save(self, folder: Path) -> None:
        """Write the averaged network for the agent `learned`, and the log of the pool."""
        super().save(folder)
        if self.population.drawn:
            write_atomically(folder / OPPONENTS, self.population.log())


def play_elsewhere(
    cls: type[DeepLearner], arguments: tuple[Any, ...], players: list[AnyAgent], state: State,
    piece: Piece,
) -> Record:  # fmt: skip
    """Play a piece in another process, by the learner that `DeepLearner.maker` describes.

    `players` are those of the learner's population.
    """
    learner = _player(cls, arguments)
    learner.population.players = players  # objects, which need not be hashable, come with each job
    learner.decisions = state.decisions
    module_state.load_weights(learner.acting, state.weights)
    wave = learner.play_piece(piece, state.frozen)
    return Record(wave.played, wave.notes)


@lru_cache(maxsize=1)
def _player(cls: type[DeepLearner], arguments: tuple[Any, ...]) -> DeepLearner:
    return cls(*arguments)
