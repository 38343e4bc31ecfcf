"""The ids of all envs, in PettingZoo's registry and in Gymnasium's.

Entry points are names: nothing is imported, let alone compiled, before an env is made.
"""

import inspect
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

import gymnasium
import pettingzoo

from closedhand.core import registry

PAGES = ("planes", "substeps", "compact")
"""Modules of a game whose docstrings belong to the page of its envs."""


@dataclass(frozen=True)
class Environment:
    """A game's entries in the two registries.

    Attributes:
        game: Name for `make_game`.
        aec_id: For `pettingzoo.make("aec", ...)`.
        gymnasium_id: For `gymnasium.make` and `gymnasium.make_vec`.
        parallel_id: For `pettingzoo.make("parallel", ...)`, if the players act simultaneously.
    """

    game: str
    aec_id: str
    gymnasium_id: str
    parallel_id: str | None = None

    @property
    def doc(self) -> str:
        """The page of the envs, Markdown: the game, its options, observations and actions."""
        package = registry.package(self.game)
        pages = [
            import_module(f"{package.__name__}.{name}")
            for name in PAGES
            if find_spec(f"{package.__name__}.{name}")
        ]
        return "\n\n".join(inspect.getdoc(page) or "" for page in (package, package.make, *pages))


ENVIRONMENTS = {
    "doudizhu": Environment("doudizhu", "closedhand/doudizhu-v0", "closedhand/DouDizhu-v0"),
    "daihinmin": Environment("daihinmin", "closedhand/daihinmin-v0", "closedhand/Daihinmin-v0"),
    "uh_leduc": Environment("uh_leduc", "closedhand/uh_leduc-v0", "closedhand/UHLeduc-v0"),
    "leduc": Environment("leduc", "closedhand/leduc-v0", "closedhand/Leduc-v0"),
    "chinese_poker": Environment(
        "chinese_poker",
        "closedhand/chinese_poker-v0",
        "closedhand/ChinesePoker-v0",
        parallel_id="closedhand/chinese_poker-v0",
    ),
}
"""The envs of every game, by the game's name."""


def register_all() -> None:
    """Enter all envs into the registries; a second time does nothing."""
    for name, environment in ENVIRONMENTS.items():
        if environment.gymnasium_id in gymnasium.registry:
            continue
        pettingzoo.register(
            "aec", environment.aec_id, "closedhand.envs.aec:env", kwargs={"game": name}
        )
        if environment.parallel_id:
            pettingzoo.register(
                "parallel",
                environment.parallel_id,
                "closedhand.envs.parallel:parallel_env",
                kwargs={"game": name},
            )
        gymnasium.register(
            environment.gymnasium_id,
            "closedhand.envs.solo:SoloEnv",
            vector_entry_point="closedhand.envs.vector:GameVectorEnv",
            kwargs={"game": name},
        )
