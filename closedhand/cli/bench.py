"""The command `bench`: how fast games are on this machine."""

from typing import Annotated

import typer

from closedhand.cli import common
from closedhand.core.agent_spec import split_agents
from closedhand.core.machine import machine
from closedhand.core.registry import GAMES, spec_of

ON_CPU, ON_GPU = 1024, 16384
"""Games side by side, if the user names no number."""


def bench(
    games: common.GameNames = None,
    number: Annotated[
        int | None,
        typer.Option(
            "--games", min=1, help=f"Games side by side; {ON_CPU:,} if absent, on a GPU {ON_GPU:,}."
        ),
    ] = None,
    agents: Annotated[
        str | None,
        typer.Option(help="Agents to measure, separated by commas; on a GPU those of kernels."),
    ] = None,
    device: Annotated[
        str, typer.Option(help="cpu: one core; cuda: games as tensors on a GPU.")
    ] = "cpu",
    seconds: Annotated[
        float, typer.Option(help="Time to measure each figure.", callback=common.positive)
    ] = 1.0,
    rules: common.Rules = None,
    option: common.Options = None,
    json: common.Json = False,
) -> None:
    """Measure how fast games, environments and agents are on this machine.

    Random legal play, except for agents. On the CPU a figure is by processor time of one core.

    Example: closedhand bench doudizhu --option substeps=true --agents rule,decompose
    """
    from closedhand.arena.speed import on_cpu, on_device

    names = split_agents(agents) if agents else []
    about, rows = machine("closedhand", "numba", "numpy"), []
    for name in games or list(GAMES):
        game = common.bind(name.replace("-", "_"), rules, option)
        if device == "cpu":
            opponent = spec_of(game.name).opponent
            figures = on_cpu(game, number or ON_CPU, names, opponent, seconds)
        else:
            figures = on_device(game, number or ON_GPU, names, device, seconds)
        rows += [{"game": game.name, **figure._asdict()} for figure in figures]
    if json:
        common.print_json({"machine": about, "device": device, "figures": rows})
        return
    common.print_table(
        ("game", "what", ">a second", ""),
        [(row["game"], row["what"], f"{row['rate']:,.0f}", row["unit"]) for row in rows],
        title=", ".join(f"{key} {value}" for key, value in about.items()),
    )
