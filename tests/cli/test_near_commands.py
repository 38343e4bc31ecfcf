"""Commands near valid ones: words changed, dropped, exchanged, other options and odd values.

Most random commands are refused at once. These begin from lines that work, so that they get far.
Each ends by itself or by Ctrl-C, without a traceback, and files that are not its own results stay.
`CLOSEDHAND_FUZZ` multiplies their number.
"""

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support import FUZZ
from support_faults import Nursery, Order
from support_lines import LINES, prepare

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processes are forked"),
]

COMMANDS = 30
MORE = (
    "match leduc --agents random,random --deals 3 --seed 2 --workers 1 --resume --out m.json",
    "match doudizhu --agents rule,greedy --deals 2 --rules mini --option substeps=true --json",
    "match daihinmin --agents random --rounds 4 --option rounds=2 --duplicate --workers 1",
    "serve daihinmin --agents random --rounds 1 --port 0 --log a.log",
    "solve leduc --algorithm mccfr --iterations 9 --seed 1 --out s",
    "judge leduc strategy:strategy.npz --json",
    "records replay games.jsonl --json",
    "records export games.jsonl --out x.jsonl --game leduc",
    "play leduc --agents random --seat 1 --seed 3",
    "show leduc-graph --out g.svg",
)
LEFT_OUT = ("bench", "web", "compile", "--ray", "--help", "reproduce deeprocket", "learners")
"""Of lines of one command: what takes minutes, or is a server that other tests are about."""
LINES_HERE = [
    shlex.split(line)
    for line in (*[line for line, needs in LINES.items() if not needs], *MORE)
    if not any(each in line for each in LEFT_OUT)
]
ODD = (
    "", "-", "--", "-1", "0", "1", "2", "1e9", "nan", "inf", "-0.5", "9" * 30, "true", "none", ".",
    "..", "nothing", "thesis.tex", "photo.png", "data.json", "m.json", "games.jsonl", "folder",
    "strategy.npz", "/dev/null", "/dev/full", "leduc", "uh-leduc", "doudizhu", "random", "rule",
    "random,random", "random:5", "x=y", "pair=card", "▒", "\ud800", "%s", "{}", "a\nb", "[", "'",
)  # fmt: skip
"""Values that take the place of others; no path leads out of the working folder."""
LETTERS = "aX0-=,:[]. "
FOREIGN = ("thesis.tex", "photo.png", "data.json", "folder/notes.txt", "strategy.npz.bak")
SETUP = """
import os, signal, sys
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
sys.stdin = open(0)
def interrupt(number, frame):
    # If Ctrl-C does not end it, the next one of these does.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.setitimer(signal.ITIMER_REAL, 120)
    signal.raise_signal(signal.SIGINT)
signal.signal(signal.SIGVTALRM, interrupt)
signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_VIRTUAL, 5)
signal.setitimer(signal.ITIMER_REAL, 40)
"""
"""Ctrl-C after five seconds of the processor or forty by the clock; nothing on stdin."""


def near(rng: np.random.Generator) -> list[str]:
    """Draw a line, and change it in one or two places."""
    words = list(LINES_HERE[rng.integers(len(LINES_HERE))])
    for _ in range(rng.integers(1, 3)):
        place = int(rng.integers(len(words)))
        word = words[place]
        others = [line for line in LINES_HERE if line[0] == words[0]] or LINES_HERE
        other = others[rng.integers(len(others))]
        match int(rng.integers(9)):
            case 0 if len(words) > 1:
                del words[place]
            case 1:
                words.insert(place, word)
            case 2:
                words[place - 1], words[place] = word, words[place - 1]
            case 3:
                words[place] = str(rng.choice(ODD))
            case 4:  # an option of the same command, with its value
                start = int(rng.integers(len(other)))
                words += other[start : start + 2]
            case 5:  # the value of the same option elsewhere
                values = [
                    line[i + 1]
                    for line in LINES_HERE
                    for i, each in enumerate(line[:-1])
                    if place and each == words[place - 1]
                ]
                if values:
                    words[place] = values[rng.integers(len(values))]
            case 6 if word.lstrip("-").replace(".", "").isdigit():
                change = (-1, 1, 0.5, 10, 1e3)[rng.integers(5)]
                words[place] = f"{float(word) + change:g}"
            case _ if word:
                start = int(rng.integers(len(word)))
                letter = LETTERS[rng.integers(len(LETTERS))]
                words[place] = word[:start] + letter + word[start + int(rng.integers(2)) :]
    return words


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with Nursery() as started:
        yield started


def filled(folder: Path) -> Path:
    """A folder with what the lines read, and files of others."""
    folder.mkdir(parents=True)
    prepare(folder)
    (folder / "folder").mkdir()
    for name in FOREIGN:
        (folder / name).write_text("my thesis\n")
    (folder / "data.json").write_text(json.dumps({"title": "my thesis"}))
    return folder


def test_commands_near_valid_ones_do_no_harm(nursery: Nursery, tmp_path: Path) -> None:
    reached = 0
    for seed in range(round(COMMANDS * FUZZ)):
        words = near(np.random.default_rng([seed, 51]))
        # Two folders down: `..` is the test's as well.
        folder = filled(tmp_path / str(seed) / "here")
        kept = {name: (folder / name).read_bytes() for name in FOREIGN}
        outcome = nursery.run(Order(words, str(folder), SETUP))
        shown = (words, outcome)
        assert outcome.code in (0, 2, 130), shown
        assert "Traceback" not in outcome.out + outcome.err, shown
        # What is refused says why, but for a group without a command, which shows its own help.
        help_ = f"Usage: closedhand {' '.join(words)} [OPTIONS] COMMAND"
        assert outcome.code != 2 or outcome.err.strip() or help_ in outcome.out, shown
        if "--overwrite" not in words:
            assert kept == {name: (folder / name).read_bytes() for name in FOREIGN}, shown
        reached += outcome.code == 0
    assert reached >= 0.1 * COMMANDS * FUZZ  # otherwise nothing deep is tried
