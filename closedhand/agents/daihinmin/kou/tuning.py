"""Tuning of the numbers of kou, which its paper proposes: coordinate search in self-play.

1. A sweep tries to change each number that has a ladder of values (`LADDERS`), in random order: up
   or, if that fails, down, by as many rungs as `STRIDES` has for the sweep. After a success the
   next trial is of the same number in the same direction.
2. The holder is the best so far. A trial changes one of its numbers: the challenger. The challenger
   takes each seat of the same deals in turn, among holders. Its gain in a deal is its mean points
   minus the mean of all players, which is also what a holder makes among holders.
3. The challenger passes the first stage, `SCREENED` deals, if its gain exceeds one standard error.
4. The second stage has new deals, more of them for a smaller gain, at most `CONFIRMED`. The
   challenger becomes the holder if the 95% interval of the gain in these deals alone is above 0.
5. In both stages the trial fails as soon as no part of the gain's 95% interval is above 0.
"""

from pathlib import Path
from typing import Any

import numpy as np

from closedhand.agents.daihinmin.kou.variants import BY_STRENGTH, LETTER, NEVER_MET, RANGES, Numbers
from closedhand.agents.daihinmin.limits import check_one_joker
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.duplicate import match_settings, play_chunk
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.run import Run
from closedhand.core.statistics import student

PIECE = 100
"""Deals that are played at a time."""
SCREENED, CONFIRMED = 300, 2000
"""Deals of the first stage of a trial, and maximum number of deals of the second."""
CERTAIN = 6.0
"""Standard errors in the second stage to which the first stage's gain should amount."""
STRIDES = (2, 1)
"""Rungs by which a sweep moves numbers on their ladders; sweeps take them in turn."""
UP, DOWN = 0, 1
CHECKPOINT, TEXT = "kou.npz", "kou.txt"
"""Files of a tuning: the checkpoint, and the holder's text as an agent."""
COUNTS = ("sweeps", "trials", "accepted", "deals", "place", "way", "moved", "confirming")

UNTUNED = {"sure", "lead", "lock", "reserve"}
"""Numbers that are not tuned: a scale, and switches that turn a heuristic of the paper off."""

LADDERS: dict[str, tuple[int, ...]] = {
    **{
        name: tuple(range(least, most + 1))
        for name, (least, most) in sorted(RANGES.items())
        if name not in UNTUNED
    },
    "threshold": (60, 65, 70, 75, 80, 85, 90, 95, 98, 100),
    "eight": (80, 90, 95, 99, 101),
    "least": (0, 1, 5, 10, 20),
    "stronger_rank": (5, 10, 15, 20, 25, 30, 35, 40),
    "unseen_joker": (0, 1, 2, 5, 10, 20),
    "group_players": (2, 3, 4, 5, 6),
    "group_0": (0, 1, 2, 4, 6, 9, 15),
    "group_1": (2, 4, 6, 9, 12, 15, 20),
    "group_2": (6, 9, 12, 15, 20, 25, 30),
    "group_3": (9, 15, 20, 24, 30, 40),
    "joker_group": (0, 1, 2, 4, 8),
    "stronger_kaidan": (0, 1, 2, 4, 8, 15),
    "joker_kaidan": (0, 1, 2, 4, 8),
    "last_kaidan": (0, 2, 4, 8, 15, 30),
    "weak": (10, 20, 30, 40, 50),
    "middling": (40, 50, 60, 70, 80),
    "strong": (70, 80, 85, 90, 95, 98),
    "weakness_of_joker": (-4, -3, -2, -1, 0, 1, BY_STRENGTH),
    "weakness_of_top": (-2, -1, 0, 1, BY_STRENGTH),
    "lead_eight_kaidan": (-20, 0, 9, 20, 40, 60),
    "lead_joker": (-20, 0, 3, 10, 20, 40),
    "lead_weak": (0, 10, 20, 30, 40, 60),
    "lead_rank": (-2, -1, 0, 1, 2, 3, 4),
    "lead_strong": (60, 80, 95, 110, 125, 140),
    "hold_rise": (0, 1, 2, 3, 4, NEVER_MET),
    "hold_weakness": (2, 3, 4, 5, 6, 8, NEVER_MET),
    "give_weakness": (2, 5, 7, 10, 15, 20, 30),
    "give_eight": (0, 10, 20, 30, 40, 60),
    "give_ace": (0, 10, 20, 30, 40, 60),
    "give_king": (0, 5, 10, 15, 20, 30),
    "give_three": (-5, 0, 5, 10, 15),
}
"""Ascending values to try, the paper's included, of every number except `UNTUNED`."""


def text_of(numbers: Numbers) -> str:
    """Write the agent's name: `kou[letter=1]` with the numbers that differ from the paper's."""
    paper = LETTER._asdict()
    changed = {name: value for name, value in numbers._asdict().items() if value != paper[name]}
    return str(AgentSpec("kou", {"letter": 1, **changed}))


def neighbour(numbers: Numbers, name: str, way: int, stride: int) -> Numbers | None:
    """Move a number by at most `stride` rungs of its ladder; None if it is already at the end."""
    value, ladder = getattr(numbers, name), LADDERS[name]
    above, below = [n for n in ladder if n > value], [n for n in reversed(ladder) if n < value]
    ahead = above if way == UP else below
    return numbers._replace(**{name: ahead[:stride][-1]}) if ahead else None


class Tuning:
    """A search in progress; a `closedhand.core.run.Learner`."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        """Start with the paper's numbers; an `InputError` refuses several rounds or two jokers."""
        check_one_joker(game, "kou")
        if game.rounds > 1:
            raise InputError("kou is tuned in single rounds: leave out rounds")
        self.game = game
        self.seed = seed
        self.numbers = LETTER  # `Numbers` of the holder
        # Sweeps and trials finished, trials whose challenger became the holder, deals played.
        self.sweeps = self.trials = self.accepted = self.deals = 0
        self.place = 0  # index of the number on trial in the order of the sweep
        self.way = UP  # direction of the trial, `UP` or `DOWN`
        self.moved = 0  # 1 if an earlier trial of this number succeeded in this sweep
        self.confirming = 0  # number of deals of the trial's second stage; 0 in the first stage
        self.gains: list[float] = []  # the challenger's gain in each deal of this stage
        # The latest success, which is not saved: number and value, and gain with interval.
        self.found: dict[str, Any] = {}

    def advance(self, seconds: float) -> bool:
        """Play a piece of a trial; return whether there is a new holder."""
        challenger = self._challenger()
        gains = self._play(challenger)
        # Up to here nothing changes, so that an interruption leaves complete pieces.
        self.deals += len(gains)
        self.gains += gains.tolist()
        return self._judge(challenger)

    def state(self) -> dict[str, Any]:
        """Return the arrays that `restore` needs."""
        counts = {name: np.array(getattr(self, name)) for name in COUNTS}
        return {"numbers": np.array(self.numbers), "gains": np.array(self.gains), **counts}

    def restore(self, state: dict[str, Any]) -> None:
        """Resume from the result of `state`; any error means that the checkpoint is damaged."""
        if min(state[name] for name in COUNTS) < 0 or state["place"] >= len(LADDERS):
            raise ValueError("counts")
        self.numbers = Numbers(*state["numbers"].tolist())
        self.gains = state["gains"].tolist()
        for name in COUNTS:
            setattr(self, name, int(state[name]))

    def summary(self) -> dict[str, Any]:
        """Return the latest success, the holder's text, and counts of sweeps, trials and deals."""
        counts = {name: getattr(self, name) for name in COUNTS[:4]}
        return {**self.found, "agent": text_of(self.numbers), **counts}

    def _name(self) -> str:
        """Return the name of the number on trial."""
        rng = np.random.default_rng((self.seed, 0x0DE5, self.sweeps))
        return list(LADDERS)[int(rng.permutation(len(LADDERS))[self.place])]

    def _challenger(self) -> Numbers:
        """Make the challenger of the trial; skip trials of numbers at the end of their ladders."""
        while True:
            stride = STRIDES[self.sweeps % len(STRIDES)]
            found = neighbour(self.numbers, self._name(), self.way, stride)
            if found is not None:
                return found
            self._next()

    def _next(self) -> None:
        """Move to the trial that follows a failure."""
        self.confirming, self.gains = 0, []
        if self.way == UP and not self.moved:
            self.way = DOWN
            return
        self.way, self.moved = UP, 0
        self.place += 1
        if self.place == len(LADDERS):
            self.place = 0
            self.sweeps += 1

    def _play(self, challenger: Numbers) -> np.ndarray:
        """Play a piece; return the mean gain of the challenger by deal, float64 [PIECE]."""
        game = self.game
        rng = np.random.default_rng((self.seed, 0xDEA1, self.deals))
        dealt = np.array([game.deal(rng) for _ in range(PIECE)], game.dtype)
        # Row k has the agent at each seat: 0, the challenger, at seat k; 1, the holder, elsewhere.
        tables = 1 - np.eye(game.num_players, dtype=int)
        agents = [text_of(challenger), text_of(self.numbers)]
        points = play_chunk(game, agents, self.seed, range(PIECE), dealt, tables.tolist()).returns
        return points[:, tables == 0].mean(axis=1) - points.mean(axis=(1, 2))

    def _judge(self, challenger: Numbers) -> bool:
        """End the trial, or its first stage, when due; return whether there is a new holder."""
        (gain,) = student(np.array(self.gains)[:, None])
        if gain.high <= 0:
            return self._fail()
        if len(self.gains) < (self.confirming or SCREENED):
            return False
        if not self.confirming:
            # A 95% interval reaches two standard errors to each side.
            error = (gain.high - gain.mean) / 2
            if gain.mean <= error:
                return self._fail()
            wanted = len(self.gains) * (CERTAIN * error / gain.mean) ** 2
            self.confirming = int(np.clip(wanted, min(SCREENED, CONFIRMED), CONFIRMED))
            self.gains = []
            return False
        if gain.low <= 0:
            return self._fail()
        name = self._name()
        self.found = {"change": f"{name}={getattr(challenger, name)}", "gain": list(gain)}
        self.numbers, self.moved, self.confirming, self.gains = challenger, 1, 0, []
        self.accepted += 1
        self.trials += 1
        return True

    def _fail(self) -> bool:
        self.trials += 1
        self._next()
        return False


def begin(game: Game, seed: int, folder: Path) -> Run[Tuning]:
    """Make a run of a tuning, which can be resumed from the folder; errors are as for `Tuning`."""
    tuning, path = Tuning(game, seed), folder / TEXT

    def save_text() -> None:
        write_atomically(path, text_of(tuning.numbers) + "\n")

    settings = match_settings(game, (), seed)
    checkpoint = folder / CHECKPOINT
    return Run(tuning, settings, checkpoint, save_text, note_checkpoints=False, made=path)
