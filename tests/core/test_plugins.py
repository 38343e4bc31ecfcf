"""Packages that claim names of others, end the program, or fail: none of it touches the others.

Each test installs distributions in a folder and runs a new process that finds them.
"""

import json
import os
import subprocess
import sys
from importlib.metadata import EntryPoint, distributions
from pathlib import Path

import pytest

from closedhand.core import plugins

SPEC = """
import dataclasses
from closedhand import GAMES, GameSpec
SPEC = GameSpec(name="{name}", title="{title}", make="{title}:make_game", contract=1,
                aec_id="{title}/{name}-v0", gymnasium_id="{id}")
"""

AGENT = """
from closedhand.authoring import KernelAgent
from closedhand.agents.random import RandomAgent
def make(game, seed, argument):
    agent = RandomAgent(game, seed)
    agent.name = __name__
    return agent
"""


def install(folder: Path, name: str, code: str, games: str = "", agents: str = "") -> None:
    """Make a distribution of one module."""
    (folder / f"{name}.py").write_text(code)
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        f"[closedhand.games]\n{games}\n\n[closedhand.agents]\n{agents}\n"
    )


def test_our_entry_points_come_first(tmp_path: Path) -> None:
    for name in ("closedhand", "a_package"):
        install(tmp_path, name, "", agents="ace = a:b")
    found = [dist.entry_points for dist in distributions(path=[str(tmp_path)])]
    points = sorted((point for some in found for point in some), key=plugins.order)
    assert [plugins.owner_of(point) for point in points] == ["closedhand", "a_package"]
    assert [plugins.is_own(point) for point in points] == [True, False]
    assert not plugins.is_own(EntryPoint("ace", "a:b", "closedhand.agents"))


def run(folder: Path, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process that finds the distributions."""
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONWARNINGS": "always"},
    )


def spec(name: str, title: str, gymnasium_id: str = "") -> str:
    return SPEC.format(name=name, title=title, id=gymnasium_id or f"{title}/{name}-v0")


LEDUC = """
import closedhand
from closedhand.core.registry import spec_of
print(closedhand.GAMES["leduc"].title, spec_of("leduc").title, closedhand.make_game("leduc").name)
"""


def test_a_shipped_game_stays_whatever_a_package_of_its_name_does(tmp_path: Path) -> None:
    thieves = {
        "thief": (spec("leduc", "thief"), "two games have the name leduc"),
        "broken": ("raise ValueError('broken')", "broken"),
        "leaver": ("import sys; sys.exit(0)", "called sys.exit(0)"),
    }
    for name, (code, _) in thieves.items():
        install(tmp_path, name, code, games=f"leduc = {name}:SPEC")
    done = run(tmp_path, LEDUC)
    assert (done.returncode, done.stdout) == (0, "Leduc poker Leduc poker leduc\n"), done.stderr
    warned = [line for line in done.stderr.splitlines() if "UserWarning" in line]
    assert len(warned) == len(thieves)
    for name, (_, reason) in thieves.items():
        about = f"the game leduc of the package {name} ({name}:SPEC) cannot be loaded"
        assert [reason in line for line in warned if about in line] == [True]


def test_of_two_packages_with_one_game_the_second_is_left_out(tmp_path: Path) -> None:
    for name in ("second", "first"):
        install(tmp_path, name, spec("bridge", name), games=f"bridge = {name}:SPEC")
    done = run(tmp_path, "import closedhand; print(closedhand.GAMES['bridge'].title)")
    assert done.stdout == "first\n"
    assert "the game bridge of the package second (second:SPEC) cannot be loaded" in done.stderr


def test_an_env_keeps_its_id(tmp_path: Path) -> None:
    code = spec("bridge", "thief", "closedhand/Leduc-v0")
    install(tmp_path, "thief", code, games="bridge = thief:SPEC")
    program = (
        "import closedhand, gymnasium\n"
        "print(gymnasium.registry['closedhand/Leduc-v0'].kwargs['game'])"
    )
    done = run(tmp_path, program)
    assert done.stdout == "leduc\n"
    assert "closedhand/Leduc-v0, an env of the game bridge, is taken" in done.stderr


MADE = """
import sys
import closedhand
for name in sys.argv[1:]:
    print(closedhand.make_agent("leduc", name).name)
"""


def test_agents_of_ours_keep_their_names(tmp_path: Path) -> None:
    points = {
        "one": "leduc.random",
        "two": "random",
        "three": "leduc.equilibrium",
        "four": "equilibrium",
    }
    for name, point in points.items():
        install(tmp_path, name, AGENT, agents=f"{point} = {name}:make")
    done = run(tmp_path, MADE, "random", "equilibrium")
    assert (done.returncode, done.stdout) == (0, "random\nequilibrium\n"), done.stderr
    for name, point in points.items():
        assert f"the agent {point} of the package {name} ({name}:make) is left out" in done.stderr


@pytest.mark.parametrize("points", [("wise", "wise"), ("leduc.wise", "wise")])
def test_two_packages_with_one_agent_are_refused(tmp_path: Path, points: tuple[str, str]) -> None:
    for name, point in zip(("one", "two"), points, strict=True):
        install(tmp_path, name, AGENT, agents=f"{point} = {name}:make")
    done = run(tmp_path, MADE, "wise")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert "several packages have an agent 'wise' of leduc: " in last
    assert "of the package one (one:make)" in last and "of the package two (two:make)" in last


def test_an_agent_of_one_game_goes_before_one_of_all_in_its_package(tmp_path: Path) -> None:
    code = AGENT + "\ndef make_own(game, seed, argument):\n    return own(game, seed)\n"
    code += "\ndef own(game, seed):\n    agent = RandomAgent(game, seed)\n"
    code += "    agent.name = 'own'\n    return agent\n"
    install(tmp_path, "one", code, agents="wise = one:make\nleduc.wise = one:make_own")
    assert run(tmp_path, MADE, "wise").stdout == "own\n"
    assert run(tmp_path, MADE.replace("leduc", "doudizhu"), "wise").stdout == "one\n"


LOUD = """
print("imported")
import sys
from closedhand.agents.random import RandomAgent

class Loud(RandomAgent):
    def act_batch(self, views):
        print("thinking")
        return super().act_batch(views)

class Leaver(RandomAgent):
    kernel_policy = None
    def act(self, view):
        sys.exit(0)
    def act_batch(self, views):
        sys.exit(0)

def make_loud(game, seed, argument):
    print("made")
    return Loud(game, seed)

def make_leaver(game, seed, argument):
    return Leaver(game, seed)
"""


def match(folder: Path, agents: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Play a match of two deals by the command line."""
    command = ["match", "leduc", "--agents", agents, "--deals", "2", *options]
    return subprocess.run(
        [sys.executable, "-c", "from closedhand_command import main; main()", *command],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_agent_that_exits_ends_a_match_with_one_line(tmp_path: Path, workers: str) -> None:
    points = "leduc.leaver = loud:make_leaver"
    install(tmp_path, "loud", LOUD, agents=points)
    done = match(tmp_path, "leaver,random", "--workers", workers)
    assert done.returncode == 2
    assert "called sys.exit(0)" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_what_an_agent_prints_is_no_part_of_the_object(tmp_path: Path, workers: str) -> None:
    install(tmp_path, "loud", LOUD, agents="leduc.loud = loud:make_loud")
    done = match(tmp_path, "loud,random", "--json", "--workers", workers)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["deals"] == 2
    for text in ("imported", "made", "thinking"):
        assert text in done.stderr
