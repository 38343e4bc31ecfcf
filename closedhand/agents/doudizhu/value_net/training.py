"""Training of `value-net` by self-play: deep Monte Carlo, as in DouZero (Zha et al., 2021).

1. Play `GAMES` games with the network in all seats, in threads or processes (`self_play.py`).
2. Learn from their samples in random order, one thread per role (`learning.py`). The step size
   falls with the number of steps, as a run has no planned end.
3. Add the weights to a mean in which later steps count more (polynomial-decay averaging, Shamir and
   Zhang, 2013). The mean replaces a final phase of small steps; the agent plays by it.

Each thread changes weights of its own. A step therefore gives the same weights for any number of
threads, and a resumed run the same as an uninterrupted one.
"""

from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from closedhand.agents.doudizhu.value_net import files, network
from closedhand.agents.doudizhu.value_net.agent import Policy, ValueNetAgent, policy_of
from closedhand.agents.doudizhu.value_net.learning import Optimiser, learn, new_optimiser
from closedhand.agents.doudizhu.value_net.self_play import SAMPLE, play_games
from closedhand.core.files import write_arrays
from closedhand.core.game import Game, InputError
from closedhand.core.numba.jit import kernel
from closedhand.core.reading import check_arrays, checksum
from closedhand.core.registry import make_game
from closedhand.core.run import NPZ, Format, Run
from closedhand.core.threads import in_threads
from closedhand.core.version import __version__
from closedhand.core.workers import RemoteWorkers
from closedhand.learning.evaluation import judge

GAMES, PIECE = 1024, 128
"""Games in a step, and in a piece, which a thread or a process plays at a time."""
ROOM = 40 * PIECE
"""Room for the samples of a piece; a game has 20 on average. No game begins that might not fit."""
RATE, RATE_STEPS = 1e-4, 500
"""The step size after some steps is `RATE / sqrt(1 + steps / RATE_STEPS)`."""
AVERAGED_EVERY = 8
"""Steps between additions to the mean of weights."""
LAST_PART = 9
"""Network n enters the mean with the weight 9 / (n + 8): the last tenth of the run makes up 61%."""
LEAST_VISITS = 30
"""Rows of `Net.inputs` with fewer gradients than this are mostly random: the agent has 0 there."""
NOTED_EVERY = 500
"""Steps between entries in the history."""
DEALS = 5000
"""Deals of the duplicate match against `decompose` in an entry; the same in every entry."""
COUNTS = (*files.NUMBERS, "averaged")
"""Attributes of `Training` that count something, in its checkpoints."""


@kernel
def mix(mean, weights, part):
    """Move `mean` in place by the fraction `part` of the way to `weights`; both float32 [n]."""
    for i in range(len(mean)):
        mean[i] += part * (weights[i] - mean[i])


class Training:
    """A network in training; a `closedhand.core.run.Learner`.

    `game` has default rules, with any objective. `start` is the file of a network to continue from,
    of either objective; None: a new one that plays as `decompose`.

    Attributes:
        remote: Workers that play the games; None: this process.

    Raises:
        InputError: The file cannot be read, or holds something else.
    """

    def __init__(self, game: Game, seed: int, start: Path | None = None) -> None:
        self.game, self.seed = game, seed
        self.objective = str(game.options["objective"])
        # Numbers of steps, games and samples so far, those of `start` included.
        self.steps = self.games = self.samples = 0
        self.averaged = 0  # number of networks in the mean
        self._samples = np.zeros(GAMES // PIECE * ROOM, SAMPLE)  # of a step, by piece
        self.remote: RemoteWorkers | None = None
        self.net = network.new_net(seed)
        self._known = np.zeros(self.net.inputs.shape[:-1], bool)  # rows that `start` has learned
        if start is not None:
            self.net, about = files.read(start)
            for name in files.NUMBERS:
                setattr(self, name, about[name])
            # Values of another objective have another scale. Scaling all parts of a value by the
            # same factor keeps the order of the plays.
            ratio = files.SHARES[self.objective] / files.SHARES[about["objective"]]
            self.net.dense[:, network.THIRD :] *= np.float32(ratio)
            self._known = self.net.inputs.any(axis=-1)
        # Mean of the network's weights, which plays.
        self.mean = network.Net(*(part.copy() for part in self.net))
        self.optimiser = new_optimiser()
        self.losses = np.zeros(2)  # sum of the losses since the last summary, and their number

    @property
    def rate(self) -> float:
        """Step size of the next step."""
        return RATE / (1 + self.steps / RATE_STEPS) ** 0.5

    @property
    def about(self) -> dict[str, Any]:
        """Description of the network, for its file."""
        return {
            "objective": self.objective,
            "rules": self.game.options["rules"],
            **{name: getattr(self, name) for name in files.NUMBERS},
            "seed": self.seed,
            "version": __version__,
        }

    def advance(self, seconds: float) -> bool:
        """Take a step, whatever time is left; return whether an entry in the history is due."""
        self.step()
        return self.steps % NOTED_EVERY == 0

    def step(self) -> None:
        """Play the games of a step and learn from them."""
        # The constant makes this stream differ from others of the same seed, such as `new_net`'s.
        rng = np.random.default_rng((self.seed, 0xDA7, self.steps))
        counts = self._play(rng)  # by piece: games, samples
        games, samples = counts.sum(axis=0).tolist()
        places = [i * ROOM + np.arange(n) for i, n in enumerate(counts[:, 1])]
        order = rng.permutation(np.concatenate(places))
        self._learn(order, rng.random(len(order), np.float32))
        self.steps += 1
        self.games += games
        self.samples += samples
        if self.steps % AVERAGED_EVERY == 0:
            self.averaged += 1
            part = np.float32(LAST_PART / (self.averaged + LAST_PART - 1))
            for mean, weights in zip(self.mean, self.net, strict=True):
                mix(mean.reshape(-1), weights.reshape(-1), part)

    def _play(self, rng: np.random.Generator) -> np.ndarray:
        """Play games; return the number of games and of samples of each piece, int64 [n, 2]."""
        pieces = GAMES // PIECE
        rngs = rng.spawn(pieces)
        counts = np.zeros((pieces, 2), np.int64)
        policy = policy_of(self.net, self.objective)
        rooms = self._samples.reshape(pieces, ROOM)

        def work(piece: slice) -> None:
            for i in range(piece.start, piece.stop):
                counts[i] = play_piece(self.game, policy, rngs[i], rooms[i])

        if self.remote is None:
            in_threads(work, pieces, chunk=1)
            return counts
        shared = self.remote.share(policy)
        jobs = [(self.game, shared, rng) for rng in rngs]
        for i, (games, samples) in enumerate(self.remote.results_of(piece_elsewhere, jobs)):
            counts[i] = games, len(samples)
            rooms[i, : len(samples)] = samples
        return counts

    def _learn(self, order: np.ndarray, draws: np.ndarray) -> None:
        """Learn from the samples of indices `order`; `draws` has a random number for each."""
        share, rate = files.SHARES[self.objective], self.rate
        losses = np.zeros((network.ROLES, 2))

        def work(roles: slice) -> None:
            for role in range(roles.start, roles.stop):
                losses[role] = learn(
                    self.net, self.optimiser, role, share, self.objective == "win", rate,
                    self._samples, order, draws,
                )  # fmt: skip

        in_threads(work, network.ROLES, chunk=1)
        self.losses += losses.sum(axis=0)

    def state(self) -> dict[str, Any]:
        """Return everything that `restore` needs, for a checkpoint of `core.run.Run`.

        The arrays are not copied. Samples are left out: each step plays its own.
        """
        return {
            **{name: np.array(getattr(self, name)) for name in COUNTS},
            "losses": self.losses,
            **{f"net_{name}": part for name, part in self.net._asdict().items()},
            **{f"mean_{name}": part for name, part in self.mean._asdict().items()},
            **{f"optimiser_{name}": part for name, part in self.optimiser._asdict().items()},
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Resume from what `state` returned; an `InputError` if it is damaged."""
        check_arrays(state, self.state())
        if min(state[name] for name in COUNTS) < 0:
            raise InputError("a count is negative")
        for name in COUNTS:
            setattr(self, name, int(state[name]))
        self.losses = state["losses"]
        self.net = network.Net(*(state[f"net_{name}"] for name in network.Net._fields))
        self.mean = network.Net(*(state[f"mean_{name}"] for name in network.Net._fields))
        self.optimiser = Optimiser(*(state[f"optimiser_{name}"] for name in Optimiser._fields))

    def summary(self) -> dict[str, Any]:
        """Return the counts, the score against `decompose`, and the mean loss; reset the loss."""
        # The match comes before the reset: if it is interrupted, the loss remains.
        score = judge(self.game, self.agent(), "decompose", DEALS, 0)
        total, number = self.losses.tolist()
        self.losses = np.zeros(2)
        return {
            **{name: getattr(self, name) for name in files.NUMBERS},
            "loss": round(total / max(number, 1), 5),
            **score.entry(),
        }

    @property
    def learned(self) -> network.Net:
        """Mean of the weights, for the file and the agent, with 0 in the rows of few gradients."""
        learned = self._known | (self.optimiser.input_visits >= LEAST_VISITS)
        return self.mean._replace(inputs=self.mean.inputs * learned[..., None])

    def agent(self) -> ValueNetAgent:
        """Make the agent that plays by the mean of the weights."""
        return ValueNetAgent(self.game, "value-net", self.learned, self.objective)


def play_piece(
    game: Game, policy: Policy, rng: np.random.Generator, room: np.ndarray
) -> tuple[int, int]:
    """Play `PIECE` games, or as many as fit; write samples to `room`; return games and samples."""
    ids, states = np.empty(game.num_actions, np.int32), np.zeros(1, game.dtype)
    win = game.options["objective"] == "win"
    return play_games(policy, game.rules, win, PIECE, rng, ids, states, room)


def piece_elsewhere(game: Game, policy: Policy, rng: np.random.Generator) -> tuple[int, np.ndarray]:
    """Play a piece for a learner in another process; return the number of games and the samples."""
    # Shared arrays are read-only, but the kernels are compiled for writable ones.
    policy = policy._replace(net=network.Rounded(*cast(Any, (part.copy() for part in policy.net))))
    room = np.zeros(ROOM, SAMPLE)
    games, samples = play_piece(game, policy, rng, room)
    return games, room[:samples]


CHECKPOINT = "learner.npz"
"""Name of the checkpoint in the folder: the state of the training, from which it resumes."""
PLAIN = Format(partial(write_arrays, compressed=False), NPZ.read)
"""Format of the checkpoint: npz, uncompressed, as compression would take longer than a step."""


def begin(game: Game, seed: int, folder: Path, start: Path | None = None) -> Run[Training]:
    """Make a run of a training before its first step; it can be resumed from the folder.

    Arguments are as for `Training`; the folder gets the network and the checkpoint.

    Raises:
        InputError: An option of the game other than `objective` is not the default; or `start`
            cannot be read, holds something else, or is the file that the run would write.
    """
    path = folder / files.NAME
    if start is not None and start.resolve() == path.resolve():
        raise InputError(f"{path} is the network to start from: choose another folder for --out")
    defaults = make_game(game.name).options
    if {**game.options, "objective": None} != {**defaults, "objective": None}:
        raise InputError(
            "value-net learns the default rules of doudizhu: leave out all options but objective"
        )
    training = Training(game, seed, start)

    def save_network() -> None:
        files.save(path, training.learned, training.about)

    same = {
        "objective": training.objective,
        "seed": seed,
        "start": training.steps,
        "files": {} if start is None else {"from": checksum(start)},
        "units": [network.UNITS, network.SECOND],
    }
    # A summary plays a match, which would take too long at every checkpoint.
    return Run(
        training, same, folder / CHECKPOINT, save_network, PLAIN, note_checkpoints=False, made=path
    )
