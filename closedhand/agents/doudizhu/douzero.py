"""The agent `douzero`: plays by the value networks that DouZero publishes or trains.

DouZero ("DouZero: Mastering DouDizhu with Self-Play Deep Reinforcement Learning") has one network
for each role, in the files `landlord.ckpt`, `landlord_down.ckpt` and `landlord_up.ckpt` of a
folder. The files are read as tensors; no code in them is run.

1. An LSTM reads the last fifteen actions, three per step.
2. Six dense layers read the LSTM's last output, the features of the position and the cards of a
   legal play, and compute the value of the play.
3. The play of the greatest value is chosen. Bids come from `bidding/modules.py`.

A set of cards is 54 numbers: for each rank from 3 to 2 whether it has at least 1, 2, 3, 4 cards of
that rank, then the small and the big joker. The features are those of the paper's Tables 4 and 5:
373 for the landlord and 484 for a peasant, of which the last 54 are the rated play. The networks
were trained under `rules="douzero"`, without an auction.
"""

from pathlib import Path

import numpy as np
import torch
from torch import nn

from closedhand.agents.doudizhu.agent import values_of
from closedhand.agents.doudizhu.bidding.modules import choose_bid
from closedhand.core.batch_agent import BatchAgent
from closedhand.core.game import Game, InputError, State
from closedhand.core.reading import read_content
from closedhand.core.text import reason_of
from closedhand.games.doudizhu.auction import is_opening
from closedhand.games.doudizhu.counts import by_rank
from closedhand.games.doudizhu.state import SEATS, Rules
from closedhand.games.doudizhu.substeps import next_step
from closedhand.learning.module_state import load_tensors
from closedhand.learning.torch_threads import one_thread_unless_chosen

CARDS = 54
HISTORY, STEPS = 15, 5
"""Number of actions that the LSTM reads, and number of its steps, of three actions each."""
MOST_CARDS = (20, 17, 17)
"""Numbers of cards with which the roles begin."""
MOST_BOMBS = 15
HIDDEN, WIDTH = 128, 512
POSITION = (5 * CARDS + 34 + MOST_BOMBS, 7 * CARDS + 37 + MOST_BOMBS)
"""Number of features of a position, without the play, for the landlord and for a peasant."""
VIEWS = 256
"""Maximum number of views whose plays are rated in one pass, which bounds its memory."""


class ValueNetwork(nn.Module):
    """Network for positions of `position` features; parameters are named as in published files."""

    def __init__(self, position: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(CARDS * HISTORY // STEPS, HIDDEN, batch_first=True)
        self.dense1 = nn.Linear(HIDDEN + position + CARDS, WIDTH)
        self.dense2 = nn.Linear(WIDTH, WIDTH)
        self.dense3 = nn.Linear(WIDTH, WIDTH)
        self.dense4 = nn.Linear(WIDTH, WIDTH)
        self.dense5 = nn.Linear(WIDTH, WIDTH)
        self.dense6 = nn.Linear(WIDTH, 1)

    def forward(
        self, history: torch.Tensor, position: torch.Tensor, play: torch.Tensor, owner: torch.Tensor
    ) -> torch.Tensor:
        """Compute the values of plays, float32 [m].

        Args:
            history: Last actions of each position, float32 [n, 5, 162].
            position: Other features of each position, float32 [n, features].
            play: Cards of each play, float32 [m, 54].
            owner: Index of the position of each play, int64 [m].
        """
        first = self.dense1
        # The first layer's sum over history and position is the same for all plays of a position.
        seen = torch.cat([self.lstm(history)[0][:, -1], position], dim=1)
        weights = first.weight.split([seen.shape[1], CARDS], dim=1)
        x = (seen @ weights[0].T + first.bias)[owner] + play @ weights[1].T
        for layer in (self.dense2, self.dense3, self.dense4, self.dense5, self.dense6):
            x = layer(torch.relu(x))
        return x[:, 0]


def load(path: Path, role: int) -> ValueNetwork:
    """Read the network of a role, 0 to 2; an `InputError` if the file does not hold it."""
    content = read_content(path)
    with torch.random.fork_rng(devices=[]):  # a new network draws weights
        network = ValueNetwork(POSITION[min(role, 1)])
    wanted = network.state_dict()
    try:
        found = load_tensors(path, content)
        if not isinstance(found, dict):
            raise InputError("it holds no parameters by name")
        for name, tensor in wanted.items():
            if not isinstance(found.get(name), torch.Tensor):
                raise InputError(f"it lacks the parameter {name}")
            if found[name].shape != tensor.shape:
                shapes = f"{list(found[name].shape)}, not {list(tensor.shape)}"
                raise InputError(f"the parameter {name} has the shape {shapes}")
            if not torch.isfinite(found[name]).all():
                raise InputError(f"the parameter {name} has numbers that are not finite")
        network.load_state_dict({name: found[name] for name in wanted})
    except InputError as error:
        raise InputError(f"{path} is not DouZero's network of this role: {error}") from None
    except Exception as error:  # a damaged file fails in many ways
        raise InputError(f"{path} is not a network, or is damaged: {reason_of(error)}") from None
    return network.eval()


def as_numbers(cards: np.ndarray) -> np.ndarray:
    """Encode packed cards, uint64 [...], as sets of 54 numbers, float32 [..., 54]."""
    counts = by_rank(cards)
    ranks = counts[..., :13, None] > np.arange(4)
    return np.concatenate(
        [ranks.reshape(*cards.shape, 52), counts[..., 13:15] > 0], axis=-1, dtype=np.float32
    )


def features(rules: Rules, views: np.ndarray, role: int) -> tuple[np.ndarray, np.ndarray]:
    """Compute the features of views [n] in which `role` is to act, while cards are played.

    Returns:
        The last actions, float32 [n, 5, 162], and the features without the play, float32 [n, k].
    """
    n = len(views)
    rows = np.arange(n)
    need = rules.plays.need
    words, player = views["words"], views["player"]  # words, such as bids, open the history
    made = views["moves"] - words  # number of actions after them, from the landlord's first on
    recent = made[:, None] - HISTORY + np.arange(HISTORY)

    def actions(index: np.ndarray) -> np.ndarray:
        """Return packed cards of actions, [n] or [n, k]; `index` 0 is the first play, < 0 none."""
        flat = index.reshape(n, -1)
        ids = views["history"][rows[:, None], words[:, None] + np.maximum(flat, 0)]
        return np.where(flat >= 0, need[ids], np.uint64(0)).reshape(index.shape)

    def seats_of(other: int) -> np.ndarray:
        return (views["landlord"] + other) % SEATS

    def last(other: int) -> np.ndarray:
        """Return the cards of the last action of a role; a pass has none."""
        # Passes count, so action i is of the role i % SEATS.
        return actions(made - 1 - (made - 1 - other) % SEATS)

    def played(other: int) -> np.ndarray:
        return views["played"][rows, seats_of(other)]

    def left(other: int) -> np.ndarray:
        """Return the number of cards left to a role, one-hot, from 1 on."""
        return np.eye(MOST_CARDS[other], dtype=np.float32)[views["left"][rows, seats_of(other)] - 1]

    hand = views["hands"][rows, player]
    others = np.uint64(rules.options.deck) - hand - views["played"].sum(axis=1, dtype=np.uint64)
    beaten = np.where(views["target"] >= 0, need[views["target"]], np.uint64(0))
    if role == 0:
        cards = [hand, others, beaten, played(2), played(1)]
        counts = [left(2), left(1)]
    else:
        partner = SEATS - role
        cards = [hand, others, played(0), played(partner), beaten, last(0), last(partner)]
        counts = [left(0), left(partner)]
    numbers = as_numbers(np.stack(cards, axis=1)).reshape(n, -1)
    bombs = np.eye(MOST_BOMBS, dtype=np.float32)[views["bombs"]]  # one-hot, from 0 on
    history = as_numbers(actions(recent)).reshape(n, STEPS, -1)
    return history, np.concatenate([numbers, *counts, bombs], axis=1)


class DouZeroAgent(BatchAgent):
    """Agent that makes the play of the greatest value by the network of its role."""

    def __init__(self, game: Game, name: str, networks: list[ValueNetwork]) -> None:
        """Create the agent with the networks of the landlord, the down and the up peasant."""
        super().__init__(game, name)
        self._networks = networks
        one_thread_unless_chosen()
        plays = game.flat.rules.plays
        self._need = plays.need[: plays.number].copy()
        self._ids = np.empty(game.num_actions + game.flat.num_actions, np.int32)

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """Choose an action, int64 [n], for each view, states [n]."""
        flat = self.game.flat
        actions = np.full(len(views), -1, np.int64)  # -1: a network has to choose
        legal: list[np.ndarray] = []
        for i, view in enumerate(views):
            if is_opening(flat.rules, view):
                actions[i] = choose_bid(flat.rules, view)
            legal.append(flat.legal(view))
            if len(legal[i]) == 1:
                actions[i] = legal[i][0]
        roles = (views["player"] - views["landlord"]) % SEATS
        for role in range(SEATS):
            open_views = np.flatnonzero((actions < 0) & (roles == role))
            for begin in range(0, len(open_views), VIEWS):
                some = open_views[begin : begin + VIEWS]
                plays = [legal[i] for i in some]
                values = self._rate(views[some], plays, role)
                ends = np.cumsum([len(each) for each in plays])
                for i, each in zip(some, np.split(values, ends[:-1]), strict=True):
                    actions[i] = legal[i][each.argmax()]
        if flat is not self.game:
            for i, view in enumerate(views):
                actions[i] = next_step(self.game.rules, view, int(actions[i]), self._ids)
        return actions

    def values(self, view: State, actions: np.ndarray) -> np.ndarray:
        """Rate legal actions, integers [n], see `values_of`; words and kickers have NaN."""
        if is_opening(self.game.flat.rules, view) or view["group"] >= 0:
            return np.full(len(actions), np.nan)
        flat = self.game.flat
        plays = flat.legal(view)
        role = int((view["player"] - view["landlord"]) % SEATS)
        found = self._rate(np.array([view], flat.dtype), [plays], role)
        return values_of(self.game, plays, found, actions)

    def _rate(self, views: np.ndarray, plays: list[np.ndarray], role: int) -> np.ndarray:
        """Rate all plays of views of one role; values, float32 [m], in the order of the views."""
        history, position = features(self.game.flat.rules, views, role)
        owner = np.repeat(np.arange(len(views)), [len(each) for each in plays])
        cards = as_numbers(self._need[np.concatenate(plays)])
        with torch.inference_mode():
            values = self._networks[role](*map(torch.from_numpy, (history, position, cards, owner)))
        return values.numpy()
