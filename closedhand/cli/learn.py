"""The deep learners of every game for the command line: `train GAME --algorithm LEARNER`."""

import os
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer

from closedhand.cli import common
from closedhand.core.agent_spec import AgentSpec, split_agents
from closedhand.core.agents import traits_of
from closedhand.core.cubins import FOLDER
from closedhand.core.file_kinds import CHECKPOINT, HISTORY, NETWORK, FileKind, begun
from closedhand.core.game import Game, InputError
from closedhand.core.optional_imports import imported, require
from closedhand.core.options import Option, Options, options_of, takes
from closedhand.core.registry import load
from closedhand.core.run import Watch
from closedhand.core.statistics import Estimate
from closedhand.core.threads import MOST_THREADS
from closedhand.learning.algorithms import LEARNERS, ON_GPU

COMMON = (
    Option("against", "random", "agents of the evaluation"),
    Option("steps", None, "total number of decisions, instead of a time", int, least=1),
    Option("threads", 1, "threads of PyTorch", least=1, most=MOST_THREADS),
    Option("setting", (), "settings, texts `key=value`", object),
)
OPPONENTS = Option("opponents", None, "opponents in training: agents, `self` or `pool`", str)
RAY = Option("ray", None, "address of a Ray cluster that plays the games", str)
RECORDS = Option("records", None, "records to learn from, a file or a folder", object)
DEVICE = Option("device", "auto", "where to learn: cpu, cuda, or auto", str)
EXPERT = Option("expert", None, "agent whose moves to learn", str)


def trainer(*own: Option) -> Callable[..., None]:
    """Make the function that trains a learner, with `COMMON` and its `own` options."""
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
        """Train a network, show its evaluations, and save it for the agent `learned`."""
        from closedhand.learning.population import POOL, SELF

        require("tensorboard")
        chosen = options.complete(given)
        if chosen.get("records") and chosen.get("ray"):
            raise InputError("a cluster plays games, but these are recorded: leave out --ray")
        # Arguments of the learner's class besides those of every learner.
        more = {each.name: chosen[each.name] for each in own if each not in (RAY, DEVICE)}
        if "opponents" in more:
            more["opponents"] = split_agents(more["opponents"]) if more["opponents"] else []
        cls, device = load(LEARNERS[algorithm]), "cpu"
        if DEVICE in own:
            device = device_for(chosen["device"], chosen["opponents"], chosen["ray"])
            if device != "cpu":
                cls, more = load(ON_GPU[algorithm]), {"device": device}
        table = settings_of(algorithm, on_gpu=device != "cpu")
        settings = cls.settings_type(
            **table.read(common.given_pairs(chosen["setting"], "a setting"))
        )
        learner = cls(
            game, settings, seed, against=split_agents(chosen["against"]),
            threads=chosen["threads"], **more,
        )  # fmt: skip
        playing = {*more.get("opponents", ()), more.get("expert")} - {SELF, POOL, None}
        common.refuse_clocked(learner.features.game, playing, chosen.get("ray"))
        run = prepare(learner, folder, restart)
        if DEVICE in own:
            many = "" if device == "cpu" else f", {settings.games:,} games side by side"
            common.note(f"learning on {device}{many}")
        steps = chosen["steps"]
        with common.cluster_at(chosen.get("ray")) as remote:
            if remote is not None:
                learner.remote = remote
                cores, pieces = remote.cores, learner.settings.pieces
                if cores > pieces:
                    advice = f"try --set pieces={cores}"
                    common.note(
                        f"pieces={pieces} gives work to {pieces} of {cores} cores: {advice}"
                    )
            work(run, folder, None if steps else run.seconds + seconds, steps)
        typer.echo(f"saved {folder}: play it as the agent {AgentSpec('learned', {}, str(folder))}")
        common.leave_if_interrupted(run.interrupted)

    return learn


def device_for(asked: str, opponents: str | None, ray: str | None) -> str:
    """Return the device to learn on: `cpu`, `cuda`, or one such as `cuda:1`.

    `auto` takes a GPU if there is one, if numba-cuda or the variable CLOSEDHAND_CUBINS provides
    its kernels, and if neither opponents nor a cluster (`ray`) are asked for.

    Raises:
        InputError: There is no such device, or opponents or a cluster are asked for on a GPU.
    """
    from closedhand.envs.device import check_device

    if asked == "auto":
        ready = find_spec("numba_cuda") is not None or FOLDER in os.environ
        fits = ready and opponents is None and ray is None
        return "cuda" if fits and imported("torch").cuda.is_available() else "cpu"
    device = check_device(asked)
    if device.type == "cpu":
        return "cpu"
    if opponents is not None or ray is not None:
        raise InputError("learners on a GPU play themselves there: leave out --opponents and --ray")
    return str(device)


learn = trainer(OPPONENTS)
learn_on_devices = trainer(OPPONENTS, RAY, DEVICE)
imitate = trainer(RAY, RECORDS, EXPERT)


def prepare(learner: Any, folder: Path, restart: bool) -> Any:
    """Return a run of a learner: the one in the folder if there is one, else a new one.

    With `restart` the run is new, and files of the old run that it would not overwrite are removed.

    Raises:
        InputError: The folder cannot be written to; its files are of another program, or of an
            agent that the learner plays against, imitates or is judged by; or, without `restart`,
            it holds a run with other settings.
    """
    from closedhand.learning import agent_factory, population, runs

    results = {
        agent_factory.NAME: NETWORK,
        runs.CHECKPOINT: CHECKPOINT,
        runs.HISTORY: HISTORY,
        population.OPPONENTS: FileKind("a list of opponents", begun(f"{population.HEADING}\n")),
    }
    refuse_agents_in(learner, [folder / name for name in results])
    common.make_folder(folder, results)
    checkpoint = folder / runs.CHECKPOINT
    run = runs.begin(learner, folder)
    if restart and checkpoint.exists():  # without a checkpoint the files may be of another program
        runs.clear(folder)
    if run.resume_if_kept(restart):
        common.note(f"resuming after {learner.decisions:,} decisions")
    return run


def refuse_agents_in(learner: Any, results: list[Path]) -> None:
    """Refuse to replace files of agents that a learner plays against, imitates or is judged by."""
    written = {os.path.realpath(path) for path in results}
    for agent in (*learner.opponents, *learner.against, learner.sources().get("expert")):
        files: tuple[Path, ...] = ()
        with suppress(InputError):  # self, pool, or the name of an expert in records
            files = traits_of(learner.features.game, agent).files if agent else ()
        for file in files:
            if os.path.realpath(file) in written:
                raise InputError(f"{file} is a file of the agent {agent}: name another --out")


def settings_of(algorithm: str, on_gpu: bool = False) -> Options:
    """Return the table of settings that `--set` of an algorithm takes, or refuse the algorithm."""
    if on_gpu and algorithm not in ON_GPU:
        raise InputError(f"{algorithm} does not learn on a GPU; {' and '.join(ON_GPU)} do")
    places = ON_GPU if on_gpu else LEARNERS
    if algorithm not in places:
        raise InputError(f"no learner {algorithm!r} takes --set; there are {', '.join(LEARNERS)}")
    return options_of(load(places[algorithm]).settings_type, algorithm)


def work(run: Any, folder: Path, seconds: float | None, steps: int | None) -> None:
    """Let a run work until its time is up, or a number of decisions is reached; print its history.

    Both limits count from the beginning of the run, also after a resumption; None: no limit. Logs
    for TensorBoard go to a folder in `folder`, that of the run.
    """
    from closedhand.learning.runs import BOARD, board

    learner = run.learner
    with board(folder / BOARD, learner.decisions) as add:

        def report(entry: dict[str, Any]) -> None:
            common.note(line_of(entry))
            add(entry)

        run.on_evaluation = report
        limit = {} if seconds is None else {"limit": seconds}
        over = {} if steps is None else {"over": lambda: learner.decisions >= steps}
        run.work(**limit, **over)
        if not run.interrupted:
            with Watch() as watch:  # a Ctrl-C ends the evaluation, and what is learned is saved
                run.note()
            run.interrupted = watch.interrupted
        run.save()


def line_of(entry: dict[str, Any]) -> str:
    """Write an entry of a history as a line."""
    words = [
        f"{entry['decisions']:,} decisions",
        f"{entry['decisions_per_second']:,.0f}/s",
        f"{entry['games_per_second']:,.0f} games/s",
    ]
    for name, value in entry.items():
        if isinstance(value, float) and not name.endswith("second") and name != "seconds":
            words.append(f"{name.replace('_', ' ')} {value:.3f}")
    for agent, score in entry["against"].items():
        won = f", won {score['won'][0]:.1%}" if "won" in score else ""
        words.append(f"v {agent} {Estimate(*score['points']).text('+.3f')}{won}")
    return "; ".join(words)
