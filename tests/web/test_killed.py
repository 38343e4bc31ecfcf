"""A killed server of the page keeps its tables: no file is damaged, or behind what was shown."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support import examples

from closedhand.web.lobby import Lobby

PLAY = """
import asyncio, json, sys
from pathlib import Path
from closedhand.web.lobby import Lobby

async def play():
    lobby = Lobby(Path(sys.argv[1]))
    tables = [await lobby.open("uh_leduc", {}, [{"agent": "random"}] * 2, pace=0.0) for _ in "ab"]
    for turn in range(10**6):
        table = tables[turn % 2]
        if table.over:
            table.again(False)
        else:
            table.play(int(table.game.legal(table.state)[turn % 3 - 1]))
        lobby.changed(table)
        print(table.id, json.dumps(table.saved()), flush=True)

asyncio.run(play())
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals")
def test_a_killed_server_loses_no_table(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for number in range(examples(3)):
        folder = tmp_path / str(number)
        folder.mkdir()
        # What is shown to players is printed; the kill comes during one of the next changes.
        with subprocess.Popen(
            [sys.executable, "-c", PLAY, str(folder)], stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            shown = {}
            for _ in range(int(rng.integers(2, 200))):
                table, data = server.stdout.readline().split(" ", 1)
                shown[table] = json.loads(data)
            os.kill(server.pid, signal.SIGKILL)
            for line in server.stdout:
                if line.endswith("\n"):
                    table, data = line.split(" ", 1)
                    shown[table] = json.loads(data)
        lobby = Lobby(folder)
        assert {each["table"] for each in lobby.listed()} == set(shown)
        lobby.close()
        for table, data in shown.items():
            found = json.loads((folder / f"{table}.json").read_text("utf-8"))
            # It is what was shown last, or one change later.
            if found != data:
                assert found["changed"] >= data["changed"]
                later = found["deal"] + len(found["actions"]) - data["deal"] - len(data["actions"])
                assert later == 1 or found["deal"] == data["deal"] + 1
