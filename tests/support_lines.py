"""A quick line for every command, and the libraries without which it cannot do its work."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

TORCH = {"torch", "safetensors"}
SB3 = {"torch", "stable_baselines3", "sb3_contrib"}
NETWORK = TORCH | {"lightning", "tensorboard", "pyarrow"}
HAND = "'AsKs6s5s3s QhQs8c3c2h JsJd9h'"
ROUND = "3c4c4h7d8s9sTsKdAh2c --seat 2 --leader 0 --dealt 11,11,10,10,11"

LINES: dict[str, set[str]] = {
    "match leduc --agents random,random --deals 2 --workers 1 --out m.json": set(),
    "match daihinmin --agents default --rounds 100 --workers 1 --out l.json": set(),
    "match doudizhu --agents policy-net,random --deals 1 --workers 1 --out m.json": TORCH,
    "match doudizhu --agents policy-search:10,random --deals 1 --workers 1 --out m.json": TORCH,
    "match doudizhu --agents douzero:x,random --deals 1 --workers 1 --out m.json": {"torch"},
    "match leduc --agents learned:x,random --deals 1 --workers 1 --out m.json": TORCH,
    "match doudizhu --agents bids:net=x:rule,rule --option bidding=true --out m.json": TORCH,
    "match leduc --agents random,random --deals 2 --ray local --out m.json": {"ray"},
    "play leduc --agents random": set(),
    "play doudizhu --agents policy-net": TORCH,
    "deals leduc --number 3 --out d.txt": set(),
    "bench leduc --seconds 0.05": set(),
    "example": set(),
    "endgame doudizhu --hands 33S,4QB --seconds 5": set(),
    "endgame leduc --deal SK;HJ;HK --plays raise --teams 0,1": set(),
    "records replay games.jsonl": set(),
    "records export games.jsonl --out more.jsonl": set(),
    "records generate doudizhu --agents random --games 2 --workers 1 --out s": {"pyarrow"},
    "train doudizhu --algorithm maskable-ppo --steps 50 --set batch=96 --out p": TORCH
    | SB3
    | {"tensorboard"},
    "train doudizhu --algorithm decompose --minutes 0.00001 --out d": set(),
    "train daihinmin --algorithm playouts --minutes 0.00001 --out w": set(),
    "train leduc --algorithm ppo --steps 50 --out l1": TORCH | {"tensorboard"},
    "train uh-leduc --algorithm ppo --steps 50 --out lp": TORCH | {"tensorboard"},
    "train leduc --algorithm dmc --steps 50 --out l2": TORCH | {"tensorboard"},
    "train leduc --algorithm imitation --expert random --steps 9 --out i": TORCH | {"tensorboard"},
    "exploit leduc --agent random --steps 50 --deals 5 --out l4": TORCH | {"tensorboard"},
    "judge leduc random": set(),
    "botzone doudizhu --help": set(),
    "train chinese-poker --algorithm fitted --minutes 0.0001 --out t": {"scipy"},
    "train policy-net --records games.parquet --steps 1 --out n": NETWORK,
    "train kicker-net --records games.parquet --steps 1 --out n": NETWORK,
    "train self-play --minutes 0.0001 --out f": TORCH,
    "train bids --agent random --games 3000 --out b": set(),
    "train bid-net --deals b/deals.npz --minutes 0.0001 --out bn": TORCH,
    "solve uh-leduc --iterations 1 --out s1": set(),
    "solve leduc --algorithm q-learning --iterations 1 --out lq": set(),
    "solve uh-leduc --algorithm lp --out s3": {"scipy"},
    "solve uh-leduc --algorithm pcfr+,lp --seconds 1000 --out s4": {"scipy"},
    "reproduce deeprocket-match": set(),
    "reproduce deeprocket --only positions --network rule --best random --workers 1": TORCH,
    "reproduce leduc --out rl": TORCH | {"scipy"},
    "reproduce learners --quick --only leduc/ppo --out rl": TORCH,
    # Minutes of play, then pictures, which are made as those of `match`.
    "reproduce chinese-poker --help": set(),
    "reproduce kou --help": set(),
    # All of these.
    "reproduce all --help": set(),
    "show options leduc": set(),
    "show rules leduc": set(),
    "advise leduc HK": set(),
    "advise uh-leduc HK": set(),
    "show settings ppo": TORCH,
    "show chinese-poker-table": set(),
    "show leduc-graph --out graph": {"matplotlib"},
    "serve daihinmin --agents default --rounds 1": set(),
    # Kernels for minutes.
    "compile --help": set(),
    "join daihinmin --help": set(),
    f"advise chinese-poker {HAND} --opponents 5000": set(),
    f"advise chinese-poker {HAND} --opponents 5000 --picture hand.png": {"PIL"},
    "advise doudizhu 3456789TTJJQKA22S --seat 1 --public 4TB --plays 44 --simulations 10": set(),
    f"advise daihinmin {ROUND} --plays '3d 5h' --simulations 10": set(),
    "web --no-browser --folder tables": {"starlette", "uvicorn", "websockets"},
}
"""Lines for every command, quick ones, and the libraries without which each cannot do its work."""

GAME = '{"game":"leduc","rules":{},"actions":["raise","fold"],"seed":1}\n'


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The words of all commands."""
    context = click.Context(command, info_name=path[-1] if path else "closedhand")
    if not hasattr(command, "list_commands"):
        yield " ".join(path)
        return
    for name in command.list_commands(context):
        yield from commands(command.get_command(context, name), (*path, name))


def prepare(folder: Path) -> None:
    """Write the files that the lines read."""
    (folder / "games.jsonl").write_text(GAME)
    (folder / "games.parquet").write_bytes(b"PAR1")
