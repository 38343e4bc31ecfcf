"""Prepare the games in the background at the start of the server, so that nobody waits later.

The preparation of a game has three `STAGES`: table, hints and endgames. Unless the file `compiled`
lists a stage, a separate process compiles its kernels into Numba's cache: the compiler keeps some
hundred megabytes until its process ends. The server then loads the kernels by the same calls, in a
thread. A stage that somebody waits for comes next.
"""

import platform
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
import numpy as np

from closedhand.core.agents import legal_choice, make_agent
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError, State
from closedhand.core.registry import make_game, spec_of
from closedhand.core.version import __version__
from closedhand.web import advice, catalogue, open_hands
from closedhand.web.guard import LOG
from closedhand.web.serialization import describe_table, prepare
from closedhand.web.table import Seat, Table

COMMAND = (sys.executable, "-m", "closedhand.web.preparation")
CACHE = f"{__version__} {numba.__version__} {platform.python_version()} {platform.machine()}"
"""First words of a line in the file `compiled` of `Preparation`: the versions compiled for. They
stay the same if a game's source is edited: the server itself then compiles the game again."""

MOST_PLAYED = 300
"""Most actions of the hand that is played; a match of many rounds is longer."""


def _table(game: Game) -> None:
    """Call all functions that a table needs, by a hand of the usual opponent against itself."""
    prepare(game)
    catalogue.agents(game.name)
    by = catalogue.usual(game.name)
    agent = make_agent(game, by, 0)
    table = Table("", game, [Seat(agent=by)] * game.num_players, _deal(game))
    for _ in range(MOST_PLAYED):
        if not table.over:
            view = game.view(table.state, int(table.state["player"]))
            table.play(legal_choice(game, view, agent))
            describe_table(table, 0)
    with suppress(InputError):  # a game whose actions no record can hold
        table.record()


def _deal(game: Game) -> State:
    return game.deal(np.random.default_rng(0))


def _hints(game: Game) -> None:
    state = _deal(game)
    player = int(state["player"])
    view = game.view(state, player)
    by = catalogue.adviser_of(game)
    chosen = advice.suggest(game, view, by)["action"]["id"]
    next(advice.values(game, view, chosen, 0, by), None)
    advice.card_chances(game, view, player, 0)


def _endgames(game: Game) -> None:
    if open_hands.is_solvable(game):
        open_hands.solved(game, _deal(game), seconds=0.0)


def _games(name: str) -> list[Game]:
    """Make a game with the options of a new table, and with its defaults if they differ."""
    table, plain = make_game(name, **spec_of(name).table_options).flat, make_game(name).flat
    return [table] if table.options == plain.options else [table, plain]


STAGES = {"table": _table, "hints": _hints, "endgames": _endgames}


class Preparation:
    """The stages of games that are still to be prepared, and the thread that prepares them."""

    def __init__(self, names: Sequence[str], compiled: Path | None) -> None:
        """List all stages of some games; `compiled` is a file of those compiled before, or None."""
        self.left = [(name, stage) for stage in STAGES for name in names]  # next one first
        self._ready = {each: threading.Event() for each in self.left}
        self._wanted: deque[tuple[str, str]] = deque()
        self._compiled = compiled
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Prepare in a daemon thread, which does not keep the server alive."""
        threading.Thread(target=self._work, name="preparation", daemon=True).start()

    def wait(self, name: str, stage: str = "table") -> None:
        """Wait for a stage of a game, which is prepared next; slow: call it in a thread."""
        ready = self._ready.get((name, stage))
        if ready is not None and not ready.is_set():
            self._wanted.append((name, stage))
            ready.wait()

    def status(self) -> dict[str, Any]:
        """Return the pairs `[game, stage]` that are `left`, and the counts `done` and `total`."""
        left, total = [list(each) for each in self.left], len(self._ready)
        return {"left": left, "done": total - len(left), "total": total}

    def close(self) -> None:
        """End the process of the compiler."""
        if self._process is not None:
            # Leaving the block closes the pipes of the process and waits for its end.
            with suppress(OSError), self._process as process:
                process.kill()

    def _work(self) -> None:
        """Prepare every stage, the wanted ones first; at the end, or on an error, end all waits."""
        try:
            while self.left:
                # Reordered here alone: two threads could undo each other's work.
                while self._wanted:
                    wanted = self._wanted.popleft()
                    self.left = sorted(self.left, key=wanted.__ne__)
                each = self.left[0]
                line = " ".join([CACHE, *each])
                if line not in self._known() and self._compile(*each):
                    self._note(line)
                try:
                    # Only the options of a new table: the plain defaults load once they are used.
                    STAGES[each[1]](_games(each[0])[0])
                except Exception:  # a game or an agent may be third-party code, and raise anything
                    LOG.exception("%s is not prepared", each[0])
                self.left = [other for other in self.left if other != each]
                self._ready[each].set()
        finally:
            self.left = []
            for ready in self._ready.values():
                ready.set()
            self.close()

    def _compile(self, name: str, stage: str) -> bool:
        """Let the other process compile a stage; return whether it has answered."""
        if self._process is None:
            pipe = subprocess.PIPE
            # In a session of its own: Ctrl-C is for the server, which ends this process.
            self._process = subprocess.Popen(
                COMMAND, stdin=pipe, stdout=pipe, text=True, start_new_session=True
            )
        # The pipes may be closed by `close` at any time.
        with suppress(OSError, ValueError):
            assert self._process.stdin and self._process.stdout
            print(name, stage, file=self._process.stdin, flush=True)
            return bool(self._process.stdout.readline())
        return False

    def _known(self) -> list[str]:
        try:
            return self._compiled.read_text("utf-8").splitlines() if self._compiled else []
        except (OSError, UnicodeDecodeError):
            return []

    def _note(self, line: str) -> None:
        if self._compiled is not None:
            with suppress(InputError):
                write_atomically(self._compiled, "\n".join([*self._known(), line, ""]))


def main() -> None:
    """Compile the stages that the lines of standard input name; answer each line with a line."""
    for line in sys.stdin:
        name, stage = line.split()
        with suppress(Exception):  # the server meets the same error, and reports it
            for game in _games(name):
                STAGES[stage](game)
        print("done", flush=True)


if __name__ == "__main__":
    main()
