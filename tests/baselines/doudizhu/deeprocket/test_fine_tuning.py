"""Fine-tuning of the policy network in self-play, and the bid network."""

import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from closedhand import InputError, make_game
from closedhand.baselines.doudizhu.bidding import fitting as bid_fitting, modules as bidding
from closedhand.cli import app
from closedhand.core import duel
from closedhand.games.doudizhu.counts import pack

torch = pytest.importorskip("torch")
pytest.importorskip("lightning")

from closedhand.baselines.doudizhu.bidding import network as bid_net  # noqa: E402
from closedhand.baselines.doudizhu.deeprocket import fine_tuning, networks, sampling  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

SUBSTEPS = make_game("doudizhu", substeps=True)
BIDDING = make_game("doudizhu", bidding=True)


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with untrained networks of one convolution each."""
    folder = tmp_path_factory.mktemp("start")
    with pytest.MonkeyPatch.context() as patch:
        tiny_sizes(patch)
        torch.manual_seed(0)
        for kind in ("policy", "kicker"):
            network = networks.Network(kind, "tiny", status=kind == "policy")
            networks.save(folder / f"{kind}.safetensors", network, {"rules": "deeprocket"})
    return folder


def tiny_sizes(patch: pytest.MonkeyPatch) -> None:
    for kind, rows in (("policy", 19), ("kicker", 9)):
        layers = (networks.Layer(16, (1, rows), padding=(0, 0)),)
        patch.setitem(networks.KINDS[kind].sizes, "tiny", layers)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_sizes(monkeypatch)
    monkeypatch.setattr(fine_tuning, "CHECK_DEALS", 4)


# Games.


def test_gains_are_measured_by_the_other_games_of_the_deal() -> None:
    won = np.array([[1, 0, 0, 0], [1, 1, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0]], bool)
    gains = sampling.landlords_gains(won)
    for deal, table in np.ndindex(won.shape):
        others = np.delete(won[deal], table)
        assert gains[deal, table] == pytest.approx(won[deal, table] - others.mean(), abs=1e-6)
    assert np.allclose(gains.sum(axis=1), 0, atol=1e-6)


def test_draws_follow_the_shares() -> None:
    shares = np.tile(np.float32([0, 0.25, 0, 0.75, 0]), (4000, 1))
    numbers = np.bincount(sampling.draw(shares, np.random.default_rng(0)), minlength=5)
    assert numbers[[0, 2, 4]].tolist() == [0, 0, 0]
    assert numbers[1] == pytest.approx(1000, abs=120)


def test_decisions_are_those_with_a_choice(start: Path) -> None:
    tuning = fine_tuning.Tuning(str(start))
    decisions, won = sampling.play_deals(
        SUBSTEPS, tuning.network, tuning.kicker, 3, np.random.default_rng(1)
    )
    n = len(decisions.label)
    assert won.shape == (3, sampling.TABLES)
    assert set(decisions.games.tolist()) == set(range(3 * sampling.TABLES))
    assert (decisions.mask.sum(axis=1) > 1).all()
    assert decisions.mask[np.arange(n), decisions.label].all()
    assert (decisions.sides == np.where(decisions.status[:, 0], 1, -1)).all()
    shares = networks.probabilities(tuning.network, *decisions[:3])
    chosen = shares[np.arange(n), decisions.label]
    assert np.allclose(np.exp(decisions.logs), chosen, atol=1e-5)
    # The games of a deal begin alike, and go on differently.
    first = {int(game): decisions.planes[decisions.games == game][0] for game in range(12)}
    assert all((first[game] == first[game // 4 * 4]).all() for game in range(12))
    lengths = np.bincount(decisions.games)
    assert len(set(lengths[:4].tolist())) > 1


def test_win_rates_add_up_and_equal_networks_are_level(start: Path) -> None:
    torch.manual_seed(1)
    one, kicker = fine_tuning.Tuning(str(start)).network, networks.KickerNetwork("tiny")
    other = networks.PolicyNetwork("tiny").eval()
    assert sampling.win_rate(SUBSTEPS, one, one, kicker, 6) == (0.5, 0.0)
    rates = [sampling.win_rate(SUBSTEPS, *pair, kicker, 8)
             for pair in ((one, other), (other, one))]  # fmt: skip
    assert rates[0][0] + rates[1][0] == pytest.approx(1)
    assert rates[0][1] == pytest.approx(rates[1][1]) and rates[0][1] > 0


# Learning.


def some(tuning: fine_tuning.Tuning, chosen: int) -> tuple[sampling.Decisions, int]:
    """Sixty times a decision in which the `chosen` of its legal groups is played; which it is."""
    decisions, _ = sampling.play_deals(
        SUBSTEPS, tuning.network, tuning.kicker, 1, np.random.default_rng(0)
    )
    first = sampling.Decisions(*(part[:1].repeat(60, axis=0) for part in decisions))
    label = int(np.flatnonzero(first.mask[0])[chosen])
    logs = np.log(networks.probabilities(tuning.network, *first[:3])[:, label])
    return first._replace(label=np.full(60, label), logs=logs), label


@pytest.mark.parametrize("gain", [1.0, -1.0, 0.0])
def test_what_wins_gets_likelier(start: Path, gain: float) -> None:
    tuning = fine_tuning.Tuning(str(start), penalty=0.0, rate=1e-3)
    decisions, label = some(tuning, 2)
    before = networks.probabilities(tuning.network, *decisions[:3])[0, label]
    tuning.learn(decisions, np.full(60, gain, np.float32), np.random.default_rng(0))
    after = networks.probabilities(tuning.network, *decisions[:3])[0, label]
    assert np.sign(after - before) == gain
    assert networks.probabilities(tuning.start, *decisions[:3])[0, label] == before


def test_the_penalty_holds_the_policy_at_its_start(start: Path) -> None:
    moved = []
    for penalty in (0.0, 100.0):
        tuning = fine_tuning.Tuning(str(start), penalty=penalty, rate=1e-3)
        decisions, label = some(tuning, 2)
        for _ in range(20):
            now = np.log(networks.probabilities(tuning.network, *decisions[:3])[:, label])
            tuning.learn(
                decisions._replace(logs=now), np.ones(60, np.float32), np.random.default_rng(0)
            )
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


def test_self_play_makes_an_untrained_network_better(start: Path) -> None:
    tuning = fine_tuning.Tuning(str(start), penalty=0.0, rate=1e-2, deals=32)
    for _ in range(8):
        tuning.step()
    won, error = sampling.win_rate(tuning.game, tuning.network, tuning.start, tuning.kicker, 40)
    assert won - 3 * error > 0.6
    assert tuning.kl > 0.01


def test_it_goes_on_where_it_was_interrupted(start: Path, tmp_path: Path) -> None:
    def tune(out: str, stop: float, **given: Any) -> fine_tuning.Result:
        def progress(share: float, text: str) -> None:
            steps.append(text)
            if len(steps) >= stop:
                raise KeyboardInterrupt

        steps: list[str] = []
        settings = {"seed": 3, "deals": 2, "threads": 1, "progress": progress, **given}
        return fine_tuning.train(str(start), tmp_path / out, 10.0, **settings)

    for out, stops in (("whole", [3]), ("parts", [1, 2])):
        for stop in stops:
            assert tune(out, stop).interrupted
    whole, parts = (
        networks.load(tmp_path / out / "policy.safetensors", "policy")[0].state_dict()
        for out in ("whole", "parts")
    )
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    begun = networks.load(start / "policy.safetensors", "policy")[0].state_dict()
    assert not all(torch.equal(whole[name], begun[name]) for name in whole)
    with pytest.raises(InputError, match="made with seed 3, not 4") as caught:
        tune("whole", 1, seed=4)
    assert "\n" not in str(caught.value)
    assert tune("whole", 1, seed=4, restart=True).interrupted
    (tmp_path / "whole" / "self-play.ckpt").write_bytes(b"nothing")
    with pytest.raises(InputError, match="cannot go on from"):
        tune("whole", 1, seed=4)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_another_training_is_not_written_over(start: Path, tmp_path: Path) -> None:
    (tmp_path / "policy.safetensors").write_bytes(b"of another training")
    with pytest.raises(InputError, match="is of another training"):
        fine_tuning.train(str(start), tmp_path, 0.01)
    assert (tmp_path / "policy.safetensors").read_bytes() == b"of another training"


def test_the_command_fine_tunes(start: Path, tmp_path: Path) -> None:
    out = tmp_path / "tuned"
    (out).mkdir()
    (out / "history.json").write_text('{"policy": []}')
    given = ["train", "self-play", "--from", str(start), "--out", str(out), "--minutes", "0.01",
             "--threads", "1"]  # fmt: skip
    result = run(*given)
    assert result.exit_code == 0, result.output
    assert "against the start in duplicate" in result.stdout
    history = json.loads((out / "history.json").read_text())
    assert set(history) == {"policy", "self-play"}
    last = history["self-play"][-1]
    assert last["games"] == last["step"] * fine_tuning.DEALS * sampling.TABLES
    assert 0 < last["landlord_wins"] < 1 and last["kl"] >= 0
    network, provenance = networks.load(out / "policy.safetensors", "policy")
    assert network.config["size"] == "tiny"
    assert provenance["tuned_from"] == {"rules": "deeprocket"}
    assert (out / "kicker.safetensors").read_bytes() == (start / "kicker.safetensors").read_bytes()
    # It is done: nothing more happens.
    assert run(*given).exit_code == 0
    assert json.loads((out / "history.json").read_text()) == history


def test_the_command_is_interrupted_after_a_step(
    start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = fine_tuning.Tuning.step

    def interrupted(self: fine_tuning.Tuning) -> None:
        step(self)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(fine_tuning.Tuning, "step", interrupted)
    result = run("train", "self-play", "--from", str(start), "--out", str(tmp_path), "--minutes",
                 "5", "--threads", "1")  # fmt: skip
    assert result.exit_code == 130, result.output
    assert "the same command goes on" in result.stderr
    assert torch.load(tmp_path / "self-play.ckpt", weights_only=True)["steps"] == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["self-play", "--from", "x", "--out", "y", "--minutes", "1"], "no network at"),
        (["self-play", "--from", "x", "--out", "x", "--minutes", "1"], "another folder"),
        (["self-play", "--from", "x", "--out", "y", "--minutes", "0"], "larger than 0"),
        (["bid-net", "--deals", "x.npz", "--out", "y"], "no deals at x.npz"),
        (["bid-net", "--deals", "bad.npz", "--out", "y"], "bad.npz is no npz file"),
        (["bid-net", "--deals", "few.npz", "--out", "y"], "3,000 games or more"),
    ],
)
def test_bad_input_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    (tmp_path / "bad.npz").write_bytes(b"nothing")
    save(made_up(5), tmp_path / "few.npz")
    result = run("train", *arguments)
    assert result.exit_code == 2, result.output
    assert reason in result.stderr
    assert result.stderr.strip().count("\n") == 0


# Bids.


def made_up(deals: int) -> bid_fitting.Fit:
    """Deals in which who holds the big joker wins as the landlord, and nobody else."""
    fit = bid_fitting.Fit(make_game("doudizhu"), "rule")
    dealt = np.array([fit.game.deal(np.random.default_rng(i)) for i in range(deals)],
                     fit.game.dtype)  # fmt: skip
    hands = dealt["hands"].copy()
    hands[:, 0] -= dealt["public"]
    holds = hands >> np.uint64(4 * 14) > 0
    fit.chunks.append(bid_fitting.Deals(hands, np.where(holds, 1.0, -1.0)))
    return fit


def save(fit: bid_fitting.Fit, path: Path) -> None:
    run = bid_fitting.begin(fit.game, fit.agent, fit.seed, path)
    run.learner = fit
    run.save()


@pytest.fixture(scope="module")
def bids(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bid_net.Result]:
    """A folder with a bid network, trained on made-up deals, and what is known of it."""
    folder = tmp_path_factory.mktemp("bids")
    save(made_up(1000), folder / "deals.npz")
    return folder, bid_net.train(folder / "deals.npz", folder, 0.15, threads=1)


def test_the_plane_is_that_of_the_cards_in_hand() -> None:
    rules = make_game("doudizhu").rules
    hands = np.array([pack("33334445556789TSB"), pack("3456789TJQKA22455")], np.uint64)
    drawn = bid_net.planes_of(rules, hands).reshape(2, 15, 19)
    for hand, plane in zip(hands, drawn, strict=True):
        state = BIDDING.deal(np.random.default_rng(0))
        state.hands[0] = hand
        assert (plane == BIDDING.observe(state, 0)["observation"][:, :, 20]).all()


def test_a_bid_network_learns(bids: tuple[Path, bid_net.Result]) -> None:
    folder, result = bids
    losses = result.about["log_loss"]
    assert losses["network"] < losses["constant"] / 2
    assert {row["alone"] for row in result.about["judged"]} == {"net", "fitted"}
    network, provenance = networks.load(folder / "bid.safetensors", "bid")
    assert provenance == json.loads(json.dumps(result.about))
    hands = np.array([pack("3456789TJQKA2245B"), pack("3456789TJQKA22455")], np.uint64)
    seen = torch.from_numpy(bid_net.planes_of(make_game("doudizhu").rules, hands))
    with_joker, without = bid_net.chances(network, seen)
    assert with_joker > 0.7 > 0.3 > without


@pytest.mark.parametrize("substeps", [False, True])
def test_the_agent_bids_by_the_network(bids: tuple[Path, bid_net.Result], substeps: bool) -> None:
    """Illegal actions raise in `play_out`."""
    folder, _ = bids
    game = make_game("doudizhu", bidding=True, substeps=substeps)
    agent = bidding.make(game, 0, f"net={folder}:rule")
    assert agent.name == f"bids:net={folder}:rule"
    rng = np.random.default_rng(5)
    states = np.array([game.deal(rng) for _ in range(60)], game.dtype)
    joker = states["hands"][:, 0] >> np.uint64(4 * 14) > 0
    opened = agent.act_batch(states)
    assert len(set(opened[joker].tolist())) == 1
    assert {game.text(int(action)) for action in opened[~joker]} == {"PASS"}
    assert {game.text(int(action)) for action in opened[joker]} == {"BID3"}
    duel.play_out(game, states, np.zeros((60, 3), int), [agent])
    assert all(game.over(state) for state in states)


def test_arguments_that_the_agent_refuses(bids: tuple[Path, bid_net.Result]) -> None:
    folder, _ = bids
    for argument, reason in (
        (f"net={folder}", "bids takes a kind"),
        ("net=nowhere:rule", "no network at nowhere"),
        ("net:rule", "no bids of the kind 'net'.*net=FILE"),
        (f"net={folder}:nobody", "no agent 'nobody'"),
    ):
        with pytest.raises(InputError, match=reason):
            bidding.make(BIDDING, 0, argument)
    with pytest.raises(InputError, match="games with bidding"):
        bidding.make(make_game("doudizhu"), 0, f"net={folder}:rule")


def test_the_command_trains_a_bid_network(tmp_path: Path) -> None:
    save(made_up(1000), tmp_path / "deals.npz")
    given = ["train", "bid-net", "--deals", str(tmp_path / "deals.npz"), "--out", str(tmp_path),
             "--minutes", "0.005", "--threads", "1"]  # fmt: skip
    shown = run(*given)
    assert shown.exit_code == 0, shown.output
    assert "log loss on deals held out: network 0." in shown.stdout
    about = json.loads(run(*given, "--json").stdout)
    assert set(about["log_loss"]) == {"network", "logistic", "constant"}
    assert networks.load(tmp_path / "bid.safetensors", "bid")[1] == about


def test_an_interrupted_bid_network_is_kept(bids: tuple[Path, bid_net.Result]) -> None:
    def interrupt(share: float, text: str) -> None:
        raise KeyboardInterrupt

    folder, _ = bids
    result = bid_net.train(
        folder / "deals.npz", folder / "part", 0.1, threads=1, progress=interrupt
    )
    assert result.interrupted
    assert networks.load(result.path, "bid")[1] == json.loads(json.dumps(result.about))
