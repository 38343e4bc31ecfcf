"""What all deep learners have in common: steps, scores, checkpoints, and the folder that they fill.

A learner takes updates, each from games of its own: its randomness comes from the seed and the
number of the update alone, so that a resumed training continues exactly as it would have without
the interruption. Rates follow the number of decisions learned from, never the clock.
"""

import json
import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
import torch

from closedhand.core import batch
from closedhand.core.agents import Agent, digests, make_agent
from closedhand.core.files import remove, write_atomically
from closedhand.core.game import Game
from closedhand.core.options import Range
from closedhand.core.run import Run
from closedhand.core.workers import Crew
from closedhand.learning import agent_factory, networks
from closedhand.learning.action_sharing import plain, share
from closedhand.learning.agent import NetworkAgent
from closedhand.learning.evaluation import judge
from closedhand.learning.features import Features
from closedhand.learning.population import Population, Weights
from closedhand.learning.remote_games import Piece, Record, cut, record, replay, rounded
from closedhand.learning.selfplay import Choose, Wave, join, play_wave
from closedhand.learning.tensorboard import logs

CHECKPOINT, HISTORY = "checkpoint.npz", "training.json"
OPPONENTS, BOARD = "opponents.csv", "tensorboard"
JUDGING = 20.0
"""Least ratio of the time between two judgements to the time that one takes."""
FIRST_JUDGEMENT = 10.0
"""Seconds before the first judgement, and least time between two."""
DEALS = 500
"""Deals of a judgement."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What every deep learner can be told.

    The annotations document the settings on the command line.
    """

    observation: Annotated[str, "observation: compact, or planes"] = "compact"
    width: Annotated[int, Range(1, 4096), "units of each hidden layer"] = 256
    layers: Annotated[int, Range(1, 16), "hidden layers"] = 2
    batch: Annotated[int, Range(1, 10**7), "decisions in an update, approximately"] = 8192
    pieces: Annotated[
        int, Range(1, 10**4), "pieces of an update's games, for as many actors of a cluster"
    ] = 1
    minibatch: Annotated[int, Range(1, 10**7), "decisions in a step of the optimiser"] = 1024
    learning_rate: Annotated[float, Range(0, 1), "initial learning rate of AdamW"] = 1e-3
    weight_decay: Annotated[float, Range(0, 1), "weight decay of AdamW"] = 1e-4
    anneal: Annotated[
        float, Range(1), "decisions after which rates are divided by the square root of 2"
    ] = 2e6
    freeze: Annotated[int, Range(1), "updates until a frozen self joins the pool"] = 20


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
        shape: What its network is built from.
        weights: Weights of its network.
        frozen: Weights of frozen selves by the index of their opponent.
        decisions: Number of decisions learned from.
    """

    shape: networks.Shape
    weights: Weights
    frozen: Mapping[int, Weights]
    decisions: int


class DeepLearner:
    """A training in progress; a `closedhand.core.run.Learner`.

    A subclass sets `name`, `kind`, `temperature` and `roles`, and implements `update` and
    `chooser`.

    Attributes:
        name: Name of the algorithm.
        settings_type: Class of its settings.
        kind: Kind of its network, see `networks.KINDS`.
        temperature: Temperature at which its agent plays.
        roles: Whether each role of the game has a network of its own.
        remark: What people are told before it begins; empty: nothing.
        game: Game to be learned, as it was given.
        features: The game as the network sees it.
        settings: The settings.
        seed: Seed of everything random.
        network: The network that learns, in which actions share weights; see `sharing`.
        average: Average of its weights, weighted towards the latest: what agents play.
        acting: The network that plays an update: what `network` was before it.
        updates: Number of updates.
        decisions: Number of decisions learned from.
        moves: Number of actions played, forced ones and those of opponents included.
        games: Number of games played.
        measured: Measurements of the last update, by name.
        crew: Who plays the games; None: this process.
    """

    name = ""
    settings_type: type[Settings] = Settings
    kind = "policy"
    temperature = 1.0
    roles = False
    remark = ""

    def __init__(
        self,
        game: Game,
        settings: Settings,
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
        torch.set_num_threads(threads)
        self.game, self.settings, self.seed = game, settings, seed
        self.features = Features(game, settings.observation)
        shape = networks.shape_of(
            self.features, self.kind, settings.width, settings.layers, self.roles
        )
        self.take(shape, shared=True)
        self.population = Population(self.features.game, opponents, settings.freeze)
        self.crew: Crew | None = None
        self.scale = Scale()
        self.updates = self.decisions = self.moves = self.games = 0
        self.measured: dict[str, float] = {}
        self.against = list(against)
        for name in against:  # an unknown one is refused before the work begins
            make_agent(self.features.game, name, seed)
        self.seconds = 0.0
        self._judged_at = time.monotonic()
        self._judging = 0.0
        self._seen = (0, 0, 0.0)

    def take(self, shape: networks.Shape, shared: bool) -> None:
        """Begin with an untrained network.

        Args:
            shape: What it is built from.
            shared: Whether actions share weights where there is something to share.
        """
        self.shape = shape
        self.acting: Any = networks.build(shape)
        self.network: Any = networks.build(shape, self.seed)
        self.average: Any = networks.build(shape, self.seed)
        parts = self.features.spelling
        if shared and parts is not None:
            share(self.network.by_action(), parts)
            share(self.average.by_action(), parts)
        self.optimiser = torch.optim.AdamW(
            self.network.parameters(),
            self.settings.learning_rate,
            weight_decay=self.settings.weight_decay,
            fused=True,
        )

    # What a subclass does.

    def update(self, rng: np.random.Generator) -> dict[str, float]:
        """Play, and learn from it.

        Args:
            rng: Generator of everything random in this update but the games.

        Returns:
            Measurements by name.
        """
        raise NotImplementedError

    def chooser(self, states: np.ndarray, rng: np.random.Generator) -> Choose:
        """What decides for the learner in a piece.

        Args:
            states: The games of the piece, `features.game.dtype` [n].
            rng: Generator of the decisions.
        """
        raise NotImplementedError

    def sources(self) -> dict[str, Any]:
        """What else it learns from, JSON values that must be the same on resumption."""
        return {}

    # What it has for that.

    @property
    def rate(self) -> float:
        """What learning rates are multiplied by, which falls with the decisions learned from."""
        return (1 + self.decisions / self.settings.anneal) ** -0.5

    @property
    def games_in_update(self) -> int:
        """Number of games to play in the next update, for a batch of the size that is set."""
        each = self.decisions / self.games if self.games else float(self.game.num_players)
        most = 4 * self.games // max(1, self.updates) if self.games else 64
        return max(1, min(round(self.settings.batch / max(each, 1e-6)), most))

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
        state = self.crew.share(State(self.shape, weights, frozen, self.decisions))
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
            self.features.game, network, self.features, self.temperature, seed, "frozen"
        )

    def take_step(self, loss: torch.Tensor) -> None:
        """A step of the optimiser along the gradient of a loss, which is clipped."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.settings.learning_rate * self.rate
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimiser.step()

    def agent(self, temperature: float | None = None, seed: int = 0) -> NetworkAgent:
        """The averaged network as an agent of the learned form of the game."""
        chosen = self.temperature if temperature is None else temperature
        network = networks.build(self.shape)
        load_weights(network, self.weights(self.average))
        return NetworkAgent(self.features.game, network, self.features, chosen, seed)

    # The protocol of learners.

    def advance(self, seconds: float) -> bool:
        """Do one update; asks for a summary when it is time for a judgement."""
        start = time.monotonic()
        self.measured = self.update(np.random.default_rng((self.seed, self.updates)))
        self.updates += 1
        self._average()
        self.population.add(self.updates, lambda: self.weights(self.network))
        self.seconds += time.monotonic() - start
        since = time.monotonic() - self._judged_at
        return since > max(FIRST_JUDGEMENT, JUDGING * self._judging)

    @torch.no_grad()
    def _average(self) -> None:
        # Polynomial decay (Shamir and Zhang, 2013): the last tenth of the updates or so counts,
        # however long the training is.
        share = 9 / (self.updates + 8)
        for mean, new in zip(self.average.parameters(), self.network.parameters(), strict=True):
            mean.lerp_(new, share)

    def state(self) -> dict[str, Any]:
        """Everything that `restore` needs, arrays by name."""
        found: dict[str, Any] = {
            "counts": np.array([self.updates, self.decisions, self.moves, self.games]),
            "scale": self.scale.sums.copy(),
            **self.population.state(),
        }
        for name, module in (("network", self.network), ("average", self.average)):
            found |= {f"{name}.{key}": each.numpy().copy() for key, each in _tensors(module)}
        for i, moments in self.optimiser.state_dict()["state"].items():
            found |= {f"optimiser.{i}.{key}": each.numpy().copy() for key, each in moments.items()}
        return found

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what `state` returned.

        Raises:
            ValueError: The state is that of another network.
        """
        for name, module in (("network", self.network), ("average", self.average)):
            with torch.no_grad():
                for key, each in _tensors(module):
                    each.copy_(_tensor(state[f"{name}.{key}"], each.shape))
        moments: dict[int, dict[str, torch.Tensor]] = {}
        for name in state:
            if name.startswith("optimiser."):
                _, i, key = name.split(".")
                moments.setdefault(int(i), {})[key] = torch.from_numpy(state[name].copy())
        about = self.optimiser.state_dict()
        self.optimiser.load_state_dict({**about, "state": moments})
        self.population.restore(state)
        self.scale.sums = state["scale"].astype(np.float64)
        self.updates, self.decisions, self.moves, self.games = map(int, state["counts"])
        self._seen = (self.decisions, self.games, 0.0)

    def summary(self) -> dict[str, Any]:
        """Counts, speeds since the last summary, the last measurements, scores against others."""
        decisions, games, seconds = self._seen
        passed = max(self.seconds - seconds, 1e-9)
        self._seen = (self.decisions, self.games, self.seconds)
        start = time.monotonic()
        scores = {name: self.score(name) for name in self.against}
        self._judged_at = time.monotonic()
        self._judging = self._judged_at - start
        return {
            "updates": self.updates,
            "decisions": self.decisions,
            "moves": self.moves,
            "games": self.games,
            "decisions_per_second": round((self.decisions - decisions) / passed, 1),
            "games_per_second": round((self.games - games) / passed, 1),
            **{name: round(value, 6) for name, value in self.measured.items()},
            "against": scores,
        }

    def score(self, opponent: str) -> dict[str, Any]:
        """Points and share of games won against an agent, duplicate, with 95% intervals."""
        points, won, _ = judge(self.features.game, self.agent(), opponent, DEALS, self.seed)
        found = {"points": points, "won": won}
        return {
            name: [round(each, 4) for each in estimate]
            for name, estimate in found.items()
            if estimate is not None
        }

    def provenance(self) -> dict[str, Any]:
        """How the network was made, for its file."""
        return {
            "algorithm": self.name,
            "opponents": self.population.names,
            "settings": asdict(self.settings),
            "seed": self.seed,
            "updates": self.updates,
            "decisions": self.decisions,
            "games": self.games,
        }

    def save(self, folder: Path) -> None:
        """Write the averaged network for the agent `learned`."""
        weights = self.weights(self.average)
        tensors = {name: torch.from_numpy(each) for name, each in weights.items()}
        networks.save(
            folder / agent_factory.NAME, tensors, self.shape, self.features, self.temperature,
            self.provenance(),
        )  # fmt: skip
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
    if learner.shape != state.shape:
        learner.take(state.shape, shared=False)
    load_weights(learner.acting, state.weights)
    return learner.record(piece, state.frozen)


@lru_cache(maxsize=1)
def _player(cls: type[DeepLearner], arguments: tuple[Any, ...]) -> DeepLearner:
    return cls(*arguments)


def load_weights(network: torch.nn.Module, weights: Weights) -> None:
    """Give a network some weights, which are copied."""
    tensors = {name: torch.from_numpy(each.copy()) for name, each in weights.items()}
    network.load_state_dict(tensors)


def _tensors(module: torch.nn.Module) -> list[tuple[str, torch.Tensor]]:
    return list(module.state_dict().items())


def _tensor(array: np.ndarray, shape: torch.Size) -> torch.Tensor:
    if array.shape != tuple(shape) or not np.isfinite(array).all():
        raise ValueError("weights")
    return torch.from_numpy(array.astype(np.float32))


def clear(folder: Path) -> None:
    """Remove what a training has left in its folder and a new one does not write over.

    Raises:
        InputError: It cannot be removed.
    """
    for path in (folder / OPPONENTS, *logs(folder / BOARD)):
        remove(path)


def begin(learner: DeepLearner, folder: Path | None = None) -> Run[DeepLearner]:
    """A run of a learner before its first update; it can be resumed from a folder.

    Args:
        learner: The learner.
        folder: Folder for the network, the checkpoint and the history; None: nothing is written.
    """
    files = digests(learner.features.game, learner.population.names)
    settings = {
        "game": learner.game.name,
        "options": dict(learner.game.options),
        "algorithm": learner.name,
        "opponents": learner.population.names,
        **({"files": files} if files else {}),
        **learner.sources(),
        "seed": learner.seed,
        **asdict(learner.settings),
    }

    def save() -> None:
        if folder is not None:
            learner.save(folder)
            about = {"settings": settings, "seconds": run.seconds, "history": run.history}
            write_atomically(folder / HISTORY, json.dumps(about, indent=1) + "\n")

    path = None if folder is None else folder / CHECKPOINT
    run = Run(learner, settings, path, save, note_checkpoints=False)
    return run
