"""Base of learners of a network: counts, scores, and the file for agents.

The seed and the number of an update determine the generator that `update` gets. Learning rates may
depend on the number of decisions or moves so far, never on the speed of the machine.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

import numpy as np
import torch

from closedhand.core.agents import AnyAgent, parse_agent
from closedhand.core.checks import check_learner_seed
from closedhand.core.game import Game
from closedhand.core.options import Range, options_of
from closedhand.learning import agent_factory, module_state, networks
from closedhand.learning.agent import NetworkAgent
from closedhand.learning.evaluation import judge
from closedhand.learning.features import Features
from closedhand.learning.module_state import Weights, load_weights
from closedhand.learning.population import checked
from closedhand.learning.torch_threads import choose_threads

JUDGING = 20.0
"""Least ratio of the time between two evaluations to the time of one."""
FIRST_JUDGEMENT = 10.0
"""Seconds before the first evaluation, and least time between two."""
DEALS = 500
"""Deals of an evaluation."""


@dataclass(frozen=True, kw_only=True)
class NetworkSettings:
    """Settings of every learner of a network; the command line shows the annotations.

    Raises:
        InputError: A setting is not of its type, or out of its range.
    """

    observation: Annotated[str, "observation: compact, or planes"] = "compact"
    width: Annotated[int, Range(1, 4096), "units of each hidden layer"] = 256
    layers: Annotated[int, Range(1, 16), "hidden layers"] = 2
    batch: Annotated[int, Range(1, 10**7), "decisions in an update, approximately"] = 8192
    minibatch: Annotated[int, Range(1, 10**7), "decisions in a step of the optimiser"] = 1024
    learning_rate: Annotated[float, Range(0, 1), "initial learning rate"] = 1e-3
    temperature: Annotated[
        float,
        Range(0, 100),
        "at which agents play: 1 draws from the policy, 0 takes the best action",
    ] = 1.0

    def __post_init__(self) -> None:
        for name, value in options_of(type(self), "the learner").read(asdict(self)).items():
            object.__setattr__(self, name, value)


Chosen = TypeVar("Chosen", bound=NetworkSettings)


class NetworkLearner(Generic[Chosen]):
    """A training in progress; a `closedhand.core.run.Learner`.

    A subclass sets `name`, `settings_type`, `kind`, `roles`, makes `modules` and `optimiser`, and
    implements `update` and `agent_weights`.

    Attributes:
        kind: Kind of its network, see `networks.KINDS`.
        roles: Whether each role of the game has its own network.
        opponents: Names of the players of the other seats.
        decisions: Number of decisions learned from.
        moves: Number of actions played, forced ones and those of opponents included.
        measured: Measurements of the last update, by name.
        modules: Networks of the checkpoint by name.
        optimiser: Optimiser of the networks that learn.
    """

    modules: Mapping[str, torch.nn.Module]
    optimiser: torch.optim.Optimizer
    name = ""
    settings_type: type[Any] = NetworkSettings
    kind = "policy"
    roles = False

    def __init__(
        self,
        game: Game,
        settings: Chosen,
        seed: int = 0,
        against: Sequence[AnyAgent] = (),
        threads: int = 1,
    ) -> None:
        """Set up the game, the counts and the agents to evaluate against (`against`).

        `seed` determines all random numbers; `threads` is the number of threads of PyTorch.

        Raises:
            InputError: An agent or the observation is unknown, or the seed is not allowed.
        """
        choose_threads(threads)
        self.game, self.settings, self.seed = game, settings, check_learner_seed(seed)
        self.features = Features(game, settings.observation)
        self.shape = networks.shape_of(
            self.features, self.kind, settings.width, settings.layers, self.roles
        )
        self.opponents: list[str] = []
        self.updates = self.decisions = self.moves = self.games = 0
        self.measured: dict[str, float] = {}
        self.against = list(against)
        checked(self.features.game, against)  # refuses agents before the work begins
        self.seconds = 0.0
        self._judged_at = time.monotonic()
        self._judging = 0.0
        self._noted = (0, 0, 0.0)  # decisions, games and seconds at the last summary

    def update(self, rng: np.random.Generator) -> dict[str, float]:
        """Play games, and learn from them; return measurements by name."""
        raise NotImplementedError

    def agent_weights(self) -> Weights:
        """Return copies of the weights for agents, by their names in `networks.build(shape)`."""
        raise NotImplementedError

    def sources(self) -> dict[str, Any]:
        """Return further sources of learning, JSON values that must be the same on resumption."""
        return {}

    def after_update(self) -> None:
        """Finish an update; `updates` already counts it."""

    @property
    def counts(self) -> np.ndarray:
        """Updates, decisions, moves and games so far, int64 [4]."""
        return np.array([self.updates, self.decisions, self.moves, self.games])

    @counts.setter
    def counts(self, counts: np.ndarray) -> None:
        if min(counts) < 0:
            raise ValueError("counts")
        self.updates, self.decisions, self.moves, self.games = map(int, counts)
        self._noted = (self.decisions, self.games, 0.0)

    def agent(
        self, temperature: float | None = None, seed: int = 0, weights: Weights | None = None
    ) -> NetworkAgent:
        """Make an agent, by default with the temperature of the settings and `agent_weights`."""
        chosen = self.settings.temperature if temperature is None else temperature
        network = networks.build(self.shape)
        load_weights(network, self.agent_weights() if weights is None else weights)
        return NetworkAgent(self.features.game, network, self.features, chosen, seed)

    def advance(self, seconds: float) -> bool:
        """Do one update; return whether an evaluation is due."""
        start = time.monotonic()
        self.measured = self.update(np.random.default_rng((self.seed, self.updates)))
        self.updates += 1
        self.after_update()
        self.seconds += time.monotonic() - start
        since = time.monotonic() - self._judged_at
        return since > max(FIRST_JUDGEMENT, JUDGING * self._judging)

    def summary(self) -> dict[str, Any]:
        """Return counts, speeds since the last summary, last measurements, and scores."""
        decisions, games, seconds = self._noted
        passed = max(self.seconds - seconds, 1e-9)
        start = time.monotonic()
        game = self.game.name
        scores = {parse_agent(game, each).name: self.score(each) for each in self.against}
        self._judged_at = time.monotonic()
        self._judging = self._judged_at - start
        # Only now: if the scores are interrupted, the next summary counts from the same point.
        self._noted = (self.decisions, self.games, self.seconds)
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

    def score(self, opponent: AnyAgent) -> dict[str, Any]:
        """Return the `evaluation.Score.entry` of the agent against another, over `DEALS` deals."""
        return judge(self.features.game, self.agent(), opponent, DEALS, self.seed).entry()

    def provenance(self) -> dict[str, Any]:
        """Return how the network was made, JSON values for its file."""
        return {
            "algorithm": self.name,
            "opponents": self.opponents,
            "settings": asdict(self.settings),
            "seed": self.seed,
            "updates": self.updates,
            "decisions": self.decisions,
            "games": self.games,
        }

    def save(self, folder: Path) -> None:
        """Write the network for the agent `learned`."""
        tensors = {name: torch.from_numpy(each) for name, each in self.agent_weights().items()}
        networks.save(
            folder / agent_factory.NAME, tensors, self.shape, self.features,
            self.settings.temperature, self.provenance(),
        )  # fmt: skip

    def state(self) -> dict[str, Any]:
        """Return everything that `restore` needs, arrays by name."""
        found = {"counts": self.counts, **module_state.moments_of(self.optimiser)}
        for name, module in self.modules.items():
            found |= module_state.arrays_of(name, module)
        return found

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state that `state` returned.

        Raises:
            ValueError, KeyError: The state belongs to another network, or lacks an array.
        """
        for name, module in self.modules.items():
            module_state.restore_module(module, name, state)
        moments = module_state.moments_in(self.optimiser, state)
        module_state.set_moments(self.optimiser, moments)
        self.counts = state["counts"]
