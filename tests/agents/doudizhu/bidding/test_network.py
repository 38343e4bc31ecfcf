"""The bid network."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from support import interrupt_at
from support_faults import Clock
from support_networks import made_up, save
from support_torch import QUIET, torch

from closedhand import InputError, make_game
from closedhand.agents.doudizhu.bidding import agent as agent_of_bids, network as bid_net
from closedhand.agents.doudizhu.deeprocket import networks
from closedhand.core import duplicate, run
from closedhand.games.doudizhu.counts import pack

pytestmark = QUIET

BIDDING = make_game("doudizhu", bidding=True)
MINUTES = 0.06
"""By a clock that counts steps."""


@pytest.fixture(scope="module")
def bids(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bid_net.Result]:
    """A folder with a bid network, trained on made-up deals, and what is known of it."""
    folder = tmp_path_factory.mktemp("bids")
    save(made_up(1000), folder / "deals.npz")
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        for module in (run, bid_net):
            patch.setattr(module, "time", clock)
        return folder, bid_net.train(folder / "deals.npz", folder, MINUTES, threads=1)


@pytest.mark.slow
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
    agent = agent_of_bids.make_bids(game, 0, agent_of_bids.read(f"net={folder}:rule"))
    assert agent.name == f"bids:net={folder}:rule"
    rng = np.random.default_rng(5)
    states = np.array([game.deal(rng) for _ in range(60)], game.dtype)
    joker = states["hands"][:, 0] >> np.uint64(4 * 14) > 0
    opened = agent.act_batch(states)
    assert len(set(opened[joker].tolist())) == 1
    assert {game.text(int(action)) for action in opened[~joker]} == {"PASS"}
    assert {game.text(int(action)) for action in opened[joker]} == {"BID3"}
    duplicate.play_out(game, states, np.zeros((60, 3), int), [agent])
    assert all(game.over(state) for state in states)


def test_the_network_that_ships_bids_more_on_better_hands() -> None:
    agent = agent_of_bids.make_bids(BIDDING, 0, agent_of_bids.read("net:rule"))
    assert agent.name == "bids:net:rule"
    rng = np.random.default_rng(6)
    states = np.array([BIDDING.deal(rng) for _ in range(400)], BIDDING.dtype)
    seen = torch.from_numpy(bid_net.planes_of(BIDDING.rules, states["hands"][:, 0]))
    chances = bid_net.chances(agent.network, seen)
    texts = [BIDDING.text(int(action)) for action in agent.act_batch(states)]
    means = [
        np.mean([chance for chance, text in zip(chances, texts, strict=True) if text == bid])
        for bid in ("PASS", "BID1", "BID2", "BID3")
    ]
    assert means == sorted(means) and means[0] < 0.3 < 0.56 < means[-1]


def test_arguments_that_the_agent_refuses(bids: tuple[Path, bid_net.Result]) -> None:
    folder, _ = bids
    for argument, reason in (
        (f"net={folder}", "bids needs a kind"),
        ("net=nowhere:rule", "cannot read nowhere"),
        ("nets:rule", "no bid module 'nets'.*net=FILE"),
        (f"net={folder}:nobody", "no agent 'nobody'"),
    ):
        with pytest.raises(InputError, match=reason):
            agent_of_bids.make_bids(BIDDING, 0, agent_of_bids.read(argument))
    with pytest.raises(InputError, match="games with bidding"):
        agent_of_bids.make_bids(make_game("doudizhu"), 0, agent_of_bids.read(f"net={folder}:rule"))


def test_an_interrupted_bid_network_is_kept(bids: tuple[Path, bid_net.Result]) -> None:
    folder, _ = bids
    result = bid_net.train(
        folder / "deals.npz", folder / "part", 0.1, threads=1, progress=interrupt_at()
    )
    assert result.interrupted
    assert networks.load(result.path, "bid")[1] == json.loads(json.dumps(result.about))


def test_a_finished_bid_network_is_left_alone_or_goes_on(
    bids: tuple[Path, bid_net.Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, result = bids
    out = shutil.copytree(folder, tmp_path / "copy")
    made = (out / bid_net.NAME).read_bytes()
    clock = Clock()
    for module in (run, bid_net):
        monkeypatch.setattr(module, "time", clock)
    asked: list[int] = []
    ask = bid_net.Fitting.summary
    monkeypatch.setattr(
        bid_net.Fitting, "summary", lambda self: asked.append(self.steps) or ask(self)
    )

    def train(minutes: float, restart: bool = False) -> bid_net.Result:
        return bid_net.train(out / "deals.npz", out, minutes, threads=1, restart=restart)

    for minutes in (MINUTES, MINUTES / 2):
        assert train(minutes).about == result.about
        assert (out / bid_net.NAME).read_bytes() == made and not asked
    more = train(2 * MINUTES)
    assert more.about["epochs"] > result.about["epochs"]
    assert len(asked) == pytest.approx(bid_net.TIMES / 2, abs=2)
    (out / bid_net.CHECKPOINT).unlink()
    with pytest.raises(InputError, match="of another training"):
        train(MINUTES)
    assert train(MINUTES, restart=True).about == result.about


def test_chances_that_are_no_numbers_are_refused() -> None:
    network = networks.Network("bid")
    with torch.no_grad():
        for each in network.parameters():
            each.copy_(torch.randn_like(each) * 1e30)
    hands = np.array([pack("3456789TJQKA2245B")], np.uint64)
    seen = torch.from_numpy(bid_net.planes_of(make_game("doudizhu").rules, hands))
    with pytest.raises(InputError, match="weights so large"):
        bid_net.chances(network, seen)
