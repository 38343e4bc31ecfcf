"""The deep learners of every game for the command line: `train GAME --algorithm ppo|…`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import typer

from closedhand.cli.common import cluster_at, given_pairs, leave_if_interrupted, make_folder, note
from closedhand.core.agent_spec import AgentSpec, split_agents
from closedhand.core.file_kinds import CHECKPOINT, HISTORY, NETWORK, FileKind, headed
from closedhand.core.game import Game, InputError
from closedhand.core.options import Option, Options, options_of, takes
from closedhand.core.registry import load
from closedhand.core.statistics import interval
from closedhand.core.threads import MOST_THREADS
from closedhand.learning.algorithms import LEARNERS

COMMON = (
    Option("against", "random", "agents to be judged against"),
    Option("steps", None, "decisions to learn from in all, in place of a time", int, least=1),
    Option("threads", 1, "threads of PyTorch", least=1, most=MOST_THREADS),
    Option("setting", (), "settings, texts `key=value`", object),
)
OPPONENTS = Option("opponents", None, "whom to learn against: agents, `self` or `pool`", str)
RAY = Option("ray", None, "address of a Ray cluster that plays the games", str)
RECORDS = Option("records", None, "records to learn from, a file or a folder", object)
EXPERT = Option("expert", None, "agent whose moves to learn", str)


def trainer(*own: Option) -> Callable[..., None]:
    """The trainer of a learner.

    Args:
        *own: Its options besides `COMMON`.
    """
    options = Options("training", *COMMON, *own)

    @takes(options)
    def learn(
        game: Game,
        algorithm: str,
        seconds: float,
        seed: int,
        folder: Path,
        restart: bool,
        **given: Any,
    ) -> None:
        """Train a network, show how it does, and write what the agent `learned` plays."""
        chosen = options.complete(given)
        more = {each.name: chosen[each.name] for each in own if each is not RAY}
        if "opponents" in more:
            more["opponents"] = split_agents(more["opponents"]) if more["opponents"] else []
        cls = load(LEARNERS[algorithm])
        settings = cls.settings_type(**read_settings(algorithm, chosen["setting"]))
        learner = cls(
            game, settings, seed, against=split_agents(chosen["against"]),
            threads=chosen["threads"], **more,
        )  # fmt: skip
        if learner.remark:
            note(learner.remark)
        run = prepare(learner, folder, restart)
        steps = chosen["steps"]
        with cluster_at(chosen.get("ray")) as crew:
            if crew is not None:
                learner.crew = crew
                note_idle(crew.cores, learner.settings.pieces)
            work(run, folder, None if steps else run.seconds + seconds, steps)
        typer.echo(f"saved {folder}: play it as the agent {AgentSpec('learned', {}, str(folder))}")
        leave_if_interrupted(run.interrupted)

    return learn


learn = trainer(OPPONENTS)
learn_by_playing = trainer(OPPONENTS, RAY)
imitate = trainer(RAY, RECORDS, EXPERT)


def note_idle(cores: int, pieces: int) -> None:
    """Note that a cluster has more cores than there are pieces to play."""
    if cores > pieces:
        note(f"pieces={pieces} gives work to {pieces} of {cores} cores: try --set pieces={cores}")


def prepare(learner: Any, folder: Path, restart: bool) -> Any:
    """A run of a learner in a folder, resumed if that holds one.

    Raises:
        InputError: The folder holds a network of another making, or a run of other settings.
    """
    from closedhand.core.run import check_resumable
    from closedhand.learning import agent_factory, population, runs

    make_folder(
        folder,
        {
            agent_factory.NAME: NETWORK,
            runs.CHECKPOINT: CHECKPOINT,
            runs.HISTORY: HISTORY,
            population.OPPONENTS: FileKind("a list of opponents", headed(population.HEADING)),
        },
    )
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
