"""Every command without the libraries of the extras: it works, or says in one line what to type."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import typer.main

from closedhand.cli import app
from closedhand.core.extras import EXTRAS

TORCH = {"torch", "safetensors"}
SB3 = {"torch", "stable_baselines3", "sb3_contrib"}
NETWORK = TORCH | {"lightning", "tensorboard", "pyarrow"}
HAND = "'AsKs6s5s3s QhQs8c3c2h JsJd9h'"

LINES: dict[str, set[str]] = {
    "match leduc --agents random --deals 2 --workers 1 --out m.json": set(),
    "match daihinmin --agents default --rounds 100 --workers 1 --out l.json": set(),
    "match doudizhu --agents policy-net,random --deals 1 --workers 1 --out m.json": TORCH,
    "match doudizhu --agents policy-search:10,random --deals 1 --workers 1 --out m.json": TORCH,
    "match doudizhu --agents ppo:x,random --deals 1 --workers 1 --out m.json": TORCH,
    "match doudizhu --agents bids:net=x:rule,rule --option bidding=true --out m.json": TORCH,
    "play leduc --agents random": set(),
    "play doudizhu --agents policy-net": TORCH,
    "records replay games.jsonl": set(),
    "records export games.jsonl --out more.jsonl": set(),
    "records generate doudizhu --agents random --games 2 --workers 1 --out s": {"pyarrow"},
    "train doudizhu --minutes 0.0001 --out p": TORCH | SB3 | {"tensorboard"},
    "train doudizhu --algorithm decompose --minutes 0.00001 --out d": set(),
    "train daihinmin --minutes 0.00001 --out w": set(),
    "train uh-leduc --algorithm ppo --minutes 0.00001 --out lp": SB3,
    "train leduc --algorithm q-learning --minutes 0.00001 --out lq": set(),
    "train chinese-poker --minutes 0.0001 --out t": {"scipy"},
    "train policy-net --records games.parquet --steps 1 --out n": NETWORK,
    "train kicker-net --records games.parquet --steps 1 --out n": NETWORK,
    "train self-play --minutes 0.0001 --out f": TORCH,
    "train bids --agent random --games 2000 --out b": set(),
    "train bid-net --deals b/deals.npz --minutes 0.0001 --out bn": TORCH,
    "solve uh-leduc --iterations 1 --out s1": set(),
    "solve uh-leduc --algorithm ppo --iterations 1 --out s2": SB3,
    "solve uh-leduc --algorithm lp --out s3": {"scipy"},
    "solve uh-leduc --algorithm pcfr+,lp --seconds 1000 --out s4": {"scipy"},
    "reproduce deeprocket-match": set(),
    "reproduce deeprocket --only positions --network rule --best random --workers 1": set(),
    "reproduce leduc --out rl": SB3 | {"scipy"},
    "reproduce chinese-poker --out rc": {"scipy"},
    # A minute and a half of play, then pictures, which are made as those of `match`.
    "reproduce kou --help": set(),
    "show leduc-graph --out graph": {"matplotlib"},
    "serve --agents default --rounds 1": set(),
    "join --help": set(),
    f"advise chinese-poker {HAND} --opponents 2000": set(),
    f"advise chinese-poker {HAND} --opponents 2000 --picture hand.png": {"PIL"},
    "bench --rounds 1 --seconds 0.01": {"phevaluator", "pyspiel", "rlcard", "torch", "safetensors"},
}
"""Lines for every command, quick ones, and the libraries without which each cannot do its work."""

PROGRAM = """
import json, shlex, sys
missing, lines = json.load(sys.stdin)
for name in missing:
    sys.modules[name] = None
from typer.testing import CliRunner
from closedhand.cli import app
for line in lines:
    done = CliRunner().invoke(app, shlex.split(line), input="quit\\n")
    error = None if isinstance(done.exception, (SystemExit, type(None))) else repr(done.exception)
    print(json.dumps([done.exit_code, done.stderr, error]), flush=True)
"""

GAME = '{"game":"leduc","rules":{},"actions":["fold"],"seed":1}\n'


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The words of all commands."""
    context = click.Context(command, info_name=path[-1] if path else "closedhand")
    if not hasattr(command, "list_commands"):
        yield " ".join(path)
        return
    for name in command.list_commands(context):
        yield from commands(command.get_command(context, name), (*path, name))


def test_the_table_has_every_command() -> None:
    known = set(commands(typer.main.get_command(app)))
    assert len(known) > 25
    for words in known:
        assert any(f"{line} ".startswith(f"{words} ") for line in LINES), words


def run_without(missing: list[str], lines: list[str], folder: Path) -> list[Any]:
    """Exit code, stderr and unexpected error of each line, in a process without these libraries."""
    (folder / "games.jsonl").write_text(GAME)
    (folder / "games.parquet").write_bytes(b"PAR1")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        input=json.dumps([missing, lines]),
        capture_output=True,
        text=True,
        cwd=folder,
        env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "COLUMNS": "200"},
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]


def assert_named(found: Any, modules: set[str], line: str) -> None:
    """One line names one of the modules, and what to type."""
    code, stderr, error = found
    assert (code, error) == (2, None), (line, found)
    assert stderr.strip().count("\n") == 0, (line, stderr)
    assert any(
        f"module {module} is missing" in stderr
        and f"pip install 'closedhand[{EXTRAS[module]}]'" in stderr
        for module in modules
    ), (line, stderr)


@pytest.mark.slow
def test_commands_without_any_extra(tmp_path: Path) -> None:
    found = run_without(list(EXTRAS), list(LINES), tmp_path)
    assert len(found) == len(LINES)
    for (line, needed), result in zip(LINES.items(), found, strict=True):
        if needed:
            assert_named(result, needed, line)
        else:
            assert (result[0], result[2]) == (0, None), (line, result)
            assert "Traceback" not in result[1]


@pytest.mark.slow
@pytest.mark.parametrize("module", sorted({each for needed in LINES.values() for each in needed}))
def test_commands_without_one_library(module: str, tmp_path: Path) -> None:
    lines = [line for line, needed in LINES.items() if module in needed]
    for line, result in zip(lines, run_without([module], lines, tmp_path), strict=True):
        assert_named(result, {module}, line)
