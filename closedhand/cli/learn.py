"""The deep learners of every game for the command line: `train GAME --algorithm ppo|…`."""

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from closedhand.cli.common import cluster_at, given_pairs, leave_if_interrupted, make_folder, note
from closedhand.core.agent_spec import AgentSpec, split_agents
from closedhand.core.game import Game, InputError
from closedhand.core.options import Options, options_of
from closedhand.core.registry import load
from closedhand.core.statistics import interval
from closedhand.learning.algorithms import LEARNERS


def learn(
    game: Game,
    algorithm: str,
    seconds: float,
    seed: int,
    folder: Path,
    restart: bool,
    opponents: str | None = None,
    against: str | None = None,
    steps: int | None = None,
    threads: int | None = None,
    setting: Sequence[str] | None = None,
    records: Path | None = None,
    expert: str | None = None,
    ray: str | None = None,
) -> None:
    """Train a network, show how it does, and write what the agent `learned` plays."""
    cls = load(LEARNERS[algorithm])
    sources = {"records": records, "expert": expert}
    given = {key: value for key, value in sources.items() if value is not None}
    for key in given.keys() - inspect.signature(cls).parameters.keys():
        raise InputError(f"{algorithm} learns by playing: leave out --{key}")
    learner = cls(
        game,
        cls.settings_type(**read_settings(algorithm, setting or ())),
        seed,
        opponents=split_agents(opponents) if opponents else [],
        against=split_agents("random" if against is None else against),
        threads=threads or 1,
        **given,
    )
    if learner.remark:
        note(learner.remark)
    run = prepare(learner, folder, restart)
    with cluster_at(ray) as learner.crew:
        if learner.crew is not None and learner.crew.cores > learner.settings.pieces:
            cores, pieces = learner.crew.cores, learner.settings.pieces
            note(
                f"pieces={pieces} gives work to {pieces} of {cores} cores: try --set pieces={cores}"
            )
        work(run, folder, None if steps else run.seconds + seconds, steps)
    typer.echo(f"saved {folder}: play it as the agent {AgentSpec('learned', {}, str(folder))}")
    leave_if_interrupted(run.interrupted)


def prepare(learner: Any, folder: Path, restart: bool) -> Any:
    """A run of a learner in a folder, resumed if that holds one.

    Raises:
        InputError: The folder holds a network of another making, or a run of other settings.
    """
    from closedhand.core.run import check_resumable
    from closedhand.learning import agent_factory, runs

    make_folder(folder)
    checkpoint = folder / runs.CHECKPOINT
    if not restart:
        check_resumable(folder / agent_factory.NAME, checkpoint)
    run = runs.begin(learner, folder)
    if restart and checkpoint.exists():  # else it is not known whose files there are
        runs.clear(folder)
    if run.resume_if_kept(restart):
        note(f"resuming after {learner.decisions:,} decisions")
    return run


def read_settings(algorithm: str, given: Sequence[str]) -> dict[str, Any]:
    """The settings of an algorithm that are given as texts `key=value`.

    Raises:
        InputError: A text of another form, a setting that is unknown or given twice, or a value
            that it does not take.
    """
    return table_of(algorithm).read(given_pairs(given, "a setting"))


def table_of(algorithm: str) -> Options:
    """The settings of an algorithm.

    Raises:
        InputError: There is no such algorithm.
    """
    if algorithm not in LEARNERS:
        raise InputError(f"no learner {algorithm!r}; there are {', '.join(LEARNERS)}")
    return options_of(load(LEARNERS[algorithm]).settings_type, algorithm)


def work(run: Any, folder: Path, seconds: float | None, steps: int | None) -> None:
    """Let a run work until its time is up, or a number of decisions is reached; print its history.

    Args:
        run: The run.
        folder: Its folder, in which TensorBoard's is put.
        seconds: Seconds of work in all; None: no limit.
        steps: Number of decisions in all; None: no limit.
    """
    from closedhand.learning.runs import BOARD
    from closedhand.learning.tensorboard import Board

    learner, told = run.learner, len(run.history)

    with Board(folder / BOARD, learner.decisions) as board:

        def tell() -> None:
            nonlocal told
            for entry in run.history[told:]:
                note(line_of(entry))
                board.add(entry)
            told = len(run.history)

        limit = {} if seconds is None else {"limit": seconds}
        over = {} if steps is None else {"over": lambda: learner.decisions >= steps}
        run.work(**limit, **over, progress=tell)
        run.note()
        run.save()
        tell()


def line_of(entry: dict[str, Any]) -> str:
    """An entry of a history as a line of text."""
    words = [
        f"{entry['decisions']:,} decisions",
        f"{entry['decisions_per_second']:,.0f}/s",
        f"{entry['games_per_second']:,.0f} games/s",
    ]
    for name, value in entry.items():
        if isinstance(value, float) and not name.endswith("second") and name != "seconds":
            words.append(f"{name.replace('_', ' ')} {value:.3f}")
    for agent, score in entry["against"].items():
        mean, low, high = score["points"]
        won = f", won {score['won'][0]:.1%}" if "won" in score else ""
        words.append(f"v {agent} {mean:+.3f} ({interval(low, high, '+.3f')}){won}")
    return "; ".join(words)
