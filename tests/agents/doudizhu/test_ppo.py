"""Training with masks: a short run, its resumption, and the agent that comes of it."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from support import positions

from closedhand import InputError, make_agent, make_game
from closedhand.core.agents import act_batch, probabilities

pytest.importorskip("sb3_contrib")
torch = pytest.importorskip("torch")

from sb3_contrib import MaskablePPO  # noqa: E402

from closedhand.agents.doudizhu import ppo, ppo_network  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

FLAT = make_game("doudizhu")
SUBSTEPS = make_game("doudizhu", substeps=True)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a training of seconds, which was then resumed."""
    out = tmp_path_factory.mktemp("run")
    path, interrupted = ppo.train(out, minutes=0.05, opponents=["random"], games=4, seed=1)
    assert not interrupted
    assert path == out / "model.safetensors"
    first = ppo.read_checkpoint(out / "model.zip")
    with pytest.raises(InputError, match="made with seed 1, not 2"):
        ppo.train(out, minutes=0.05, opponents=["random"], games=4, seed=2)
    ppo.train(out, minutes=0.05, opponents=["random"], games=4, seed=1)
    then = ppo.read_checkpoint(out / "model.zip")
    assert then.about["num_timesteps"] > first.about["num_timesteps"] > 0
    assert then.about["_n_updates"] >= first.about["_n_updates"]
    assert list((out / "tensorboard").rglob("events*"))
    assert [file.name for file in out.iterdir() if "part" in file.name] == []
    return out


@pytest.fixture(scope="module")
def untrained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without any training."""
    out = tmp_path_factory.mktemp("untrained")
    ppo.train(out, minutes=1e-9, opponents=["random"], games=1, seed=5)
    return out


def views_of(game, number: int) -> np.ndarray:
    views = [
        game.view(state, int(state.player))
        for state in positions(game, seed=1, games=number)
        if not game.over(state)
    ]
    return np.array(views, game.dtype)


@pytest.mark.parametrize("game", [FLAT, SUBSTEPS], ids=["flat", "substeps"])
def test_the_file_plays_as_the_network_that_was_trained(model: Path, game) -> None:
    views = views_of(game, 6)
    file, folder, theirs = (
        make_agent(game, agent)
        for agent in (
            f"ppo:{model / 'model.safetensors'}",
            f"ppo:{model}",
            f"ppo[trust=1]:{model / 'model.zip'}",
        )
    )
    actions = act_batch(file, views)
    assert (actions == act_batch(folder, views)).all()
    assert (actions == act_batch(theirs, views)).all()
    assert np.allclose(probabilities(file, views), probabilities(theirs, views), atol=1e-6)
    for view, action in zip(views, actions, strict=True):
        assert action in game.legal(view)
        assert file.act(view) == action


def test_the_actions_are_those_that_the_library_predicts(model: Path) -> None:
    views = views_of(SUBSTEPS, 6)
    trained = MaskablePPO.load(model / "model.zip", device="cpu")
    agent = make_agent(SUBSTEPS, f"ppo:{model}")
    observations = [SUBSTEPS.observe(view, int(view["player"])) for view in views]
    parts = {name: np.stack([each[name] for each in observations]) for name in SUBSTEPS.shapes}
    masks = np.zeros((len(views), SUBSTEPS.num_actions), bool)
    for view, mask in zip(views, masks, strict=True):
        mask[SUBSTEPS.legal(view)] = True
    expected, _ = trained.predict(parts, action_masks=masks, deterministic=True)
    assert (act_batch(agent, views) == expected).all()
    tensors, _ = trained.policy.obs_to_tensor(parts)
    with torch.no_grad():
        theirs = trained.policy.get_distribution(tensors).distribution.logits
        network = ppo_network.load(model / "model.safetensors", SUBSTEPS)
        ours = network({name: torch.from_numpy(part) for name, part in parts.items()})
    assert torch.allclose(torch.log_softmax(ours, 1), theirs, atol=1e-5)


WITHOUT_SB3 = """
import sys
for name in ("stable_baselines3", "sb3_contrib", "tensorboard", "lightning"):
    sys.modules[name] = None
from closedhand import make_agent, make_game
import numpy as np
game = make_game("doudizhu")
agent = make_agent(game, f"ppo:{sys.argv[1]}")
state = game.deal(np.random.default_rng(1))
print(agent.act(game.view(state, int(state["player"]))))
"""


def test_the_file_is_played_without_the_library(model: Path) -> None:
    program = [sys.executable, "-W", "ignore", "-c", WITHOUT_SB3, str(model)]
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    state = FLAT.deal(np.random.default_rng(1))
    agent = make_agent(FLAT, f"ppo:{model}")
    assert int(done.stdout) == agent.act(FLAT.view(state, int(state["player"])))


def test_a_zip_is_played_only_by_who_trusts_it(model: Path) -> None:
    """Also what 0.1.0 called `ppo:runs/demo/model.zip`: the line says what to type."""
    file = model / "model.zip"
    with pytest.raises(InputError) as caught:
        make_agent(FLAT, f"ppo:{file}")
    line = str(caught.value)
    for words in (f"{model}/model.safetensors", f"train doudizhu --out {model}", "ppo[trust=1]:"):
        assert words in line
    assert "\n" not in line
    trusting = line.partition("trust its maker, ")[2]
    assert make_agent(FLAT, trusting).name == trusting
    for no in ("ppo[trust=0]", "ppo[trust=false]", "ppo[trust=yes]", "ppo[trust=2]", "ppo[trust=]"):
        with pytest.raises(InputError):
            make_agent(FLAT, f"{no}:{file}")


def test_a_model_for_other_actions_is_refused(model: Path) -> None:
    bidding = make_game("doudizhu", bidding=True)
    for agent in (f"ppo:{model}", f"ppo[trust=1]:{model / 'model.zip'}"):
        with pytest.raises(InputError, match="trained with other actions"):
            make_agent(bidding, agent)


@pytest.mark.parametrize(
    ("agent", "message"), [("ppo", "folder of a training"), ("ppo:x", "cannot read x")]
)
def test_a_missing_model_is_one_clear_error(agent: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_agent("doudizhu", agent)


def test_a_resumed_training_has_network_optimiser_and_counters(untrained: Path) -> None:
    """Those of the library, although nothing is unpickled."""
    path = untrained / "model.zip"
    theirs = MaskablePPO.load(path, device="cpu")
    ours = MaskablePPO.load(path, device="cpu")
    with torch.no_grad():
        for parameter in ours.policy.parameters():
            parameter.zero_()
    ours.num_timesteps = ours._n_updates = -1
    ppo.restore(ours, path, ppo.read_checkpoint(path))
    assert (ours.num_timesteps, ours._n_updates) == (theirs.num_timesteps, theirs._n_updates)
    expected = theirs.policy.state_dict()
    for name, tensor in ours.policy.state_dict().items():
        assert torch.equal(tensor, expected[name])
    a, b = (str(each.policy.optimizer.state_dict()) for each in (ours, theirs))
    assert a == b


def test_every_session_plays_other_deals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []
    reset = ppo.GameVectorEnv.reset

    def note(self, *, seed=None, options=None):
        seeds.append(seed)
        return reset(self, seed=seed, options=options)

    monkeypatch.setattr(ppo.GameVectorEnv, "reset", note)
    for _ in range(3):
        ppo.train(tmp_path, minutes=1e-9, opponents=["random"], games=1, seed=5)
    ppo.train(tmp_path, minutes=1e-9, opponents=["random"], games=1, seed=5, restart=True)
    sessions = [seeds[i : i + ppo.SEATS] for i in range(0, len(seeds), ppo.SEATS)]
    assert sessions[0] == sessions[3] == [5, 6, 7]
    assert len({seed for each in sessions[:3] for seed in each}) == 3 * ppo.SEATS


DAMAGE = {
    "cut off": lambda content: content[:-100],
    "text": lambda content: b"text",
    "empty": lambda content: b"",
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_checkpoint_is_one_line(name: str, untrained: Path, tmp_path: Path) -> None:
    content = (untrained / "model.zip").read_bytes()
    (tmp_path / "model.zip").write_bytes(DAMAGE[name](content))
    with pytest.raises(InputError, match=r"cannot resume .*model\.zip") as caught:
        ppo.train(tmp_path, minutes=0.01, opponents=["random"], games=1, seed=5)
    assert "\n" not in str(caught.value)


COUNTERS = [-1.5, None, "1", [], {}]


@pytest.mark.parametrize("value", COUNTERS)
def test_counters_of_a_checkpoint_are_numbers(value, untrained: Path, tmp_path: Path) -> None:
    with (
        zipfile.ZipFile(untrained / "model.zip") as old,
        zipfile.ZipFile(tmp_path / "model.zip", "w") as new,
    ):
        for name in old.namelist():
            content = old.read(name)
            if name == "data":
                content = json.dumps({**json.loads(content), "num_timesteps": value}).encode()
            new.writestr(name, content)
    with pytest.raises(InputError, match="cannot resume"):
        ppo.train(tmp_path, minutes=0.01, opponents=["random"], games=1, seed=5)


def test_self_play_in_leduc_learns_and_is_resumed(tmp_path: Path) -> None:
    """Uniform play has an exploitability of 2.3, this comes below 1 in a second or two."""
    from closedhand.solvers import solving

    game = make_game("uh_leduc")
    run = solving.begin("ppo", game, 3, tmp_path)
    run.advance(iterations=30)
    assert run.points[0].evaluation.exploitability > 1.5
    assert run.points[-1].evaluation.exploitability < 1.0
    resumed = solving.load(tmp_path, "ppo", game, 3)
    before, after = (each.solver.policy().probabilities for each in (run, resumed))  # type: ignore[attr-defined]
    assert (before == after).all()
    assert (resumed.strategy().probabilities == run.strategy().probabilities).all()
    resumed.advance(iterations=35)
    assert [point.iterations for point in resumed.points[-2:]] == [32, 35]
