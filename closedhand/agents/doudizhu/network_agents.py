"""Agents by networks: what is known of them before PyTorch is imported, which takes seconds.

They are `policy-net` and `policy-search` (`deeprocket/`), `ppo` and `douzero`.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from closedhand.agents.doudizhu.search.agent import search_settings, searching
from closedhand.agents.doudizhu.value_net.playouts import SIMULATION
from closedhand.agents.doudizhu.variants import check_three
from closedhand.core import agents
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described
from closedhand.core.files import SHIPPED, within
from closedhand.core.game import Game, InputError
from closedhand.learning.agent_factory import MODULES
from closedhand.search.budget import SearchArgument, Threads, Worlds

if TYPE_CHECKING:
    from closedhand.agents.doudizhu.deeprocket.policy_net import PolicyNetAgent
    from closedhand.agents.doudizhu.douzero import DouZeroAgent

SHIPPED_FILES = {
    "policy": SHIPPED / "doudizhu_policy.safetensors",
    "kicker": SHIPPED / "doudizhu_kicker.safetensors",
}
DOUZERO_FILES = ("landlord.ckpt", "landlord_down.ckpt", "landlord_up.ckpt")
"""The networks of DouZero by role: seats after the landlord."""


def policy_files(argument: str | None) -> dict[str, Path]:
    """The files of the two networks of `policy-net`, by kind.

    Args:
        argument: Folder with `policy.safetensors` and, optionally, `kicker.safetensors`; or file of
            a policy network, with an optional `kicker.safetensors` in the same folder. Without
            one, the kicker network of this package is used. None: both networks of this package.
    """
    if argument is None:
        return dict(SHIPPED_FILES)
    path = Path(argument)
    policy = within(path, "policy.safetensors")
    kicker = policy.parent / "kicker.safetensors"
    found = os.path.exists(kicker)
    return {"policy": policy, "kicker": kicker if found else SHIPPED_FILES["kicker"]}


def describe_policy_net(game: Game, argument: str | None) -> Traits:
    """The traits of `policy-net`, known before it plays."""
    return Traits(agents.files_of(argument), microseconds=90)


@described(describe_policy_net, needs=MODULES)
def make_policy_net(game: Game, seed: int, argument: str | None) -> "PolicyNetAgent":
    """The agent `policy-net`, `policy-net:FOLDER` or `policy-net:FILE`; it ignores the seed.

    Raises:
        InputError: A network is missing, a file is not a network, or it is a game of two.
    """
    check_three(game, "policy-net")
    from closedhand.agents.doudizhu.deeprocket.policy_net import load

    name = str(AgentSpec("policy-net", argument=argument))
    return load(game, name, **policy_files(argument))


@searching("policy-search", SIMULATION, needs=MODULES)
def make_policy_search(
    game: Game,
    seed: int,
    argument: SearchArgument,
    threads: Threads = None,
    worlds: Worlds = None,
) -> agents.Agent:
    """The agent `policy-search`; it takes what `search` takes, but the path is that of networks.

    Raises:
        InputError: The argument is invalid, or it is a game of two.
    """
    check_three(game, "policy-search")
    name, budget = search_settings("policy-search", argument, threads, worlds)
    from closedhand.agents.doudizhu.deeprocket.policy_search import PolicySearchAgent

    return PolicySearchAgent(game, name, seed, policy_files(argument.path), **budget)


def douzero_files(argument: str | None) -> tuple[Path, ...]:
    """The files of the networks of DouZero in a folder, by role.

    Raises:
        InputError: No folder is given.
    """
    if argument is None:
        raise InputError(f"the agent douzero takes a folder with {', '.join(DOUZERO_FILES)}")
    return tuple(Path(argument) / file for file in DOUZERO_FILES)


def describe_douzero(game: Game, argument: str | None) -> Traits:
    """The traits of `douzero`, known before it plays.

    Raises:
        InputError: No folder is given.
    """
    return Traits(douzero_files(argument), microseconds=2000)


@described(describe_douzero, needs=("torch",))
def make_douzero(game: Game, seed: int, argument: str | None) -> "DouZeroAgent":
    """The agent `douzero:FOLDER`; it is deterministic and ignores the seed.

    Raises:
        InputError: A network is missing, a file is not one, or it is a game of two.
    """
    check_three(game, "douzero")
    from closedhand.agents.doudizhu.douzero import DouZeroAgent, load

    networks = [load(path, role) for role, path in enumerate(douzero_files(argument))]
    return DouZeroAgent(game, str(AgentSpec("douzero", argument=argument)), networks)
