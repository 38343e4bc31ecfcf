"""The command `compile`: compile kernels ahead of their use, for a CPU by calling them."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from closedhand.cli.common import GameNames, Options, Rules, bind, make_folder, note
from closedhand.core.agent_spec import split_agents
from closedhand.core.checks import InputError
from closedhand.core.file_kinds import FileKind, begun
from closedhand.core.game import Game
from closedhand.core.registry import GAMES, spec_of


def _play(game: Game) -> None:
    """Play one game move by move, and call the functions that search needs."""
    rng = np.random.default_rng(0)
    state = game.deal(rng)
    while not game.over(state):
        view = game.view(state, state.player)
        game.redeal(view, state.player, rng)
        game.observe(view, state.player)
        game.features(view, state.player)
        game.play(state, game.sample(rng, state))
    game.returns(state)


def _batch(game: Game) -> None:
    from closedhand.core import batch

    rng = np.random.default_rng(0)
    states = batch.deal_random(game, 2, rng)
    batch.observe(game, states)
    batch.views(game, states)
    batch.legal_masks(game, states)
    batch.step(game, states, batch.sample(game, states, rng))
    batch.returns(game, batch.playouts(game, states, rng))


def _envs(game: Game) -> None:
    from closedhand.envs.aec import GameAEC
    from closedhand.envs.solo import SoloEnv
    from closedhand.envs.vector import GameVectorEnv

    aec = GameAEC(game)
    aec.reset(seed=0)
    aec.step(int(np.argmax(aec.observe(aec.agent_selection)["action_mask"])))
    opponents = (spec_of(game.name).opponent, "random")
    vectors = [GameVectorEnv(game, 2, reward="seats")]
    vectors += [GameVectorEnv(game, 2, opponents=each) for each in opponents]
    for vector in vectors:
        _, infos = vector.reset(seed=0)
        vector.step(infos["action_mask"].argmax(axis=1))
    for each in opponents:
        solo = SoloEnv(game, opponents=each)
        _, info = solo.reset(seed=0)
        solo.step(info["action_mask"].argmax())


def _agents(game: Game) -> None:
    from closedhand.core import batch
    from closedhand.core.agents import make_agent
    from closedhand.core.duplicate import play_out

    names = [spec_of(game.name).opponent, "random"]
    agents = [make_agent(game, name, seed=0) for name in names]
    seats = np.array([[i % 2 for i in range(game.num_players)]])
    play_out(game, batch.deal(game, [1]), seats, agents)


def _hints(game: Game) -> None:
    from closedhand.arena.hints import hints
    from closedhand.core.agents import make_adviser

    state = game.deal(np.random.default_rng(0))
    adviser = make_adviser(game, spec_of(game.name).opponent, seed=0)
    hints(game, game.view(state, int(state["player"])), adviser, seconds=1e-9)


def _for_gpu(game: Game, arch: str, agents: list[str], folder: Path | None) -> None:
    """Compile the kernels of a game for a GPU into a folder, by default the cache."""
    from closedhand.core import cubins
    from closedhand.envs.device import kernels_of

    kernels = list(kernels_of(game, agents, arch))
    if folder is None:
        folder = cubins.kept()
    else:
        kind = FileKind("a compiled kernel", begun(cubins.MAGIC.decode()))
        make_folder(folder, {cubins.file_name(*kernel, arch): kind for kernel in kernels})
    for name, arguments in kernels:
        start = time.perf_counter()
        code = cubins.compile_to(folder, name, arguments, arch)
        note(
            f"{game.name} {name} for {arch}: {len(code.image) / 1e6:.2f} MB, {code.registers} "
            f"registers, {code.stack} bytes of stack ({time.perf_counter() - start:.0f} s)"
        )


ROUTES: tuple[Callable[[Game], None], ...] = (_play, _batch, _envs, _agents, _hints)


def compile(
    games: GameNames = None,
    gpu: Annotated[str | None, typer.Option(metavar="ARCH")] = None,
    agents: str | None = None,
    out: Path | None = None,
    rules: Rules = None,
    option: Options = None,
) -> None:
    """Compile the kernels of games ahead of their first use.

    Covers the game itself, batches, the environments as they are by default, the default opponents,
    and hints. Binaries are kept in NUMBA_CACHE_DIR; by default beside the package, or in the user's
    cache folder if that is not writable. One compilation serves all rules with the same actions;
    others, such as sub-steps, are compiled with --option. Kernels for a GPU are files of their own:
    a program that finds them in the folder of CLOSEDHAND_CUBINS needs no compiler.

    Example: closedhand compile doudizhu --option substeps=true

    Options:
        gpu: Compile for a GPU of this architecture instead, such as sm_90; none is needed.
        agents: With --gpu: agents to be compiled as well, separated by commas.
        out: With --gpu: folder of the compiled kernels; by default the cache.
    """
    if gpu is None and (agents is not None or out is not None):
        raise InputError("--agents and --out are for --gpu")
    for name in games or list(GAMES):
        game = bind(name.replace("-", "_"), rules, option)
        start = time.perf_counter()
        if gpu is not None:
            _for_gpu(game, gpu, split_agents(agents) if agents else [], out)
            continue
        for route in ROUTES:
            route(game)
        note(f"{game.name} is compiled ({time.perf_counter() - start:.1f} s)")
