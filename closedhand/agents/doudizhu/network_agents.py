"""Factories and traits of the agents `policy-net`, `policy-search` and `douzero`.

These agents need PyTorch, whose import takes seconds. Traits are known without it.
"""

import os
from functools import partial
from pathlib import Path
from typing import Annotated

from closedhand.agents.doudizhu.limits import check_three
from closedhand.agents.doudizhu.search.agent import search_settings
from closedhand.agents.doudizhu.value_net.value_search import SIMULATION
from closedhand.core import agents
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described
from closedhand.core.files import SHIPPED, within
from closedhand.core.game import Game, InputError
from closedhand.learning.agent_factory import MODULES
from closedhand.search.budget import SearchArgument, Threads, Worlds, read_budget

SHIPPED_FILES = {
    "policy": SHIPPED / "doudizhu_policy.safetensors",
    "kicker": SHIPPED / "doudizhu_kicker.safetensors",
}
"""Files of the package's networks by kind, which learned from games of `value-net`."""
TUNED_FILES = {**SHIPPED_FILES, "policy": SHIPPED / "doudizhu_policy_tuned.safetensors"}
"""The policy network after tuning in self-play, and the kicker network of `SHIPPED_FILES`."""
DOUZERO_FILES = ("landlord.ckpt", "landlord_down.ckpt", "landlord_up.ckpt")
"""Files of DouZero's networks by role: landlord, down peasant, up peasant."""


Tuned = Annotated[bool, "the package's networks tuned in self-play, not the supervised ones"]


def policy_files(argument: str | None, tuned: bool = False) -> dict[str, Path]:
    """Find the files of the two networks of `policy-net`, by kind.

    `argument` is a folder with `policy.safetensors`, or the file of a policy network; None: the
    package's networks, supervised or `tuned` in self-play. The kicker network is
    `kicker.safetensors` in the same folder, or the package's if there is none. An `InputError`
    refuses an argument together with `tuned`.
    """
    if argument is None:
        return dict(TUNED_FILES if tuned else SHIPPED_FILES)
    if tuned:
        raise InputError(f"tuned=1 names networks of the package: leave it out, or {argument!r}")
    path = Path(argument)
    policy = within(path, "policy.safetensors")
    kicker = policy.parent / "kicker.safetensors"
    found = os.path.exists(kicker)
    return {"policy": policy, "kicker": kicker if found else SHIPPED_FILES["kicker"]}


def files_of(argument: str | None) -> tuple[Path, ...]:
    """List the existing files of `policy-net` with an argument, without those of the package."""
    files = {*agents.files_of(argument), *policy_files(argument).values()}
    return tuple(sorted(filter(os.path.isfile, files - {*SHIPPED_FILES.values()})))


@described(
    lambda game, argument, tuned=False: Traits(
        files_of(argument), microseconds=90 if tuned else 200, variants=("tuned=1",)
    ),
    needs=MODULES,
    plays=("policy.safetensors", "policy-net:{}"),
)
def make_policy_net(
    game: Game, seed: int, argument: str | None, tuned: Tuned = False
) -> agents.Agent:
    """Make `policy-net`, `policy-net[tuned=1]`, `policy-net:FOLDER` or `policy-net:FILE`.

    Raises:
        InputError: A network is missing, a file is not a network, both an argument and `tuned` are
            given, or the game has two players.
    """
    check_three(game, "policy-net")
    from closedhand.agents.doudizhu.deeprocket.policy_net import load

    name = str(AgentSpec("policy-net", {"tuned": 1} if tuned else {}, argument))
    return load(game, name, **policy_files(argument, tuned))


@described(
    lambda game, argument, **_: argument.traits(SIMULATION, files_of),
    needs=MODULES,
    reads=partial(read_budget, "policy-search", "100ms"),
)
def make_policy_search(
    game: Game, seed: int, argument: SearchArgument, threads: Threads = None, worlds: Worlds = None
) -> agents.Agent:
    """Make the agent `policy-search`; it takes the arguments of `search`.

    The path names networks, as for `policy-net`; without a path those tuned in self-play are used.

    Raises:
        InputError: The budget is 0, a network cannot be read, or the game has two players.
    """
    check_three(game, "policy-search")
    name, budget = search_settings("policy-search", argument, threads, worlds)
    from closedhand.agents.doudizhu.deeprocket.policy_net import PolicySearchAgent

    files = policy_files(argument.path, tuned=argument.path is None)
    return PolicySearchAgent(game, name, seed, files, **budget)


def douzero_files(argument: str | None) -> tuple[Path, ...]:
    """Name the files of DouZero's networks in a folder, by role; None raises an `InputError`."""
    if argument is None:
        raise InputError(f"the agent douzero takes a folder with {', '.join(DOUZERO_FILES)}")
    return tuple(Path(argument) / file for file in DOUZERO_FILES)


@described(
    lambda game, argument: Traits(douzero_files(argument), microseconds=2000),
    needs=("torch",),
    plays=(DOUZERO_FILES[0], "douzero:{}"),
)
def make_douzero(game: Game, seed: int, argument: str | None) -> agents.Agent:
    """Make the agent `douzero:FOLDER`; ignore the seed.

    Raises:
        InputError: There is no folder, a network cannot be read, or the game has two players.
    """
    check_three(game, "douzero")
    from closedhand.agents.doudizhu.douzero import DouZeroAgent, load

    networks = [load(path, role) for role, path in enumerate(douzero_files(argument))]
    return DouZeroAgent(game, str(AgentSpec("douzero", argument=argument)), networks)
