from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from closedhand.core.agents import make_agent
from closedhand.core.registry import make_game
from closedhand.envs.seatwise import seat_advantages, seat_returns
from closedhand.learning import device_rollout
from closedhand.learning.device_dmc import DeviceDMC
from closedhand.learning.device_ppo import DevicePPO, DevicePPOSettings, PolicyLoss
from closedhand.learning.device_rollout import log_softmax
from closedhand.learning.evaluation import score_of
from closedhand.learning.module_state import half, whole

SMALL = {"games": 16, "batch": 16 * 24, "minibatch": 64, "width": 16, "layers": 2}
BOTH = pytest.mark.parametrize("cls", [DevicePPO, DeviceDMC])


def learner(game="uh_leduc", cls: Any = DevicePPO, **settings: Any):
    return cls(make_game(game), cls.settings_type(**{**SMALL, **settings}), 3, device="cpu")


def test_the_gradient_is_that_of_automatic_differentiation():
    torch.manual_seed(0)
    n, actions, weight, clip = 40, 7, torch.tensor(0.3), 0.2
    logits = torch.randn(n, actions, requires_grad=True)
    masks = (torch.rand(n, actions) < 0.6).to(torch.int8)
    masks[:, 0] = 1
    taken = (torch.rand(n, actions) * masks).argmax(1)
    logs = log_softmax(logits.detach() + 0.5 * torch.randn(n, actions), masks)
    logs = logs.gather(1, taken[:, None]).squeeze(1)
    gains = torch.randn(n)
    loss, measured = PolicyLoss.apply(logits, masks, taken, logs, gains, clip, weight)
    loss.backward()
    found, logits.grad = logits.grad, None

    new = torch.log_softmax(logits.masked_fill(masks == 0, -1e9), 1)
    ratio = (new.gather(1, taken[:, None]).squeeze(1) - logs).exp()
    clipped = ratio.clamp(1 - clip, 1 + clip)
    entropy = -(new.exp() * new.masked_fill(masks == 0, 0.0)).sum(1).mean()
    expected = -torch.min(ratio * gains, clipped * gains).mean() - weight * entropy
    expected.backward()
    assert loss.item() == pytest.approx(expected.item(), rel=1e-5)
    assert torch.allclose(found, logits.grad, atol=1e-6)
    assert measured[0].item() == pytest.approx(entropy.item(), rel=1e-5)
    assert 0 < measured[2].item() < 1


@pytest.mark.parametrize("name", ["uh_leduc", "leduc"])
def test_advantages_are_those_by_seat(name):
    ppo = learner(name, gae_lambda=0.9)
    ppo.batch.reset(1)
    ppo._play()
    rows = ppo.rollout.rows
    rows["values"].uniform_(-1, 1)
    ppo.rollout.credit(0.9)
    acts = rows["decides"].numpy()
    assert acts.any() and rows["ended"].any()
    actors = np.where(acts, rows["actors"].numpy(), -1)
    want, targets = seat_advantages(
        (rows["rewards"] / ppo.rollout.scale).double().numpy(), actors, rows["ended"].numpy(),
        np.where(acts, rows["values"].double().numpy(), 0.0), gae_lambda=0.9,
    )  # fmt: skip
    known = rows["known"].numpy()
    assert 0 < known.sum() < acts.sum()
    # Normalised over the known ones; targets are not.
    raw = want[known]
    expected = (raw - raw.mean()) / (raw.std() + 1e-8)
    assert np.allclose(rows["advantages"].numpy()[known], expected, atol=1e-4)
    assert np.allclose(rows["targets"].numpy()[known], targets[known], atol=1e-4)


@pytest.mark.parametrize("name", ["uh_leduc", "leduc"])
def test_values_are_fitted_to_returns(name):
    dmc = learner(name, DeviceDMC)
    dmc.batch.reset(1)
    dmc._play()
    rows = dmc.rollout.rows
    rows["values"].uniform_(-1, 1)
    dmc._credit()
    ended, acts = rows["ended"].numpy(), rows["decides"].numpy()
    actors = np.where(acts, rows["actors"].numpy(), -1)
    want = seat_returns((rows["rewards"] / dmc.rollout.scale).double().numpy(), actors, ended)
    # Games that end in the rollout; of the others only the payments until its end are known.
    whole = np.flip(np.logical_or.accumulate(np.flip(ended, 0), 0), 0) & acts
    assert 0 < whole.sum() < acts.sum() and (rows["known"].numpy()[whole]).all()
    assert np.allclose(rows["targets"].numpy()[whole], want[whole], atol=1e-4)
    # Of the others those with a later decision of the seat, whose value stands for the rest.
    known = rows["known"].numpy()
    _, targets = seat_advantages(
        (rows["rewards"] / dmc.rollout.scale).double().numpy(), actors, ended,
        np.where(acts, rows["values"].double().numpy(), 0.0), gae_lambda=1.0,
    )  # fmt: skip
    assert (known & ~whole).any()
    assert np.allclose(rows["targets"].numpy()[known], targets[known], atol=1e-4)


def test_payments_before_the_end_of_a_game_count_for_the_scale():
    dmc = learner(cls=DeviceDMC)
    rows = dmc.rollout.rows
    rows["rewards"][3] = torch.tensor([2.0, -2.0])
    rows["ended"][5, :8] = True  # without a payment
    dmc.rollout.credit(1.0)
    assert dmc.rollout.scale.item() == pytest.approx(np.sqrt(16 * 8 / (2 * (16 + 8))))


@pytest.mark.parametrize("exploration", [0, 1])
def test_values_choose_and_chance_explores(exploration):
    dmc = learner("doudizhu", DeviceDMC, exploration=exploration)
    dmc.batch.reset(1)
    torch.nn.init.normal_(dmc.network.policy.weight)
    dmc._play()
    rows = dmc.rollout.rows
    masks = rows["masks"]
    assert masks.gather(2, rows["actions"][:, :, None]).all()
    values = dmc.network(rows["observations"].float()).masked_fill(masks == 0, -1e9)
    best = (values.argmax(2) == rows["actions"])[rows["decides"]].float().mean()
    assert best == 1 if exploration == 0 else best < 0.9


@BOTH
def test_an_update_moves_the_networks_and_counts(cls):
    made = learner(cls=cls)
    before = made.state()
    made.advance(0)
    assert made.moves == 16 * 24 and 0 < made.decisions <= made.moves and made.games > 0
    for name in made.modules:
        changed = [
            (each != before[key]).any()
            for key, each in made.state().items()
            if key.startswith(f"{name}.")
        ]
        assert any(changed), name
    assert set(made.measured) == set(made.measures)


@BOTH
def test_rates_fall_to_the_share_that_is_left(cls):
    made = learner(cls=cls, anneal=2 * 16 * 24, final=0.2)
    for share in (1.0, 0.6, 0.2, 0.2):
        made.advance(0)
        for name, rate in made.rates.items():
            assert rate.item() == pytest.approx(getattr(made.settings, name) * share)
        assert made.optimiser.param_groups[0]["lr"] == pytest.approx(6e-4 * share)


@BOTH
def test_the_seed_alone_determines_the_weights(cls):
    before, found = torch.get_rng_state(), []
    for others in (0, 1):
        made, *more = (learner(cls=cls) for _ in range(1 + others))
        for _ in range(2):
            for each in (made, *more):
                each.advance(0)
        found.append(made.agent_weights())
        assert torch.equal(torch.get_rng_state(), before)
        torch.rand(others)
        before = torch.get_rng_state()
    assert same(*found)


@BOTH
def test_a_resumed_one_has_the_same_weights(cls):
    ppo = learner(cls=cls)
    ppo.advance(0)
    ppo.advance(0)
    state = {name: np.array(each) for name, each in ppo.state().items()}
    twin = learner(cls=cls)
    twin.restore(state)
    for mine, theirs in zip(ppo.network.parameters(), twin.network.parameters(), strict=True):
        assert torch.equal(mine, theirs)
    assert (twin.updates, twin.decisions) == (2, ppo.decisions)
    assert same(twin.agent_weights(), ppo.agent_weights())
    twin.advance(0)
    assert twin.updates == 3


@pytest.mark.parametrize("scale", [[5.0], [np.nan, 1, 0], [np.inf, 1, 0], [1, -1e9, 0]])
def test_a_damaged_scale_is_not_restored(scale):
    state = {**learner().state(), "scale": np.array(scale, float)}
    with pytest.raises(ValueError, match="scale"):
        learner().restore(state)


def test_weights_for_agents_stay_as_they_are():
    ppo = learner()
    ppo.advance(0)
    found = ppo.agent_weights()
    kept = {name: each.copy() for name, each in found.items()}
    ppo.advance(0)
    assert all((found[name] == kept[name]).all() for name in kept)


def moments_of(state):
    return {name: whole(each) for name, each in state.items() if name.startswith("optimiser.")}


def waiting(state):
    """A learner as with CUDA graphs: it has no place for moments before its first update."""
    ppo = learner()
    ppo._graphs = True
    ppo.restore(state)
    return ppo


def same(mine, theirs):
    return mine.keys() == theirs.keys() and all((mine[name] == theirs[name]).all() for name in mine)


def test_moments_that_wait_for_an_update_are_saved():
    ppo = learner()
    ppo.advance(0)
    state = ppo.state()
    again = waiting(state)
    assert moments_of(state) and same(moments_of(again.state()), moments_of(state))
    assert same(moments_of(waiting(again.state()).state()), moments_of(state))
    bare = {name: each for name, each in state.items() if not name.startswith("optimiser.")}
    with pytest.raises(ValueError, match="moments"):
        waiting(bare)


def test_the_capture_of_a_graph_sets_moments_that_wait(monkeypatch):
    stream = SimpleNamespace(wait_stream=lambda other: None)
    drawing: list[torch.Generator] = []
    graph = SimpleNamespace(replay=lambda: None, register_generator_state=drawing.append)
    for name, fake in (
        ("Stream", lambda: stream), ("current_stream", lambda: stream), ("stream", nullcontext),
        ("CUDAGraph", lambda: graph), ("graph", lambda graph, stream: nullcontext()),
        ("device", nullcontext),
    ):  # fmt: skip
        monkeypatch.setattr(torch.cuda, name, fake)
    ppo = learner()
    ppo.advance(0)
    state = ppo.state()
    again = waiting(state)
    again._descend = again._captured(again._learn, undo=True)
    again.advance(0)  # nothing but warm-up runs, which leave no trace
    assert drawing == [again.random]
    assert same(moments_of(again.state()), moments_of(state))
    # Then the moments have places, to which they are restored at once.
    ppo.advance(0)
    again.restore(ppo.state())
    assert same(moments_of(again.state()), moments_of(ppo.state()))
    again.restore(learner().state())
    assert not any(each.any() for each in moments_of(again.state()).values())


def test_a_resumed_one_plays_other_deals():
    first, second = learner(), learner()
    first.advance(0)
    begun = first.rollout.rows["observations"][0].clone()
    second.restore({name: np.array(each) for name, each in first.state().items()})
    second.advance(0)
    assert not torch.equal(second.rollout.rows["observations"][0], begun)


def test_moments_are_kept_in_half_the_bytes():
    numbers = np.array([1.0, -3.14159, 1e-8, 0.0], np.float32)
    kept = half(numbers)
    assert kept.dtype == np.uint16
    assert np.allclose(whole(kept), numbers, rtol=1 / 128)


@BOTH
def test_its_agent_plays_by_the_usual_loader(cls, tmp_path):
    ppo = learner("doudizhu", cls)
    ppo.advance(0)
    ppo.save(tmp_path)
    game = make_game("doudizhu")
    agent = make_agent(game, f"learned:{tmp_path}", 0)
    view = game.view(game.deal(np.random.default_rng(1)), 0)
    assert agent.act(view) in game.legal(view)


def test_it_is_judged_on_the_device():
    score = learner().score("random")
    mean, low, high = score["won"]
    assert low < mean < high


def test_a_single_game_is_judged_with_an_interval():
    score = learner(games=1).score("random")
    assert np.isfinite([*score["points"], *score["won"]]).all()


def test_intervals_are_over_deals_whose_sides_depend_on_each_other():
    game = make_game("leduc")
    # What one side of a deal gains the other loses: the mean of a deal varies by nothing else.
    noise = 8 * np.random.default_rng(1).standard_normal(400)
    opposed = score_of(game, np.stack([noise, -noise], axis=1)).entry()
    assert opposed["points"] == [0, 0, 0]
    assert opposed["won"] == [0.5, 0.5, 0.5]
    # Both sides of a deal are paid alike: there are no more observations than deals.
    alike = score_of(game, np.repeat(noise[:, None], 2, axis=1)).entry()
    half = 1.966 * noise.std(ddof=1) / 20  # Student's t of 399 degrees of freedom
    mean = noise.mean()
    assert alike["points"] == pytest.approx([mean, mean - half, mean + half], abs=2e-3)
    share = (noise > 0).mean()
    low, high = alike["won"][1:]
    assert (high - low) / 2 == pytest.approx(1.966 * (share * (1 - share) / 400) ** 0.5, rel=0.01)


def test_a_match_of_many_rounds_is_played_to_its_end(monkeypatch):
    monkeypatch.setattr(device_rollout, "MOST_STEPS", 200)
    ppo = DevicePPO(
        make_game("daihinmin", rounds=3), DevicePPOSettings(**{**SMALL, "games": 2}), 3,
        device="cpu",
    )  # fmt: skip
    steps, step = [], ppo._judged.step
    monkeypatch.setattr(ppo._judged, "step", lambda actions: steps.append(0) or step(actions))
    assert np.isfinite(ppo.score("random")["points"]).all()
    assert len(steps) > 5 * 200


@pytest.mark.slow
@BOTH
def test_it_learns_leduc(cls):
    ppo = learner(
        "leduc", cls, games=256, batch=8192, minibatch=1024, width=64, learning_rate=2e-3,
        anneal=400_000,
    )  # fmt: skip
    while ppo.moves < 400_000:
        ppo.advance(0)
    assert ppo.score("random")["points"][0] > 0.5
