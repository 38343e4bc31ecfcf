"""The command `bench`: how fast games are on this machine."""

from itertools import product
from typing import Annotated

import typer

from closedhand.cli import common
from closedhand.core.agent_spec import split_agents
from closedhand.core.agents import make_agent
from closedhand.core.machine import machine
from closedhand.core.registry import GAMES, spec_of


def bench(
    games: common.GameNames = None,
    number: Annotated[int | None, typer.Option("--games", min=1)] = None,
    agents: str | None = None,
    device: str = "cpu",
    seconds: common.Positive = 1.0,
    rules: common.Rules = None,
    option: common.Options = None,
    json: common.Json = False,
) -> None:
    """Measure how fast games, environments and agents are on this machine.

    Moves are random, except in rates of agents. On the CPU, seconds are processor time of a core.

    Example: closedhand bench doudizhu --option substeps=true --agents rule,decompose

    Options:
        number: Games side by side; 1,024 if absent, on a GPU 16,384.
        agents: Agents to measure, separated by commas; on a GPU those of kernels.
        device: cpu: one core; cuda: games as tensors on a GPU.
        seconds: Time to measure each figure.
    """
    from closedhand.arena.speed import on_cpu, on_device
    from closedhand.envs.device import kernel_policy

    names = split_agents(agents) if agents else []
    about, rows = machine("closedhand", "numba", "numpy"), []
    bound = [common.bind(name.replace("-", "_"), rules, option) for name in games or list(GAMES)]
    for game, agent in product(bound, names):
        # An agent that cannot play a game is refused before anything is measured.
        player = make_agent(game, agent)
        if device != "cpu":
            kernel_policy(player)
    for game in bound:
        if device == "cpu":
            figures = on_cpu(game, number or 1024, names, spec_of(game.name).opponent, seconds)
        else:
            figures = on_device(game, number or 16384, names, device, seconds)
        rows += [{"game": game.name, **figure._asdict()} for figure in figures]
    if json:
        common.print_json({"machine": about, "device": device, "figures": rows})
        return
    common.print_table(
        ("game", "what", ">a second", ""),
        [(row["game"], row["what"], f"{row['rate']:,.0f}", row["unit"]) for row in rows],
        title=", ".join(f"{key} {value}" for key, value in about.items()),
    )
