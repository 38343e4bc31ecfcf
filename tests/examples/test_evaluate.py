"""The code of the page about models of other libraries plays their models."""

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "evaluate.md").read_text("utf-8")
FIRST, *BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)
SECTIONS = re.findall(r"^## (.*)$", PAGE, re.M)
ID = "closedhand/DouDizhu-v0"
OPTIONS: dict[str, Any] = {"substeps": True, "objective": "win", "observation": "compact"}


def evaluated(section: str, **names: Any) -> None:
    """Run the code of a section, which plays a match."""
    exec(compile(FIRST, "evaluate", "exec"), names)
    found: list[Any] = []
    evaluate = names["evaluate"]
    names["evaluate"] = lambda act: found.append(evaluate(act, deals=3))
    block = BLOCKS[SECTIONS.index(section)]
    exec(compile(block, section, "exec"), names)
    [score] = found
    assert str(score).startswith("mine against random: won")


def network(torch: Any) -> Any:
    from closedhand import make_game

    game = make_game("doudizhu", substeps=True, objective="win")
    return torch.nn.Linear(game.feature_size, game.num_actions)


pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("in_empty_folder"),
    pytest.mark.filterwarnings("ignore"),
]


def test_every_section_has_a_block() -> None:
    assert SECTIONS == ["Stable-Baselines3", "PyTorch and CleanRL", "TorchRL", "RLlib"]
    assert len(BLOCKS) == len(SECTIONS)


def test_a_zip_of_stable_baselines3_plays() -> None:
    pytest.importorskip("sb3_contrib")
    import gymnasium
    from sb3_contrib import MaskablePPO

    from closedhand.wrappers.sb3 import SB3VecEnv

    envs = gymnasium.make_vec(ID, 4, opponents="rule", autoreset_mode="SameStep", **OPTIONS)
    MaskablePPO("MlpPolicy", SB3VecEnv(envs), n_steps=8, batch_size=8).save("runs/evaluate/model")
    evaluated("Stable-Baselines3")


def test_a_state_dict_of_a_network_plays() -> None:
    torch = pytest.importorskip("torch")
    Path("runs/evaluate").mkdir(parents=True)
    torch.save(network(torch).state_dict(), "runs/evaluate/network.pt")
    evaluated("PyTorch and CleanRL", network=network(torch))


def test_a_state_dict_of_torchrl_plays() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("torchrl")
    from tensordict.nn import TensorDictModule
    from torchrl.modules import MaskedCategorical, ProbabilisticActor

    Path("runs/evaluate").mkdir(parents=True)
    actor = ProbabilisticActor(
        TensorDictModule(network(torch), ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
    )
    torch.save(actor.state_dict(), "runs/evaluate/actor.pt")
    evaluated("TorchRL", actor=actor)


def test_a_checkpoint_of_rllib_plays() -> None:
    ppo = pytest.importorskip("ray.rllib.algorithms.ppo")
    from closedhand.wrappers.rllib import self_play

    config = self_play(ppo.PPOConfig(), "doudizhu", substeps=True, objective="win")
    algorithm = config.env_runners(num_env_runners=0).build_algo()
    algorithm.save_to_path(str(Path("runs/evaluate/rllib").resolve()))
    evaluated("RLlib")
