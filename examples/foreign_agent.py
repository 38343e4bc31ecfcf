"""A program in any language as an agent: it reads positions from a pipe and writes its plays.

`python examples/foreign_agent.py doudizhu "python examples/foreign_program.py" --against greedy`
plays a match. The program is started once. At each of its turns it reads one line, JSON with what
its player knows, and has to write one line, an action in the game's notation::

    {"game": "doudizhu", "options": {…}, "player": 1, "hand": "3456789TTJJQKA22S",
     "actions": ["44"], "public": "4TB"}
    TT

`actions` are all actions since the deal, of all players; `?` stands for one that the player has
not seen. No message depends on an earlier one, as many games may be played side by side. If the
program ends, answers too late or answers anything but an action, the match ends with an error.
"""

import argparse
import contextlib
import json
import queue
import shlex
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Sequence
from typing import IO, Any

from closedhand import make_game
from closedhand.arena import match, results
from closedhand.authoring import Game, InputError, State

LONGEST = 1000
"""Most characters of an answer."""


def read_lines(pipe: IO[str], lines: "queue.Queue[str]") -> None:
    """Put the lines of a pipe into a queue, long ones in pieces; an empty text marks the end."""
    with pipe:
        while line := pipe.readline(LONGEST):
            lines.put(line)
    lines.put("")


def stop(process: subprocess.Popen[str], errors: IO[str]) -> None:
    """End a program that is no longer needed."""
    process.kill()
    process.wait()
    with contextlib.suppress(OSError):
        process.stdin.close()
    errors.close()


class ForeignAgent:
    """Agent that plays what a program answers.

    Attributes:
        name: Name in results.
        close: Function that ends the program; calling it again does nothing.
    """

    def __init__(self, game: Game, command: Sequence[str], seconds: float = 10.0) -> None:
        """Start the program.

        Args:
            game: The game, not in sub-steps: the program is asked for whole actions.
            command: Program and arguments.
            seconds: Time for an answer.

        Raises:
            InputError: The program cannot be started, or the game is in sub-steps.
        """
        if game.flat is not game:
            raise InputError("a program plays whole actions: make the game without substeps")
        self.game, self.seconds = game, seconds
        self.name = shlex.join(command)
        self._errors = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
                text=True, encoding="utf-8", errors="replace",
            )  # fmt: skip
        except OSError as error:
            self._errors.close()
            raise InputError(f"cannot start {self.name}: {error.strerror}") from None
        self._lines: queue.Queue[str] = queue.Queue(10)
        # On some systems a read from a pipe cannot time out, so a thread feeds a queue.
        reader = (self._process.stdout, self._lines)
        threading.Thread(target=read_lines, args=reader, daemon=True).start()
        self.close = weakref.finalize(self, stop, self._process, self._errors)

    def act(self, view: State) -> int:
        """Return the action of the player to act.

        Raises:
            InputError: As for `ask`, or the answer is not an action.
        """
        text = self.ask(describe(self.game, view))
        try:
            return self.game.parse(text, view)
        except InputError as error:
            raise InputError(f"{self.name} answers no action: {error}") from None

    def ask(self, message: dict[str, Any]) -> str:
        """Send a message to the program, and return the line that it answers.

        Raises:
            InputError: The program answers nothing in time, or more than `LONGEST`, or has ended.
        """
        try:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=self.seconds)
        except queue.Empty:
            self.close()
            raise InputError(f"{self.name} did not answer within {self.seconds:g} s") from None
        except OSError:
            line = ""
        if not line:
            raise InputError(f"{self.name} has ended{self._last_error()}")
        if not line.endswith("\n"):
            self.close()
            raise InputError(f"{self.name} answers with more than {LONGEST} characters")
        return line.strip()

    def _last_error(self) -> str:
        """Stop the program; return the last line of its stderr after `: `, empty if none."""
        self._process.kill()
        self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().split("\n")
        self.close()
        last = next((line.strip() for line in reversed(said) if line.strip()), "")
        return f": {last[:200]}" if last else ""


def describe(game: Game, view: State) -> dict[str, Any]:
    """Make the message of a position: its game, and the arguments of `Game.view_from`."""
    player = int(view["player"])
    hand, actions, public = game.knowledge(view, player)
    texts = ["?" if action < 0 else game.text(action) for action in actions]
    options = dict(game.options)
    return {"game": game.name, "options": options, "player": player, "hand": hand,
            "actions": texts, **public}  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    """Play a match of a program against an agent."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("program", help="program and arguments, in one text")
    parser.add_argument("--against", default="random")
    parser.add_argument("--option", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--deals", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=10.0)
    given = parser.parse_args(arguments)
    try:
        game = make_game(given.game, **dict(text.split("=", 1) for text in given.option))
        agent = ForeignAgent(game, shlex.split(given.program), given.seconds)
        played = match.play(game, [agent, given.against], given.deals)
    except (InputError, ValueError) as error:
        raise SystemExit(f"foreign_agent: {error}") from None
    agent.close()
    for row in results.summary(played)["pairs"][0]["results"]:
        points = row["points"]
        print(f"{row['agent']} as {row['role']}: {points['mean']:.2f} points a game")


if __name__ == "__main__":
    main()
