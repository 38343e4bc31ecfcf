"""What `train` does for Daihinmin."""

import time
from pathlib import Path

import typer

from closedhand.cli.common import INTERRUPTED, make_folder, note, progress_bar
from closedhand.games import make_game
from closedhand.games.game import Game, InputError


def learn(game: Game, method: str, seconds: float, seed: int, out: Path, restart: bool) -> None:
    """Fit weights of playouts in a folder, or go on with those it holds, for at least a step."""
    from closedhand.baselines.daihinmin import training

    if method != "playouts":
        raise InputError(f"no algorithm {method!r} for {game.name}; there is playouts")
    if game.options != make_game(game.name).options:
        raise InputError("playouts are fitted under the rules of the competition: no options")
    make_folder(out)
    path = out / "playouts.npz"
    run = training.Training(seed)
    if path.exists() and not restart:
        run = training.load(path, seed)
        note(f"going on after {run.steps * training.ROUNDS:,} rounds")
    interrupted = False
    start = saved = time.monotonic()
    with progress_bar("seconds", round(seconds)) as update:
        try:
            while run.steps == 0 or time.monotonic() - start < seconds:
                run.step()
                spent = time.monotonic() - start
                update(round(spent), unit=f"seconds, {run.steps * training.ROUNDS:,} rounds")
                if time.monotonic() - saved > 10:
                    saved = time.monotonic()
                    training.save(run, path)
        except KeyboardInterrupt:
            interrupted = True
    if run.steps == 0:
        note("interrupted before a step was done; nothing is saved")
        raise typer.Exit(INTERRUPTED)
    training.save(run, path)
    rounds = run.steps * training.ROUNDS
    typer.echo(f"saved {path} after {rounds:,} rounds: search with them as monte-carlo:2000:{path}")
    if interrupted:
        note("interrupted; the same command goes on")
        raise typer.Exit(INTERRUPTED)
