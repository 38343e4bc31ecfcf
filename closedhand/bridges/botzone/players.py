"""Our agents as Botzone's bots, and its bots as agents: `botzone:COMMAND`.

A bot gets a line of JSON with all requests and responses so far, and answers a line. For every
decision of a foreign bot its command is started, without a shell. The process is killed after its
answer or at the time limit.
"""

import json
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, Annotated, Any, TextIO

from closedhand.bridges.botzone import protocol
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Agent, AnyAgent, Traits, described, legal_choice, make_agent
from closedhand.core.checks import InputError, prefixed
from closedhand.core.game import Game, State
from closedhand.core.options import Range
from closedhand.core.parsing import Kind, check_fields, list_of, parse_json

KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
"""Line after an answer by which a bot asks to stay alive: it then gets later requests alone."""
ANY = Kind("anything", "anything", lambda value: True)
MATCH = {"requests": list_of(ANY), "responses": list_of(ANY)}
SECONDS = 6.0
"""Seconds for a decision, as usual in local runners of bots."""
LEAST_SECONDS, MOST_SECONDS = 0.01, 3600.0
Seconds = Annotated[
    float, Range(LEAST_SECONDS, MOST_SECONDS), "limit of time of each decision, in seconds"
]
MOST_ANSWER = 2**16  # maximum number of bytes of an answer
MOST_ERROR = 200
"""Maximum number of characters quoted of a bot's answer, or of its last error line."""


class Bot:
    """A bot of one match, which remembers its requests and its responses."""

    def __init__(self, game: Game, agent: AnyAgent, seed: int = 0) -> None:
        """Let an agent, or the text of one, play Dou Dizhu with 54 cards, without sub-steps.

        Raises:
            InputError: Botzone does not play the game, or there is no such agent.
        """
        protocol.check_game(game)
        self.game = game
        self.agent: Agent = make_agent(game, agent, seed)
        self._requests: list[Any] = []
        self._responses: list[Any] = []

    def answer(self, line: str) -> str:
        """Return the answer to a line: a whole match so far, or the next request alone.

        Raises:
            InputError: The line is malformed or breaks the rules, or the agent's choice is illegal.
        """
        data = parse_json(line)
        if isinstance(data, dict) and "requests" in data:
            match = check_fields(data, "a match", MATCH)
            requests, responses = list(match["requests"]), list(match["responses"])
        else:
            requests, responses = [*self._requests, data], self._responses
        view, held = protocol.view_of(self.game, requests, responses)
        action = legal_choice(self.game, view, self.agent)
        response = protocol.response_of(self.game, view, action, held)
        # Only now, so that a refused line changes nothing.
        self._requests, self._responses = requests, [*responses, response]
        return json.dumps({"response": response}, separators=(",", ":"))


def serve(bot: Bot, source: Iterable[str], sink: TextIO, keep_running: bool = False) -> None:
    """Answer the requests of a stream, a line each; without `keep_running` the first one alone.

    Raises:
        InputError: A line cannot be answered, or there is none.
    """
    requests = filter(str.strip, source)
    answered = False
    for line in requests if keep_running else islice(requests, 1):
        sink.write(bot.answer(line) + "\n" + (KEEP_RUNNING + "\n") * keep_running)
        sink.flush()
        answered = True
    if not answered:
        raise InputError("there is no request on standard input")


class ForeignBot:
    """A command that plays as a Botzone bot."""

    def __init__(self, game: Game, command: str, seconds: float = SECONDS) -> None:
        """Let a command play Dou Dizhu, without sub-steps.

        `command` is a program with arguments, split as a shell splits them; no shell runs.

        Raises:
            InputError: Botzone lacks the game, there is no such program, the limit is below a
                hundredth of a second or above an hour, or the system is Windows.
        """
        if os.name != "posix":
            raise InputError("botzone:COMMAND needs Linux or macOS: it waits for pipes")
        protocol.check_game(game)
        self._command = split_command(command)
        if not LEAST_SECONDS <= seconds <= MOST_SECONDS:
            limits = f"{LEAST_SECONDS:g} to {MOST_SECONDS:g}"
            raise InputError(f"seconds is a number from {limits}, not {seconds}")
        options: dict[str, Any] = {} if seconds == SECONDS else {"seconds": seconds}
        self.name = str(AgentSpec("botzone", options, command))
        self._game = game
        self._seconds = seconds

    def act(self, view: State) -> int:
        """Choose the action of the player to act.

        Raises:
            InputError: The command cannot be run or takes too long, or its answer is not legal.
        """
        requests, responses, held = protocol.dialogue_of(self._game, view)
        line = json.dumps({"requests": requests, "responses": responses}, separators=(",", ":"))
        answer = self._ask(line)
        with prefixed(f"{self.name} answers {answer[:MOST_ERROR]!r}"):
            data = parse_json(answer)
            if not isinstance(data, dict) or "response" not in data:
                raise InputError("there is no 'response'")
            return protocol.action_of(self._game, view, data["response"], held)

    def _ask(self, line: str) -> str:
        """Run the command with a line on its standard input; return the first line it prints."""
        with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as source:
            source.write(line.encode() + b"\n")
            source.seek(0)
            try:
                # A new session, so that `killpg` also ends processes that the bot has started.
                process = subprocess.Popen(
                    self._command, stdin=source, stdout=subprocess.PIPE, stderr=errors,
                    start_new_session=True,
                )  # fmt: skip
            except (OSError, ValueError) as error:
                raise InputError(f"{self.name} cannot be run: {error}") from None
            assert process.stdout is not None
            try:
                answer = self._first_line(process.stdout)
            finally:
                # macOS does not permit a signal to a bot that has ended, before `wait`.
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.stdout.close()
                process.wait()
            if answer is None:
                raise InputError(f"{self.name} takes more than {self._seconds:g} s to answer")
            if not answer:
                raise InputError(f"{self.name} ends without an answer{_last_line(errors)}")
        return answer

    def _first_line(self, stream: IO[bytes]) -> str | None:
        """Return the first line that is not blank, or an empty text; None when time is over."""
        deadline = time.monotonic() + self._seconds
        data = b""
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while b"\n" not in data:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    return None
                block = os.read(stream.fileno(), MOST_ANSWER)
                data = (data + block).lstrip()
                if not block:
                    break
                if len(data) > MOST_ANSWER:
                    raise InputError(f"{self.name} answers more than {MOST_ANSWER:,} bytes")
        return data.partition(b"\n")[0].decode(errors="replace").strip()


def _last_line(errors: IO[bytes]) -> str:
    """Return `: ` and the last line that a bot wrote to standard error, or an empty text."""
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, size - MOST_ANSWER))
    lines = errors.read().decode(errors="replace").split("\n")
    said = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f": {said[:MOST_ERROR]}" if said else ""


def split_command(command: str) -> list[str]:
    """Split a command as a shell does; an `InputError` if that fails or its program is missing."""
    try:
        parts = shlex.split(command)
    except ValueError as error:
        raise InputError(f"the command {command!r} cannot be split: {error}") from None
    if not parts or shutil.which(parts[0]) is None:
        raise InputError(f"there is no program {(parts or [''])[0]!r} to run")
    return parts


def _traits(game: Game, argument: str | None, seconds: float = SECONDS) -> Traits:
    """Describe a bot: its files are the program and the arguments that are files."""
    if argument is None:
        raise InputError("the agent botzone needs the command of a bot, as botzone:COMMAND")
    program, *arguments = split_command(argument)
    found = [shutil.which(program) or "", *filter(os.path.isfile, arguments)]
    return Traits(files=tuple(map(Path, found)))


@described(_traits)
def make_botzone(
    game: Game, seed: int, argument: str | None, seconds: Seconds = SECONDS
) -> ForeignBot:
    """Make the agent `botzone[seconds=6]:COMMAND`, a `ForeignBot`."""
    _traits(game, argument)
    return ForeignBot(game, argument or "", seconds)
