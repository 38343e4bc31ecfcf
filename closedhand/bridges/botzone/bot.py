"""One of our agents as a Botzone bot: a line of JSON in, a line of JSON out."""

import json
from collections.abc import Iterable
from itertools import islice
from typing import Any, TextIO

from closedhand.bridges.botzone.protocol import check_game, response_of, view_of
from closedhand.core.agents import Agent, AnyAgent, legal_choice, make_agent
from closedhand.core.game import Game, InputError
from closedhand.core.parsing import Kind, check_fields, list_of, parse_json

KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
"""Line after an answer by which a bot asks to stay alive: it then gets later requests alone."""
ANY = Kind("anything", "anything", lambda value: True)
MATCH = {"requests": list_of(ANY), "responses": list_of(ANY)}


class Bot:
    """A bot of one match, which remembers its requests and its responses."""

    def __init__(self, game: Game, agent: AnyAgent, seed: int = 0) -> None:
        """Let an agent, or the text of one, play Dou Dizhu with 54 cards, without sub-steps.

        Raises:
            InputError: Botzone does not play the game, or there is no such agent.
        """
        check_game(game)
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
        view, held = view_of(self.game, requests, responses)
        response = response_of(self.game, view, legal_choice(self.game, view, self.agent), held)
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
