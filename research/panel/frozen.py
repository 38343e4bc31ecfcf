"""Agents of closedhand 0.16, which runs in an environment of its own: `frozen:value-net`.

As opponents they stay what they were: their networks, search and kernels are those of that version.
"""

import json
import os
import subprocess
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from closedhand import make_game
from closedhand.authoring import Game, InputError, State, Traits, described
from closedhand.core.agents import traits_of

HOME = Path(__file__).parent
PYTHON = HOME / ".venv" / "bin" / "python"
"""Python of the environment that `build.sh` makes."""
RENAMED = {"bids": "words"}
"""Fields of states by their names in 0.16."""


class FrozenAgent:
    """Plays as an agent of 0.16 does.

    Attributes:
        name: `frozen:` and the text of the agent.
        spent: Cost of its searches so far, float64 [4], as 0.16 counts it.
    """

    def __init__(self, game: Game, seed: int, text: str) -> None:
        """Start the program.

        Raises:
            InputError: 0.16 is not built, or has no such game or agent.
        """
        self.name = f"frozen:{text}"
        self.spent = np.zeros(4)
        if not PYTHON.exists():
            raise InputError(f"{self.name} needs closedhand 0.16: run {HOME / 'build.sh'}")
        # Not those at their defaults, among which are some that 0.16 does not have.
        usual = make_game(game.name).options
        options = {key: value for key, value in game.options.items() if usual[key] != value}
        words = json.dumps([game.name, options, text, seed])
        # It does not find the newer package in the folder that a match is started from.
        self._process = subprocess.Popen(
            [PYTHON, "-P", HOME / "program.py", words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
            start_new_session=True,
        )
        weakref.finalize(self, stop, self._process)
        said = json.loads(self._process.stdout.readline() or '"has ended"')
        if isinstance(said, str):
            raise InputError(f"{self.name}: {said}")
        self._dtype = np.dtype([(name, kind, tuple(shape)) for name, kind, shape in said])
        self._names = {name: RENAMED.get(name, name) for name in self._dtype.names}

    def act(self, view: State) -> int:
        """Choose an action for the player to act."""
        return int(self.act_batch(np.array([view], view.dtype))[0])

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """Choose an action in each view, int32 [n].

        Raises:
            InputError: 0.16 does not know what a view says, or the program has ended.
        """
        rows = np.zeros(len(views), self._dtype)
        for name, today in self._names.items():
            rows[name] = views[today]
        for new in set(views.dtype.names) - set(self._names.values()):
            if views[new].any():
                raise InputError(f"{self.name}: 0.16 knows no {new} in a state")
        try:
            self._process.stdin.write(np.int64(len(rows)).tobytes() + rows.tobytes())
            self._process.stdin.flush()
        except BrokenPipeError:
            raise InputError(f"{self.name} has ended") from None
        self.spent = np.frombuffer(self._read(32), np.float64)
        return np.frombuffer(self._read(4 * len(rows)), np.int32)

    def _read(self, size: int) -> bytes:
        data = self._process.stdout.read(size)
        if len(data) < size:
            raise InputError(f"{self.name} has ended")
        return data


def stop(process: "subprocess.Popen[bytes]") -> None:
    """End a program that is no longer needed."""
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


def _traits(game: Game, argument: str | None, **options: Any) -> Traits:
    """Describe an agent as today's of that name, for the program is not started for it."""
    try:
        return replace(traits_of(game, argument or ""), files=())
    except InputError:
        return Traits(remembers=True)


@described(_traits)
def make_frozen(game: Game, seed: int, argument: str | None) -> FrozenAgent:
    """Make the agent `frozen:AGENT`."""
    if not argument:
        raise InputError("the agent frozen needs an agent of closedhand 0.16, as frozen:value-net")
    return FrozenAgent(game, seed, argument)
