"""The commands `train policy-net`, `train kicker-net` and `train self-play`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from closedhand.cli import common
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.file_kinds import NETWORK, TORCH_CHECKPOINT, FileKind
from closedhand.core.parsing import parse_whole
from closedhand.core.reading import read_json
from closedhand.core.statistics import Estimate
from closedhand.core.threads import MOST_THREADS

Out = Annotated[
    Path, typer.Option(help="Folder for the network; training resumes if it holds one.")
]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_THREADS,
        help="Number of CPU threads; all cores if absent, fewer on a busy machine.",
    ),
]


def _is_history(path: Path) -> bool:
    found = read_json(path)
    return bool(found) and found.keys() <= {"policy", "kicker", "self-play"}


CHECKS = FileKind("the history of a training", _is_history)


def network(
    context: typer.Context,
    records: common.PathOption,
    out: Out,
    size: str = "small",
    minutes: common.PositiveOrNone = None,
    steps: common.NumberOrNone = None,
    batch: common.Number = 256,
    seed: common.Seed = 0,
    roles: Annotated[bool, typer.Option("--roles")] = False,
    status: bool | None = None,
    skips: bool = True,
    strides: bool | None = None,
    plain: Annotated[bool, typer.Option("--plain")] = False,
    role: str | None = None,
    expert: str | None = None,
    select: Annotated[str | None, typer.Option(metavar="AGENT")] = None,
    start: Annotated[Path | None, typer.Option("--from", metavar="FILE")] = None,
    device: str = "auto",
    devices: str = "auto",
    threads: Threads = None,
    precision: str | None = None,
    restart: common.Restart = False,
) -> None:
    """Train a network of Dou Dizhu on records; Ctrl-C saves and stops.

    Give --minutes or --steps; the learning rate falls to zero at their end. Saves the network that
    predicts held-out deals best, or with --select the one that plays best, as
    OUT/policy.safetensors or OUT/kicker.safetensors, and OUT/history.json.

    Example: closedhand train policy-net --records runs/games --minutes 10 --out runs/net

    Options:
        records: Folder of shards from `records generate`, one shard, or a file of records.
        size: Size of the network: small, wide (policy-net only) or paper, with 96, 144 and 512
            filters; paper is for a GPU.
        minutes: Minutes to train, including those before a resumption.
        steps: Number of batches.
        batch: Decisions per batch on each device.
        seed: Seed of the first weights and the order.
        roles: Give each role a fully connected layer of its own.
        status: Input role, cards left and bombs, too; by default only in policy-net.
        skips: Bridge convolutions by skip connections.
        strides: Shorten the rows of the planes by strides; by default only in the size paper.
        plain: Only what the paper's text has: --strides, --no-skips and --no-status.
        role: Learn the decisions of one role: landlord, down or up; all if absent.
        expert: Agent whose decisions to learn from; by default all agents.
        select: Keep the network that wins most of 10,000 duplicate games against an agent, not the
            most accurate one.
        start: Network of the same form whose training goes on, at half the usual learning rate;
            random weights if absent.
        device: Kind of device: auto, cpu or gpu.
        devices: Number of devices, or auto for all.
        precision: Precision, as Lightning names it; by default mixed on a GPU, 32-true on a CPU.
    """
    given = {name: value for name, value in locals().items() if value is not None}
    kind = (given.pop("context").command.name or "").removesuffix("-net")
    if given.pop("plain"):
        given |= {"skips": False, "strides": True, "status": False}
    _train(kind, **given)


def _train(kind: str, records: Path, out: Path, devices: str, restart: bool, **given: Any) -> None:
    """Train the network `policy` or `kicker`; `given`: other fields of `supervised.Settings`."""
    from closedhand.agents.doudizhu.deeprocket import learner, supervised

    common.make_folder(out, {
        f"{kind}.safetensors": NETWORK, f"{kind}.ckpt": TORCH_CHECKPOINT, "history.json": CHECKS,
    })  # fmt: skip
    number = devices if devices == "auto" else parse_whole(devices, "--devices", -1)
    with common.interruptible(), common.percent_bar() as report:
        settings = supervised.Settings(devices=number, **given)
        result = supervised.train(kind, records, out, settings, restart=restart, progress=report)
    common.leave_if_interrupted(not result.history)  # before its first check
    last = result.history[-1]
    kept = max(result.history, key=learner.quality)
    speed, right = f"{last['pairs_per_second']:,} pairs/s", 100 * kept["accuracy"]["all"]
    typer.echo(f"{last['step']:,} steps, {speed}, {right:.1f}% accuracy on held-out deals")
    is_whole = settings.share(last["step"], last["seconds"]) >= 1
    if not is_whole and learner.is_stuck(result.history, settings.patience):
        typer.echo(f"ended early: no better network in the last {settings.patience} checks")
    played = (out / "policy.safetensors").exists()
    agent = AgentSpec("policy-net", {}, str(out))
    typer.echo(f"saved {result.path}" + (f": play it as the agent {agent}" if played else ""))
    common.leave_if_interrupted(result.interrupted)


def self_play(
    out: common.PathOption,
    minutes: common.Positive,
    start: Annotated[str | None, typer.Option("--from", metavar="FOLDER")] = None,
    seed: common.Seed = 0,
    rate: common.PositiveOrNone = None,
    critic: Annotated[str | None, typer.Option(metavar="AGENT")] = None,
    threads: Threads = None,
    restart: common.Restart = False,
) -> None:
    """Fine-tune Dou Dizhu's policy network in self-play; Ctrl-C saves and stops.

    Every deal is played four times, and its games are compared with one another. With --critic it
    is played once, and a value network rates the plays. Saves the networks in OUT, and their wins
    against the networks at the start, with 95% intervals, in OUT/history.json. All evaluations play
    the same 200 deals, so that trainings can be compared; the best of many trainings wins a little
    less often on other deals.

    Example: closedhand train self-play --minutes 10 --out runs/tuned

    Options:
        out: Folder for the networks, not that of --from; resumed if it holds a fine-tuning.
        minutes: Minutes to train, those before a resumption included.
        start: Folder or file of the networks to start from, or `nothing` for random weights; those
            of the package if absent.
        seed: Seed of the deals and decisions.
        rate: Learning rate; 0.0001 if absent, 0.001 with a critic.
        critic: Learn from the values of value-net, or value-net:PATH, instead of the results of the
            games.
    """
    from closedhand.agents.doudizhu.deeprocket import fine_tuning

    common.make_folder(out, {
        "policy.safetensors": NETWORK, "kicker.safetensors": NETWORK,
        "self-play.ckpt": TORCH_CHECKPOINT, "history.json": CHECKS,
    })  # fmt: skip
    settings = fine_tuning.Settings(seed, rate, critic=critic)
    nothing = "interrupted before a step was done; nothing more is saved"
    with common.interruptible(nothing), common.percent_bar() as report:
        result = fine_tuning.train(
            start, out, minutes, settings, threads=threads, restart=restart, progress=report
        )
    if result.history:
        last = result.history[-1]
        won, interval = Estimate(*last["won"]).cells(".1%")
        typer.echo(
            f"{last['games']:,} games, {last['games_per_second']:.0f} games/s: "
            f"wins {won} ({interval}) against the start in duplicate"
        )
    typer.echo(f"saved {result.path}: play it as the agent {AgentSpec('policy-net', {}, str(out))}")
    common.leave_if_interrupted(result.interrupted)
