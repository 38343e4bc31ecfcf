"""The commands `train policy-net`, `train kicker-net` and `train self-play`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from closedhand.cli import common
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.file_kinds import NETWORK, TORCH_CHECKPOINT, FileKind, object_within
from closedhand.core.parsing import parse_whole
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


CHECKS = FileKind("the history of a training", object_within(("policy", "kicker", "self-play")))


def network(
    context: typer.Context,
    records: Annotated[
        Path,
        typer.Option(
            help="Folder of shards from `records generate`, one shard, or a file of records."
        ),
    ],
    out: Out,
    size: Annotated[
        str, typer.Option(help="Size of the network: small, or paper with 512 filters, for a GPU.")
    ] = "small",
    minutes: Annotated[
        float | None,
        typer.Option(
            help="Minutes to train, including those before a resumption.", callback=common.positive
        ),
    ] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Number of batches.")] = None,
    batch: Annotated[int, typer.Option(min=1, help="Pairs per batch on each device.")] = 256,
    seed: Annotated[int, common.seed_option("Seed of the first weights and the order.")] = 0,
    roles: Annotated[
        bool, typer.Option("--roles", help="Give each role a fully connected layer of its own.")
    ] = False,
    status: Annotated[
        bool | None,
        typer.Option(
            help="Show the network role and cards left; by default only to the policy network."
        ),
    ] = None,
    skips: Annotated[
        bool, typer.Option("--skips/--no-skips", help="Bridge convolutions by skip connections.")
    ] = True,
    strides: Annotated[
        bool | None,
        typer.Option(
            "--strides/--no-strides",
            help="Shorten the rows of the planes by strides; by default only in the size paper.",
        ),
    ] = None,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain", help="Only what the paper's text has: --strides, --no-skips and --no-status."
        ),
    ] = False,
    role: Annotated[
        str | None,
        typer.Option(help="Learn the decisions of one role: landlord, down or up; all if absent."),
    ] = None,
    expert: Annotated[
        str | None, typer.Option(help="Agent whose decisions to learn from; by default all agents.")
    ] = None,
    select: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT",
            help="Keep the network that wins most of 10,000 duplicate games against an agent, not "
            "the most accurate one.",
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Network of the same form whose training goes on, at half the usual learning "
            "rate; random weights if absent.",
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="Kind of device: auto, cpu or gpu.")] = "auto",
    devices: Annotated[str, typer.Option(help="Number of devices, or auto for all.")] = "auto",
    threads: Threads = None,
    precision: Annotated[
        str | None,
        typer.Option(
            help="Precision, as Lightning names it; by default mixed on a GPU, 32-true on a CPU."
        ),
    ] = None,
    restart: common.Restart = False,
) -> None:
    """Train a network of Dou Dizhu on records; Ctrl-C saves and stops.

    Give --minutes or --steps; the learning rate falls to zero at their end. Saves the network that
    predicts held-out deals best, or with --select the one that plays best, as
    OUT/policy.safetensors or OUT/kicker.safetensors, and OUT/history.json.

    Example: closedhand train policy-net --records runs/games --minutes 10 --out runs/net
    """
    given = {name: value for name, value in locals().items() if name != "context"}
    if given.pop("plain"):
        given |= {"skips": False, "strides": True, "status": False}
    _train((context.command.name or "").removesuffix("-net"), **given)


def _train(kind: str, records: Path, out: Path, devices: str, restart: bool, **given: Any) -> None:
    from closedhand.agents.doudizhu.deeprocket import supervised

    common.make_folder(out, {
        f"{kind}.safetensors": NETWORK, f"{kind}.ckpt": TORCH_CHECKPOINT, "history.json": CHECKS,
    })  # fmt: skip
    number = devices if devices == "auto" else parse_whole(devices, "--devices", -1)
    with common.interruptible(), common.percent_bar() as report:
        settings = supervised.Settings(devices=number, **given)
        result = supervised.train(kind, records, out, settings, restart=restart, progress=report)
    last = result.history[-1]
    best = max(check["accuracy"]["all"] for check in result.history)
    speed = f"{last['pairs_per_second']:,} pairs/s"
    typer.echo(f"{last['step']:,} steps, {speed}, {100 * best:.1f}% accuracy on held-out deals")
    played = (out / "policy.safetensors").exists()
    agent = AgentSpec("policy-net", {}, str(out))
    typer.echo(f"saved {result.path}" + (f": play it as the agent {agent}" if played else ""))
    common.leave_if_interrupted(result.interrupted)


def self_play(
    out: Annotated[
        Path,
        typer.Option(
            help="Folder for the networks, not that of --from; resumed if it holds a fine-tuning."
        ),
    ],
    minutes: Annotated[
        float,
        typer.Option(
            help="Minutes to train, those before a resumption included.", callback=common.positive
        ),
    ],
    start: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FOLDER",
            help="Folder or file of the networks to start from, or nothing for random weights; "
            "those of the package if absent.",
        ),
    ] = None,
    seed: Annotated[int, common.seed_option("Seed of the deals and decisions.")] = 0,
    penalty: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Penalty per nat of divergence from the start; a game won or lost counts 1. 0.05 "
            "if absent, 0 from nothing and with a critic.",
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            help="Learning rate; 0.0001 if absent, 0.001 with a critic.", callback=common.positive
        ),
    ] = None,
    critic: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT",
            help="Learn from the values of value-net, or value-net:PATH, instead of the results of "
            "the games.",
        ),
    ] = None,
    threads: Threads = None,
    restart: common.Restart = False,
) -> None:
    """Fine-tune Dou Dizhu's policy network in self-play; Ctrl-C saves and stops.

    Every deal is played four times, and the return of a game is compared with the other games of
    its deal; with --critic, a value network rates the plays. Saves the networks in OUT, and their
    wins against the networks at the start, with standard errors, in OUT/history.json. All
    evaluations play the same 200 deals, so that trainings can be compared: the best of many is a
    little better there than on other deals.

    Example: closedhand train self-play --minutes 10 --out runs/tuned
    """
    from closedhand.agents.doudizhu.deeprocket import fine_tuning

    common.make_folder(out, {
        "policy.safetensors": NETWORK, "kicker.safetensors": NETWORK,
        "self-play.ckpt": TORCH_CHECKPOINT, "history.json": CHECKS,
    })  # fmt: skip
    settings = fine_tuning.Settings(seed, penalty, rate, critic=critic)
    nothing = "interrupted before a step was done; nothing more is saved"
    with common.interruptible(nothing), common.percent_bar() as report:
        result = fine_tuning.train(
            start, out, minutes, settings, threads=threads, restart=restart, progress=report
        )
    if result.history:
        last = result.history[-1]
        won, half = 100 * last["win_rate"], 196 * last["win_rate_error"]
        typer.echo(
            f"{last['games']:,} games, {last['games_per_second']:.0f} games/s: "
            f"wins {won:.1f}% ({won - half:.1f} to {won + half:.1f}) against the start in duplicate"
        )
    typer.echo(f"saved {result.path}: play it as the agent {AgentSpec('policy-net', {}, str(out))}")
    common.leave_if_interrupted(result.interrupted)
