"""Fine-tuning of the policy network in self-play."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support_torch import QUIET, torch

from closedhand import InputError, make_game
from closedhand.agents.doudizhu.deeprocket import fine_tuning, networks, sampling

pytestmark = [*QUIET, pytest.mark.usefixtures("tiny_networks")]

SUBSTEPS = make_game("doudizhu", substeps=True)


@pytest.mark.slow
def test_decisions_are_those_with_a_choice(untrained: Path) -> None:
    tuning = fine_tuning.Tuning(str(untrained))
    decisions, kickers, won = sampling.Sampler(
        SUBSTEPS, tuning.policy.network, tuning.kicker.network, np.random.default_rng(1)
    ).play(3)
    assert kickers is None
    n = len(decisions.label)
    assert won.shape == (3, sampling.TABLES)
    assert set(decisions.games.tolist()) == set(range(3 * sampling.TABLES))
    assert (decisions.mask.sum(axis=1) > 1).all()
    assert decisions.mask[np.arange(n), decisions.label].all()
    assert (decisions.sides == np.where(decisions.status[:, 0], 1, -1)).all()
    shares = networks.probabilities(tuning.policy.network, *decisions[:3])
    chosen = shares[np.arange(n), decisions.label]
    assert np.allclose(np.exp(decisions.logs), chosen, atol=1e-5)
    # The games of a deal begin alike, and go on differently.
    first = {int(game): decisions.planes[decisions.games == game][0] for game in range(12)}
    assert all((first[game] == first[game // 4 * 4]).all() for game in range(12))
    lengths = np.bincount(decisions.games)
    assert len(set(lengths[:4].tolist())) > 1


def some(tuning: fine_tuning.Tuning, chosen: int) -> tuple[sampling.Decisions, int]:
    """Sixty times a decision in which the `chosen` of its legal groups is played; which it is."""
    decisions, _, _ = sampling.Sampler(
        SUBSTEPS, tuning.policy.network, tuning.kicker.network, np.random.default_rng(0)
    ).play(1)
    first = sampling.Decisions(*(part[:1].repeat(60, axis=0) for part in decisions))
    label = int(np.flatnonzero(first.mask[0])[chosen])
    logs = np.log(networks.probabilities(tuning.policy.network, *first[:3])[:, label])
    return first._replace(label=np.full(60, label), logs=logs), label


@pytest.mark.parametrize("gain", [1.0, -1.0, 0.0])
def test_what_wins_gets_likelier(untrained: Path, gain: float) -> None:
    tuning = fine_tuning.Tuning(str(untrained), fine_tuning.Settings(rate=1e-3))
    decisions, label = some(tuning, 2)
    before = networks.probabilities(tuning.policy.network, *decisions[:3])[0, label]
    tuning.policy.learn(decisions, np.full(60, gain, np.float32), 0.0, np.random.default_rng(0))
    after = networks.probabilities(tuning.policy.network, *decisions[:3])[0, label]
    assert np.sign(after - before) == gain
    assert networks.probabilities(tuning.policy.start, *decisions[:3])[0, label] == before


def test_the_penalty_holds_the_policy_at_its_start(untrained: Path) -> None:
    moved = []
    for penalty in (0.0, 100.0):
        tuning = fine_tuning.Tuning(str(untrained), fine_tuning.Settings(rate=1e-3))
        decisions, label = some(tuning, 2)
        for _ in range(20):
            now = np.log(networks.probabilities(tuning.policy.network, *decisions[:3])[:, label])
            tuning.policy.learn(
                decisions._replace(logs=now), np.ones(60, np.float32), penalty,
                np.random.default_rng(0),
            )  # fmt: skip
        moved.append(float(now[0] - decisions.logs[0]))
    assert moved[0] > 0.1
    assert abs(moved[1]) < moved[0] / 5


def test_the_divergence_is_that_of_the_legal_groups() -> None:
    one, other = torch.tensor([[0.5, 0.5, 0.0]]), torch.tensor([[0.9, 0.1, 0.0]])
    logs = one.log().requires_grad_()
    found = fine_tuning.divergence(logs, other.log())
    assert found.item() == pytest.approx(0.5 * np.log(0.5 / 0.9) + 0.5 * np.log(0.5 / 0.1))
    found.sum().backward()
    assert torch.isfinite(logs.grad).all()
    assert fine_tuning.divergence(one.log(), one.log()).item() == 0


def test_the_objective_is_clipped() -> None:
    logs = torch.tensor([[0.6, 0.4]]).log()
    label, gain = torch.tensor([0]), torch.tensor([1.0])
    for before, expected in ((0.6, 1.0), (0.55, 0.6 / 0.55), (0.3, 1.2), (0.9, 0.6 / 0.9)):
        found = fine_tuning.objective(logs, label, torch.tensor([before]).log(), gain)
        assert found.item() == pytest.approx(expected)


def test_probabilities_are_learned_by_cross_entropy() -> None:
    logs = torch.tensor([[0.5, 0.3, 0.2, 0.0]]).log()
    aims = torch.tensor([[0.7, 0.0, 0.3, 0.0]])
    found = fine_tuning.objective(logs, torch.tensor([1]), logs[:, 1], aims)
    assert found.item() == pytest.approx(0.7 * np.log(0.5) + 0.3 * np.log(0.2))


def test_with_a_critic_the_mean_of_the_last_weights_is_the_result(
    untrained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fine_tuning, "MEAN_OF", 2)
    tuning = fine_tuning.Tuning(str(untrained), fine_tuning.Settings(critic="value-net"))
    decisions, _ = some(tuning, 2)
    aims = np.zeros((60, decisions.mask.shape[1]), np.float32)
    aims[:, np.flatnonzero(decisions.mask[0])[2]] = 1.0
    expected = None
    for _ in range(3):
        tuning.policy.learn(decisions, aims, 0.0, np.random.default_rng(0))
        last = tuning.policy.network.head.weight.detach().clone()
        expected = last if expected is None else (expected + last) / 2
    assert torch.allclose(tuning.policy.result.head.weight, expected, atol=1e-7)
    assert not torch.allclose(last, expected, atol=1e-5)
    assert fine_tuning.Tuning(str(untrained)).policy.mean is None


@pytest.mark.slow
@pytest.mark.parametrize("critic", [None, "value-net"])
def test_self_play_makes_an_untrained_network_better(
    untrained: Path, critic: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tuning = fine_tuning.Tuning(
        str(untrained), fine_tuning.Settings(rate=1e-2, deals=32, critic=critic)
    )
    for _ in range(8):
        tuning.advance(60.0)
    monkeypatch.setattr(fine_tuning, "CHECK_DEALS", 40)
    _, low, _ = tuning.summary()["won"]
    assert low > 0.6


@pytest.mark.parametrize("differing", [0.01, 0.03, 0.3])
@pytest.mark.parametrize("won", [0.5, 0.8])
def test_intervals_of_checks_hold_for_few_differences(differing: float, won: float) -> None:
    chances = [differing * (1 - won), 1 - differing, differing * won]
    numbers = np.random.default_rng(0).multinomial(200, chances, size=1000)
    found = [fine_tuning.estimated(np.repeat([0, 0.5, 1], each)) for each in numbers]
    share = chances @ np.array([0, 0.5, 1])
    assert np.mean([each.low <= share <= each.high for each in found]) > 0.935
    assert fine_tuning.estimated(np.ones(200)).high == 1


def test_only_results_from_a_start_have_the_penalty(untrained: Path) -> None:
    usual = fine_tuning.Tuning(str(untrained))
    assert usual.settings["penalty"] == fine_tuning.PENALTY > 0
    judged = fine_tuning.Tuning(str(untrained), fine_tuning.Settings(critic="value-net"))
    assert judged.settings["penalty"] == 0


def one_step(tuning: fine_tuning.Tuning, seconds: float) -> bool:
    """Count a step, without games."""
    tuning.steps = 1
    return False


def test_it_starts_from_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random weights of the seed, nothing to stay close to, and the same again when resumed."""
    one, two, other = (
        fine_tuning.Tuning(fine_tuning.NOTHING, fine_tuning.Settings(seed)) for seed in (1, 1, 2)
    )

    def weights_of(network: networks.Network) -> torch.Tensor:
        return torch.cat([each.flatten() for each in network.state_dict().values()])

    assert one.settings["penalty"] == 0.0 and one.settings["start"] == "nothing"
    for name in ("policy", "kicker"):
        mine, same, others = (getattr(each, name) for each in (one, two, other))
        assert (weights_of(mine.network) == weights_of(same.network)).all()
        assert (weights_of(mine.network) != weights_of(others.network)).any()
        assert (weights_of(mine.network) == weights_of(mine.start)).all()
        assert mine.network is not mine.start
    monkeypatch.setattr(fine_tuning.Tuning, "advance", one_step)
    result = fine_tuning.train("nothing", tmp_path, 1e-6, fine_tuning.Settings(seed=1), threads=1)
    _, about = networks.load(result.path, "policy")
    assert about["start"] == "nothing" and about["tuned_from"] == {}


def reached(
    network: networks.Network, decisions: sampling.Decisions, used: np.ndarray, outputs: np.ndarray
) -> dict[str, torch.Tensor]:
    """Of each tensor, which elements the decisions `used` reach for `outputs`, bool [outputs].

    All units are active. An entry of the planes or of the status that is always 0 passes no
    gradient.
    """
    found = {name: torch.ones_like(each) > 0 for name, each in network.state_dict().items()}
    ranks, rows, channels = network.kind.shape
    seen = decisions.planes[used].reshape(-1, ranks, rows, channels).any(axis=(0, 1))
    found["convolutions.0.weight"] &= torch.from_numpy(seen.T[None, :, None])
    if network.bias is not None:
        found["bias.weight"] &= networks.one_hot(torch.from_numpy(decisions.status[used])).any(
            dim=0
        )
    found["head.weight"] &= torch.from_numpy(outputs[:, None])
    found["head.bias"] &= torch.from_numpy(outputs)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("critic", [None, "value-net"])
def test_from_nothing_each_weight_moves_that_decisions_reach(
    critic: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights of entries that were seen and of outputs that were played move, and no others can.

    In positions that several tables of a deal share the gradients may cancel, as do their gains.
    """
    least: dict[fine_tuning.Student, list[dict[str, torch.Tensor]]] = defaultdict(list)
    most: dict[fine_tuning.Student, list[dict[str, torch.Tensor]]] = defaultdict(list)
    learn = fine_tuning.Student.learn

    def noting(student: fine_tuning.Student, *args: Any) -> None:
        decisions, aims = args[:2]
        used = aims.reshape(len(aims), -1).any(axis=1)
        _, place, times = np.unique(
            decisions.planes, axis=0, return_inverse=True, return_counts=True
        )
        alone = used & (times[place.ravel()] == 1)
        legal = decisions.mask[used].any(axis=0)
        played = np.isin(np.arange(len(legal)), decisions.label[alone])
        least[student].append(reached(student.network, decisions, alone, played))
        most[student].append(reached(student.network, decisions, used, legal))
        learn(student, *args)

    monkeypatch.setattr(fine_tuning.Student, "learn", noting)
    # In a single batch no decision is clipped.
    monkeypatch.setattr(fine_tuning, "BATCH", 10**6)
    settings = fine_tuning.Settings(1, rate=1e-4, deals=8, critic=critic)
    tuning, again = (fine_tuning.Tuning(fine_tuning.NOTHING, settings) for _ in range(2))
    students = tuning.policy, tuning.kicker
    for network in (each for student in students for each in (student.network, student.start)):
        for layer in network.convolutions:
            # A ReLU that is never active would pass no gradient.
            layer.weight.data.abs_().mul_(0.1)
            torch.nn.init.ones_(layer.bias)
    for _ in range(2):  # in the first step bridged convolutions are 0, and pass no gradient
        tuning.advance(60.0)
    for student in students:
        now, before = student.network.state_dict(), student.start.state_dict()
        for name in now:
            moves = now[name] != before[name]
            must, may = (
                torch.stack([each[name] for each in steps[student]]).any(dim=0)
                for steps in (least, most)
            )
            assert (must <= moves).all() and (moves <= may).all(), name
    again.restore(tuning.state())
    for one, other in ((tuning.policy, again.policy), (tuning.kicker, again.kicker)):
        weights = one.result.state_dict()
        assert all(
            torch.equal(each, weights[name]) for name, each in other.result.state_dict().items()
        )


def moved(student: fine_tuning.Student) -> list[bool]:
    """Of each tensor of a network, whether it has changed."""
    start = student.start.state_dict()
    return [
        not torch.equal(each, start[name]) for name, each in student.network.state_dict().items()
    ]


@pytest.mark.slow
def test_kickers_that_were_learned_from_records_do_not_move(untrained: Path) -> None:
    tuning = fine_tuning.Tuning(str(untrained), fine_tuning.Settings(rate=1e-2, deals=2))
    tuning.advance(60.0)
    assert any(moved(tuning.policy)) and not any(moved(tuning.kicker))


@pytest.mark.parametrize("critic", [None, "value-net"])
def test_it_goes_on_where_it_was_interrupted(
    untrained: Path, tmp_path: Path, critic: str | None
) -> None:
    def tune(out: str, stop: float, **given: Any) -> networks.Result:
        def progress(share: float, text: str) -> None:
            steps.append(text)
            if len(steps) >= stop:
                raise KeyboardInterrupt

        steps: list[str] = []
        settings = fine_tuning.Settings(seed=given.pop("seed", 3), deals=2, critic=critic)
        return fine_tuning.train(
            str(untrained), tmp_path / out, 10.0, settings, threads=1, progress=progress, **given
        )

    for out, stops in (("whole", [3]), ("parts", [1, 2])):
        for stop in stops:
            assert tune(out, stop).interrupted
    whole, parts = (
        networks.load(tmp_path / out / "policy.safetensors", "policy")[0].state_dict()
        for out in ("whole", "parts")
    )
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    begun = networks.load(untrained / "policy.safetensors", "policy")[0].state_dict()
    assert not all(torch.equal(whole[name], begun[name]) for name in whole)
    with pytest.raises(InputError, match="made with seed 3, not 4") as caught:
        tune("whole", 1, seed=4)
    assert "\n" not in str(caught.value)
    assert tune("whole", 1, seed=4, restart=True).interrupted
    (tmp_path / "whole" / "self-play.ckpt").write_bytes(b"nothing")
    with pytest.raises(InputError, match="cannot resume"):
        tune("whole", 1, seed=4)


def test_another_training_is_not_written_over(untrained: Path, tmp_path: Path) -> None:
    (tmp_path / "policy.safetensors").write_bytes(b"of another training")
    with pytest.raises(InputError, match=r"policy\.safetensors is of another training"):
        fine_tuning.train(str(untrained), tmp_path, 0.01)
    assert (tmp_path / "policy.safetensors").read_bytes() == b"of another training"


def test_a_trained_kicker_network_is_not_written_over(
    untrained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fine_tuning.Tuning, "advance", one_step)
    path = tmp_path / "kicker.safetensors"
    for start in (str(untrained), fine_tuning.NOTHING):
        networks.save(path, networks.Network("kicker", "tiny"), {"records": "games"})
        made = path.read_bytes()
        with pytest.raises(InputError, match=r"kicker\.safetensors is of another training"):
            fine_tuning.train(start, tmp_path, 1e-6, threads=1)
        assert path.read_bytes() == made and not (tmp_path / fine_tuning.CHECKPOINT).exists()
    fine_tuning.train(str(untrained), tmp_path, 1e-6, threads=1, restart=True)


def test_a_finished_training_writes_networks_that_are_missing(
    untrained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fine_tuning.Tuning, "advance", one_step)
    fine_tuning.train(str(untrained), tmp_path, 1e-6, threads=1)
    for path in (tmp_path / f"{kind}.safetensors" for kind in ("policy", "kicker")):
        made = path.read_bytes()
        path.unlink()
        fine_tuning.train(str(untrained), tmp_path, 1e-6, threads=1)
        assert path.read_bytes() == made


def test_only_a_check_of_the_same_weights_is_noted(untrained: Path, tmp_path: Path) -> None:
    tuning = fine_tuning.Tuning(str(untrained), fine_tuning.Settings(deals=2))
    check = {"step": 1, "games": tuning.settings["deals"] * sampling.TABLES, "landlord_wins": 0.5}
    for steps, noted in ((1, check), (3, {"step": 3, "games": 3 * check["games"]})):
        tuning.steps = steps
        tuning.save(tmp_path, [check])
        _, about = networks.load(tmp_path / "policy.safetensors", "policy")
        assert {key: about[key] for key in check if key in about} == noted


def test_seeds_that_are_refused(untrained: Path, tmp_path: Path) -> None:
    for start in (str(untrained), fine_tuning.NOTHING):
        with pytest.raises(InputError, match="seed"):
            fine_tuning.train(start, tmp_path, 0.01, fine_tuning.Settings(seed=2**64))
