"""From nothing to an agent in three minutes: PPO in self-play, then a duplicate match.

    python examples/demo.py
    python examples/demo.py --minutes 10

One network learns Dou Dizhu in all seats from the compact observation, for win or loss alone. Then
it plays the same deals in both roles against two agents, `random` and `rule`.
"""

import argparse
import os
import sys
from pathlib import Path
from shutil import which

from rich.console import Console
from rich.progress_bar import ProgressBar
from rich.table import Table

from closedhand import make_game
from closedhand.arena import match, results
from closedhand.cli.learn import prepare, work
from closedhand.core.threads import cores
from closedhand.learning.ppo import PPO, PPOSettings

OPPONENTS = ("random", "rule")
BAR = 40
"""Characters of a bar that stands for all games."""


def train(folder: Path, minutes: float) -> None:
    """Learn from scratch, with a line about the progress now and then; Ctrl-C ends it."""
    # Temperature 0 takes the most probable action: here only wins count, not unpredictability.
    learner = PPO(
        make_game("doudizhu", objective="win"), PPOSettings(temperature=0.0), seed=1,
        against=["rule"], threads=min(2, cores()),
    )  # fmt: skip
    run = prepare(learner, folder, restart=True)
    work(run, folder, seconds=60 * minutes, steps=None)


def show(agent: str, deals: int) -> float:
    """Draw the shares of games won; return the one over both roles against the last opponent."""
    table = Table(box=None)
    for name in ("opponent", "role", "won", "95%", "0% to 100%, half is equal"):
        table.add_column(name)
    game = make_game("doudizhu", objective="win")
    won = 0.0
    for opponent in OPPONENTS:
        played = match.play(game, [agent, opponent], deals, seed=7)
        for row in results.summary(played)["pairs"][0]["results"][:3]:
            won, low, high = (row["win_rate"][key] for key in ("mean", "low", "high"))
            bar = ProgressBar(total=1.0, completed=won, width=BAR)
            table.add_row(opponent, row["role"], f"{won:.1%}", f"{low:.1%} to {high:.1%}", bar)
    Console().print(table)
    return won


def main(arguments: list[str] | None = None) -> float:
    """Train, play and say what to do next; return the share of games won against `rule`."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=Path("runs/demo"))
    given = parser.parse_args(arguments)
    print(f"learning Dou Dizhu in self-play for {given.minutes:g} minutes; Ctrl-C ends it earlier")
    train(given.out, given.minutes)
    agent = f"learned:{given.out}"
    won = show(agent, given.deals)
    command = which("closedhand") or os.path.relpath(Path(sys.executable).with_name("closedhand"))
    print(
        f"Play against it: {command} play doudizhu --agents {agent}\n"
        f"In a browser, with the extra web: {command} web --agent doudizhu={agent}"
    )
    return won


if __name__ == "__main__":
    main()
