"""The memory of the server is bounded, and does not grow with the hands that are played."""

import subprocess
import sys
from pathlib import Path

import pytest

from closedhand.core.registry import GAMES
from closedhand.web.preparation import COMMAND, STAGES

MOST = 400
"""Megabytes of the server."""
MOST_GROWTH = 40
"""Megabytes: what the allocator of Python and the caches of agents may still take."""

PLAY = """
import asyncio, json, os, sys
from pathlib import Path
import numpy as np
from closedhand.web import catalogue, requests
from closedhand.web.connection import Connection
from closedhand.web.lobby import Lobby

os.fsync = lambda file: None  # only the memory counts
GAMES = {"doudizhu": 5, "daihinmin": 3, "leduc": 20, "uh_leduc": 20, "chinese_poker": 20}

def megabytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20

async def ask(connection, **message):
    await connection.answer(json.dumps(message))
    while not connection.outbox.empty():
        found = json.loads(connection.outbox.get_nowait())
        if "re" in found:
            answer = found
    return answer["ok"]

async def play(lobby, game, hands, rng):
    about = catalogue.describe_game(game)
    seats = [{"name": ""}, *[{"level": "fair"}] * (about["players"] - 1)]
    connection, options = Connection(lobby, owner=True), about["table_options"]
    opened = await ask(connection, do="open", game=game, options=options, seats=seats, pace=1e-4)
    await ask(connection, do="join", table=opened["table"], token=opened["tokens"][0])
    table = lobby.tables[opened["table"]]
    for hand in range(hands):
        hinted = False
        while not table.over:
            if not table.awaits(0):
                await asyncio.sleep(1e-3)
                continue
            if not hinted:
                hinted = True
                await ask(connection, do="hint", version=table.version)
                await asyncio.wait([connection.works["hint"]])
            action = int(rng.choice(table.game.legal(table.state)))
            await ask(connection, do="play", version=table.version, action=action)
        await ask(connection, do="again", same=False)
    connection.leave()

async def main():
    requests.register()
    lobby, rng, seen = Lobby(Path(sys.argv[1])), np.random.default_rng(0), []
    for _ in range(4):
        for game, hands in GAMES.items():
            await play(lobby, game, hands, rng)
        seen.append(megabytes())
    lobby.close()
    print(*seen)

from closedhand.web import advice
advice.LONGEST = 0.05
asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_stays_when_hands_are_played(tmp_path: Path) -> None:
    """Of all games, with hints: from the second round on, when all is loaded.

    As for the server, another process compiles beforehand.
    """
    stages = "".join(f"{game} {stage}\n" for game in GAMES for stage in STAGES)
    subprocess.run(COMMAND, input=stages, capture_output=True, text=True, check=True)
    command = [sys.executable, "-c", PLAY, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    _, second, *_, last = map(float, done.stdout.split())
    assert last - second < MOST_GROWTH
    assert last < MOST
