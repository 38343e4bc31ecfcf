"""Imitation: a policy learned from recorded decisions, or from those of an expert agent.

1. Draw some recorded games, or let the expert play all seats of new ones.
2. Replay them, and encode the decisions with a choice.
3. Maximise the log-likelihood of the chosen actions.
4. Predict the decisions of held-out games for the accuracy.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import torch

from closedhand.core import batch, batch_kernels, interrupt, records
from closedhand.core.agents import AnyAgent, act_batch, digests, make_agent, watch_files
from closedhand.core.batch_agent import next_step
from closedhand.core.checks import prefixed
from closedhand.core.contract import plain_function
from closedhand.core.game import Game, InputError, State, explain_illegal
from closedhand.core.numba.jit import Ids, Rules, States, kernel
from closedhand.core.reading import reading
from closedhand.core.status import ILLEGAL
from closedhand.learning.features import Features, Legal
from closedhand.learning.population import checked
from closedhand.learning.ppo import policy_and_values
from closedhand.learning.selfplay import Choose, Piece, cut, join
from closedhand.learning.training import ENOUGH, DeepLearner, GreedyTemperature, Settings

HELD_OUT = 20
"""One in this many games, but at least one, is held out to measure the accuracy."""


@dataclass(frozen=True, kw_only=True)
class ImitationSettings(Settings):
    """Settings of imitation."""

    temperature: GreedyTemperature = 0.0


class Games(NamedTuple):
    """Recorded games."""

    starts: np.ndarray  # states at the deals, `Game.dtype` [games]
    actions: np.ndarray  # actions of `Game.flat`, all games one after the other, int32
    first: np.ndarray  # index of each game's first action, then the end, int64 [games + 1]
    learned: np.ndarray  # whether the moves of each seat are learned, bool [games, seats]

    def digest(self) -> str:
        """Compute a checksum of all fields, 16 hexadecimal digits."""
        return hashlib.sha256(b"".join(part.tobytes() for part in self)).hexdigest()[:16]


class Pairs(NamedTuple):
    """Observations, int8 [n, inputs], legal masks, int8 [n, actions], and actions, int64 [n]."""

    observations: np.ndarray
    masks: np.ndarray
    actions: np.ndarray

    def legal(self) -> "Pairs":
        """Keep the decisions whose action is legal: in a lenient game an expert's may not be."""
        kept = are_legal(self.masks, self.actions)
        return Pairs(*(column[kept] for column in self))


def are_legal(masks: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Return which actions, any integers [n], are legal by masks [n, actions]; bool [n]."""
    ids = np.where((actions >= 0) & (actions < masks.shape[1]), actions, 0)
    return (ids == actions) & (masks[np.arange(len(ids)), ids] != 0)


def read_games(game: Game, path: Path, expert: str | None = None) -> Games:
    """Read recorded games to learn from, in a file of records or a folder of such files.

    `expert` is the name of the agent whose moves to learn; None: those of all.

    Raises:
        InputError: A record cannot be read, is of another game, or leads to other positions by the
            rules of `game`; fewer than two games have a decision to learn; or a file is Parquet.
    """
    flat = game.flat
    with reading(path):
        folder = path.is_dir()
        files = sorted(each for each in path.iterdir() if each.is_file()) if folder else [path]
    for file in files:
        if file.suffix == ".parquet":
            raise InputError(
                f"{file} is a shard of games, which `closedhand train policy-net` reads: imitation "
                "learns from records, which are text"
            )
    # Games without a decision to learn are left out.
    starts, actions, first, learned = [], [], [0], []
    for file in files:
        for number, record in enumerate(records.read(file, game.name), 1):
            found = records.flat_game(record.game, record.rules)  # by the rules of the record
            others = InputError("it is a game of other rules")
            same = ("num_actions", "num_players", "dtype")
            with prefixed(f"{file}, game {number}"):
                if any(getattr(found, name) != getattr(flat, name) for name in same):
                    raise others
                agents = record.agents or (None,) * flat.num_players
                if len(agents) != flat.num_players:
                    raise InputError(f"it names {len(agents)} agents, not {flat.num_players}")
                watched = [expert is None or agent == expert for agent in agents]
                states = _positions(record)
                played = list(map(found.parse, record.actions, states))
                if states and found.options != flat.options and not _leads_to(flat, states, played):
                    raise others
            if any(watched[int(s["player"])] and len(found.legal(s)) > 1 for s in states):
                starts.append(states[0])
                actions.extend(played)
                first.append(len(actions))
                learned.append(watched)
    if len(learned) < 2:  # one is held out
        whose = f" of {expert}" if expert else ""
        raise InputError(f"{path} has fewer than two games with moves{whose} to learn")
    types = flat.dtype, np.int32, np.int64, bool
    return Games(*map(np.array, (starts, actions, first, learned), types))


def _positions(record: records.Record) -> list[State]:
    """Replay a record; return the state before each action."""
    states: list[State] = []
    records.replay(record, lambda state: states.append(state.copy()))
    return states


def _leads_to(game: Game, states: list[State], actions: list[int]) -> bool:
    """Return whether the first state is valid in a game, and the actions lead to all others."""
    if game.valid(states[0]):  # `valid` returns a reason, such as another deck, or nothing
        return False
    state = states[0].copy()
    for seen, action in zip(states, actions, strict=True):
        if state.tobytes() != seen.tobytes():
            return False
        try:
            game.play(state, action)
        except InputError:
            return False
    return True


@kernel
def _next_steps(rules: Rules, states: States, plays: Ids, ids: Ids, steps: Ids) -> None:
    for i in range(len(states)):
        steps[i] = next_step(rules, states[i], plays[i], ids)


def next_steps(game: Game, states: np.ndarray, plays: np.ndarray) -> np.ndarray:
    """Find the next sub-step, int64 [n], towards each whole play, int64 [n], by `next_step`."""
    if plain_function(game.rules, "next_step")[0] is None:
        raise InputError(f"{game.name} defines no `next_step`, which finds sub-steps of records")
    steps = np.empty(len(states), np.int64)
    _next_steps(game.rules, states, plays, np.empty(game.num_actions, np.int32), steps)
    return steps


def encode(features: Features, games: Games, chosen: np.ndarray) -> Pairs:
    """Encode the decisions to learn, those with a choice, in the games of the indices `chosen`."""
    game, flat = features.game, features.game.flat
    states = games.starts[chosen]
    places, stops = games.first[chosen], games.first[chosen + 1]
    parts: list[tuple[np.ndarray, ...]] = []
    while True:
        left = np.flatnonzero(places < stops)
        if not len(left):
            break
        targets = games.actions[places[left]].astype(np.int64)
        within = states[left]
        players = within["player"].astype(np.int64)
        own = np.flatnonzero(games.learned[chosen[left], players])
        steps = targets[own]
        # The sub-steps of a play are made in `within`, the whole play in `states`.
        while len(own):
            if game is not flat:
                steps = next_steps(game, within[own], targets[own])
            observations, masks = features.encode(within[own])
            free = masks.sum(axis=1) > 1
            parts.append((observations[free], masks[free], steps[free]))
            if game is flat:
                break
            moved = within[own]
            before = moved["moves"].copy()
            legal = batch.step(game, moved, steps) != ILLEGAL
            within[own] = moved
            own = own[legal & (moved["moves"] == before) & (moved["player"] == players[own])]
        status = np.empty(len(states), np.int8)
        batch_kernels.play_all(flat.rules, states, left, targets, flat.num_actions, status)
        assert (status[left] != ILLEGAL).all(), "read_games refuses such games"
        places[left] += 1
    return Pairs(*(np.concatenate(column) for column in zip(*parts, strict=True)))


class Imitation(DeepLearner[ImitationSettings]):
    """Learner by imitation."""

    name = "imitation"
    settings_type = ImitationSettings

    def __init__(
        self,
        game: Game,
        settings: ImitationSettings,
        seed: int = 0,
        against: Sequence[AnyAgent] = (),
        threads: int = 1,
        records: Path | None = None,
        expert: str | None = None,
    ) -> None:
        """Start from an untrained network; see `NetworkLearner`.

        `records` and `expert` are as for `read_games`; without records the expert plays games.

        Raises:
            InputError: Neither records nor an expert is given, or one of them cannot be used.
        """
        if records is None and expert is None:
            raise InputError("imitation needs recorded games (--records) or an agent (--expert)")
        super().__init__(game, settings, seed, (), against, threads)
        self._expert, self._path = expert, records
        self._games = None if records is None else read_games(game, records, expert)
        if records is None:
            players = checked(self.features.game, [str(expert)])
            self.check_files = watch_files(self.features.game, players)

    def sources(self) -> dict[str, Any]:
        """Return the records, the expert, and checksums of the games or the expert's files."""
        if self._games is None:
            files = digests(self.features.game, [str(self._expert)])
        else:
            files = {"records": self._games.digest()}
        return {"records": self._path and str(self._path), "expert": self._expert, "files": files}

    def update(self, rng: np.random.Generator) -> dict[str, float]:
        """Measure the accuracy in held-out games; learn from the decisions of the other games."""
        held_out, pairs = self.pairs(rng)
        with torch.inference_mode():
            accuracy, held_out_loss = self._predict(held_out)
        seen, actions = torch.from_numpy(pairs.observations), torch.from_numpy(pairs.actions)
        legal = Legal.of(pairs.masks)
        losses = 0.0
        for part in torch.from_numpy(rng.permutation(len(actions))).split(self.settings.minibatch):
            own = legal.take(part, legal.places(part))
            logs, _ = policy_and_values(self.network, seen[part], own)
            loss = -logs[own.chosen(actions[part])].mean()
            self.take_step(loss)
            losses += len(part) * loss.item()
        mean = losses / len(actions)
        return {"loss": mean, "accuracy": accuracy, "held_out_loss": held_out_loss}

    def _predict(self, pairs: Pairs) -> tuple[float, float]:
        """Compute the share of actions that the network would choose, and the loss."""
        legal = Legal.of(pairs.masks)
        logs, _ = policy_and_values(self.network, torch.from_numpy(pairs.observations), legal)
        chosen = logs[legal.chosen(torch.from_numpy(pairs.actions))]
        return float((chosen == legal.most(logs)).float().mean()), -float(chosen.mean())

    def pairs(self, rng: np.random.Generator) -> tuple[Pairs, Pairs]:
        """Draw held-out decisions, for the accuracy, and decisions to learn from.

        While one of the two is empty, draw twice as many games; raise an `InputError` at `ENOUGH`.
        """
        number = max(2, self.games_in_update)
        while True:
            *found, moves = self.watched(rng, number)
            held_out, learned = (each.legal() for each in found)
            if len(held_out.actions) and len(learned.actions):
                break
            if number >= ENOUGH:
                source = self._path or self._expert
                raise InputError(f"hardly a decision in {source} can be learned")
            number *= 2
        self.games += number
        self.moves += moves
        self.decisions += len(learned.actions)
        return held_out, learned

    def watched(self, rng: np.random.Generator, number: int) -> tuple[Pairs, Pairs, int]:
        """Draw held-out games and `number` games to learn from; return the decisions of both.

        Illegal actions are included. The last result is the number of moves played, 0 with records.
        """
        few, moves = max(1, number // HELD_OUT), 0
        if self._games is None:
            pieces = cut(number, self.settings.pieces, self.updates)
            held_out = Piece(self.updates, len(pieces), range(few))
            waves = self.waves([held_out, *pieces], {})
            moves = sum(wave.moves for wave in waves)
            played = waves[0], join(waves[1:])
            found = [Pairs(wave.observations, wave.masks, wave.actions) for wave in played]
        else:
            every = np.arange(len(self._games.starts))
            kept = every % HELD_OUT == min(HELD_OUT, len(every)) - 1
            found = [
                encode(self.features, self._games, rng.choice(every[own], size))
                for own, size in ((kept, few), (~kept, number))
            ]
        return found[0], found[1], moves

    def maker(self) -> tuple[type[Self], tuple[Any, ...]]:
        """Return class and arguments, as `DeepLearner.maker` does, of a learner without records."""
        cls, (game, settings, seed) = super().maker()
        return cls, (game, settings, seed, (), 1, None, self._expert)

    def chooser(self, rng: np.random.Generator) -> Choose:
        """Return a function that asks the expert; refuse illegal actions unless `game.lenient`."""
        game = self.features.game
        expert = make_agent(game, str(self._expert), int(rng.integers(2**31)))

        def choose(
            observations: np.ndarray, masks: np.ndarray, states: np.ndarray
        ) -> tuple[np.ndarray, np.ndarray]:
            views = batch.views(game, states)
            actions = act_batch(expert, views, interrupt.check)
            if not game.lenient:
                for k in np.flatnonzero(~are_legal(masks, actions)):
                    why = explain_illegal(game, views[k], int(actions[k]))
                    raise InputError(f"agent {expert.name!r} cannot continue: {why}")
            return actions, np.zeros((len(actions), 0), np.float32)

        return choose
