"""The Bid Module: its features, its bids, how it is fitted, and the agent that bids by it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from support import assert_alike_without_compiler
from typer.testing import CliRunner

from closedhand import InputError, make_agent, make_game
from closedhand.baselines.doudizhu.bidding import (
    fitting as bid_fitting,
    modules as bidding,
    thresholds as bid_thresholds,
)
from closedhand.baselines.doudizhu.bidding.modules import FITTED, KINDS
from closedhand.baselines.doudizhu.bidding.thresholds import Module
from closedhand.baselines.learning import logistic
from closedhand.cli.groups import Commands
from closedhand.commands.doudizhu.bids import bids
from closedhand.core import duel
from closedhand.games.doudizhu.counts import RANKS, one, pack, unpack

BIDDING = make_game("doudizhu", bidding=True)
SEEN = ((0, 0), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2))


@pytest.fixture(scope="module")
def run() -> bid_fitting.Fit:
    """A small fit."""
    return bid_fitting.fit(make_game("doudizhu"), "rule", bid_fitting.FEWEST, seed=1)


@pytest.fixture(scope="module")
def results(run: bid_fitting.Fit) -> dict[str, Any]:
    return bid_fitting.results(run)


def hands(number: int, seed: int = 0) -> np.ndarray:
    """Random hands of 17 cards, uint64 [number, 3]."""
    rng = np.random.default_rng(seed)
    return np.array([BIDDING.deal(rng)["hands"].copy() for _ in range(number)])


def auction(cards: str, *made: str) -> Any:
    """The view of the next player after some bids; he holds `cards`."""
    state = BIDDING.deal(np.random.default_rng(0))
    for text in made:
        BIDDING.play(state, BIDDING.parse(text))
    state.hands[state.player] = pack(cards)
    return BIDDING.view(state, int(state.player))


def bid(kind: str, view: Any) -> int:
    action = bidding.bid_by(KINDS.index(kind), BIDDING.rules, view)
    return int(action) - int(BIDDING.rules.plays.number - 1)


@pytest.mark.parametrize(
    ("cards", "points", "groups"),
    [
        # The trio takes one solo along; the other one, the king and half of the ace wait.
        ("35444KA22SB", 13, 3.5),
        ("3456789", 0, 1),
        ("3333", 6, 0),
        ("2222", 6, 0),
        ("B", 4, 0),
        ("S", 3, 0),
        ("AA", 2, 0),
        ("A", 1, 0.5),
        ("3579J", 0, 5),
        ("33445566", 0, 1),
    ],
)
def test_control_and_tidiness(cards: str, points: int, groups: float) -> None:
    assert bidding.control(pack(cards)) == points
    assert bidding.waiting(pack(cards)) == groups


def test_features_describe_the_hand() -> None:
    out = np.empty(len(bidding.FEATURES))
    bidding.write_features(pack("3333579JKKAA22SB"), out)
    described = dict(zip(bidding.FEATURES, out, strict=True))
    assert described == {
        "one": 1, "B": 1, "S": 1, "rocket": 1, "twos": 2, "aces": 2, "kings": 2, "bombs": 1,
        "waiting": 5,
    }  # fmt: skip
    assert len(bidding.WEIGHTS) == len(out)


def test_control_cards_raise_the_chance() -> None:
    """A low solo becomes an ace, a 2 or a joker: the landlord does not win less often."""
    seen = 0
    for hand in hands(200).ravel():
        chance = bidding.landlord_wins(hand)
        assert 0 < chance < 1
        low = [i for i in range(9) if unpack(hand).count(RANKS[i]) == 1]
        for rank, most in ((12, 3), (13, 0), (14, 0)):
            if low and unpack(hand).count(RANKS[rank]) <= min(most, 2):
                seen += 1
                better = hand - one(low[0]) + one(rank)
                # A chain that is torn apart may cost more than the card is worth.
                if bidding.waiting(better) <= bidding.waiting(hand):
                    assert bidding.landlord_wins(better) > chance
    assert seen > 100


def test_thresholds_make_sense() -> None:
    for seat, stake in SEEN:
        least = bidding.THRESHOLDS[seat, stake, stake:]
        assert (np.diff(least) >= 0).all()
        assert least[0] > 0 and least[-1] < 1
    # The last seat takes a deal that nobody wanted with less than the first one asks for.
    assert bidding.THRESHOLDS[2, 0, 2] < bidding.THRESHOLDS[0, 0, 2]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("made", [(), ("BID1",), ("BID2",), ("PASS",), ("PASS", "BID1")])
def test_bids_top_the_others_or_pass(kind: str, made: tuple[str, ...]) -> None:
    stake = max([0, *(int(text[-1]) for text in made if text != "PASS")])
    found = set()
    for hand in hands(150).ravel():
        own = bid(kind, auction(unpack(hand), *made))
        assert own == 0 or stake < own <= 3
        found.add(own)
    assert {0, 3} <= found


@pytest.mark.parametrize("kind", KINDS)
def test_strong_hands_bid_and_weak_ones_pass(kind: str) -> None:
    assert bid(kind, auction("3456789AAAA2222SB")) == 3
    assert bid(kind, auction("33557799JJQQK4668")) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_hidden_cards_change_no_bid(kind: str) -> None:
    rng = np.random.default_rng(3)
    for made in ((), ("PASS",), ("BID1",), ("PASS", "BID2")):
        state = BIDDING.deal(rng)
        for text in made:
            BIDDING.play(state, BIDDING.parse(text))
        seat = int(state.player)
        other = BIDDING.redeal(BIDDING.view(state, seat), seat, rng)
        views = (state, BIDDING.view(state, seat), other)
        assert len({bid(kind, view) for view in views}) == 1


@pytest.mark.parametrize("substeps", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_agent_bids_by_the_module_and_plays_as_the_other(kind: str, substeps: bool) -> None:
    """Illegal actions raise in `play_out`."""
    game = make_game("doudizhu", bidding=True, substeps=substeps)
    agent = bidding.make(game, 0, f"{kind}:rule")
    assert agent.name == f"bids:{kind}:rule"
    rng = np.random.default_rng(5)
    states = np.array([game.deal(rng) for _ in range(100)], game.dtype)
    duel.play_out(game, states, np.zeros((100, 3), int), [agent])
    assert all(game.over(state) for state in states)
    assert len(set(states["stake"])) > 1
    plain = make_agent(game, "rule")
    state = game.deal(rng)
    while not game.over(state):
        view = game.view(state, int(state.player))
        action = agent.act(view)
        if state.landlord >= 0:
            assert action == plain.act(view)
        game.play(state, action)


def test_kinds_differ_and_the_usual_agents_bid_by_the_better_one() -> None:
    dealt = np.array([BIDDING.deal(np.random.default_rng(i)) for i in range(200)], BIDDING.dtype)
    made = {kind: bidding.make(BIDDING, 0, f"{kind}:rule").act_batch(dealt) for kind in KINDS}
    assert len({actions.tobytes() for actions in made.values()}) == len(KINDS)
    for usual in ("rule", "greedy"):
        actions = make_agent(BIDDING, usual).act_batch(dealt)  # type: ignore[attr-defined]
        assert (actions == made[KINDS[FITTED]]).all()


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (None, "bids takes a kind"),
        ("logic", "bids takes a kind"),
        ("bold:rule", "no bids of the kind 'bold'"),
        ("logic:nobody", "no agent 'nobody'"),
    ],
)
def test_arguments_that_the_agent_refuses(argument: str | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        bidding.make(BIDDING, 0, argument)


def test_the_agent_refuses_a_game_without_bidding() -> None:
    with pytest.raises(InputError, match="games with bidding"):
        bidding.make(make_game("doudizhu"), 0, "logic:rule")


def test_bids_in_plain_python() -> None:
    """Without the compiler they are the same."""
    code = (
        "import numpy as np\n"
        "from closedhand import make_game\n"
        "from closedhand.baselines.doudizhu.bidding import modules as bidding\n"
        "game = make_game('doudizhu', bidding=True)\n"
        "for i in range(30):\n"
        "    state = game.deal(np.random.default_rng(i))\n"
        "    print([int(bidding.bid_by(kind, game.rules, state)) for kind in range(3)])\n"
    )
    assert_alike_without_compiler(code)


def test_logistic_recovers_known_weights() -> None:
    rng = np.random.default_rng(0)
    features = np.concatenate([np.ones((30_000, 1)), rng.normal(size=(30_000, 2))], axis=1)
    true = np.array([-0.5, 1.0, -0.3])
    won = (rng.random(30_000) < logistic.chances_of(features, true)).astype(float)
    weights, errors = logistic.logistic(features, won, np.arange(30_000))
    assert (abs(weights - true) < 4 * errors).all()
    assert (errors > 0.008).all() and (errors < 0.02).all()
    # Observations that are the same twice are worth one.
    twice = [np.repeat(part, 2, axis=0) for part in (features, won, np.arange(30_000))]
    again, clustered = logistic.logistic(twice[0], twice[1], twice[2])
    np.testing.assert_allclose(again, weights)
    np.testing.assert_allclose(clustered, errors)
    rows = logistic.calibration(logistic.chances_of(features, weights), won)
    assert len(rows) == 10 and sum(row["number"] for row in rows) == 30_000
    assert all(abs(row["predicted"] - row["observed"]) < 0.04 for row in rows)


@pytest.mark.parametrize(
    ("totals", "bids", "cuts"),
    [
        # A pass brings nothing; 3 brings most in the upper half.
        ([[0, 0, 0, 0], [-1, -1, 1, 1], [-2, -2, 2, 2], [-3, -3, 3, 3]], [0, 1, 2, 3], [0.5] * 3),
        # 2 is best between.
        ([[0, 0, 0, 0], [-2, 1, 1, 1], [-2, 2, 1, 1], [-3, -3, 3, 3]], [0, 1, 2, 3],
         [0.25, 0.25, 0.5]),
        # After a 1 there is 2 or 3, and neither ever pays.
        ([[0, 0, 0, 0], [-1, -1, -1, -1], [-2, -2, -2, -2]], [0, 2, 3], [1, 1, 1]),
        # The bid has to rise: what a low chance gains by a 3, the high ones lose.
        ([[0, 0, 0, 0], [5, -2, -2, -2]], [0, 3], [1, 1, 1]),
    ],
)  # fmt: skip
def test_best_cuts(totals: list[list[float]], bids: list[int], cuts: list[float]) -> None:
    assert bid_thresholds.best_cuts(np.array(totals, float), bids).tolist() == cuts


def test_auctions_counted_are_auctions_played(run: bid_fitting.Fit) -> None:
    """The look-up holds the same auction as the game does."""
    deals = run.deals
    module = bid_fitting.fixed(bidding.LOGIC, deals.hands[:200])
    nobody = np.zeros(200, np.int64), np.full(200, -1)
    stakes, owners = bid_thresholds.hold(module.bid, range(3), *nobody)
    for i in range(200):
        state = BIDDING.deal(np.random.default_rng(0))
        state.hands[:] = deals.hands[i]
        for _ in range(3):
            if state.landlord < 0:
                BIDDING.play(state, int(bidding.bid_by(bidding.LOGIC, BIDDING.rules, state)))
        assert (state.stake, state.landlord) == (stakes[i], owners[i])
    paid = [bid_thresholds.points_of(deals.points[:200], stakes, owners, i) for i in range(3)]
    assert (sum(paid) == 0).all() and np.any(paid[0] != 0)


def test_thresholds_find_what_pays() -> None:
    """The landlord wins with the chance p: the last seat wants what the others pass from 1/2 on."""
    rng = np.random.default_rng(2)
    chances = rng.random((60_000, 3))
    points = np.where(rng.random(chances.shape) < chances, 1.0, -1.0)
    passes = Module(chances, np.full((3, 3, 3), np.inf))
    found = bid_thresholds.fit_thresholds(
        chances, points, [passes], np.ones(chances.shape, np.int64)
    )
    for seat in range(3):
        assert abs(found[seat, 0, 2] - 0.5) < 0.05
    # A share of 1/2 brings, at the stake 3, 1/2 of 6 points on average.
    one_of_them = Module(chances, found)
    assert bid_thresholds.points_alone(points, one_of_them, passes).mean() == pytest.approx(
        6 * 0.25, abs=0.05
    )


def test_the_fit_finds_the_control_cards(results: dict[str, Any]) -> None:
    weights = dict(zip(results["features"], results["weights"], strict=True))
    assert weights["B"] > 0 and weights["S"] > 0 and weights["twos"] > 0
    assert weights["waiting"] < 0
    assert results["log_loss"]["model"] < results["log_loss"]["constant"]
    assert np.shape(results["thresholds"]) == bidding.THRESHOLDS.shape
    assert {(row["alone"], row["others"]) for row in results["judged"]} >= {("fitted", "logic")}
    assert results["multiplier"]["won"] >= 1
    json.dumps(results)


def test_a_fit_goes_on_where_it_was(run: bid_fitting.Fit, tmp_path: Path) -> None:
    path = tmp_path / "deals.npz"
    game = make_game("doudizhu")
    half = bid_fitting.fit(game, "rule", 1, seed=1, path=path)
    assert half.games == 3 * bid_fitting.CHUNK
    again = bid_fitting.fit(game, "rule", bid_fitting.FEWEST, seed=1, path=path)
    assert again.games == run.games
    np.testing.assert_array_equal(again.deals.points, run.deals.points)
    with pytest.raises(InputError, match="made with seed 1, not 2"):
        bid_fitting.fit(game, "rule", 1, seed=2, path=path)
    path.write_bytes(b"nothing")
    with pytest.raises(InputError, match="no npz file"):
        bid_fitting.fit(game, "rule", 1, seed=1, path=path)
    with pytest.raises(InputError, match="games or more"):
        bid_fitting.results(half)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and then nothing of use", b"nonsense"])
def test_damaged_deals_are_one_line(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "deals.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="no npz file"):
        bid_fitting.read(path)
    np.savez(path, settings="{}", hands=np.zeros((2, 3)), points=np.zeros(2))
    with pytest.raises(InputError, match="holds no deals"):
        bid_fitting.read(path)


def test_an_interrupted_fit_is_kept(tmp_path: Path) -> None:
    def interrupt(games: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "deals.npz"
    game = make_game("doudizhu")
    run = bid_fitting.fit(game, "rule", 10_000, path=path, progress=interrupt)
    assert run.games == 3 * bid_fitting.CHUNK
    kept = bid_fitting.begin(game, "rule", 0, path)
    kept.resume()
    assert kept.learner.games == run.games


@pytest.mark.parametrize(
    ("name", "options"),
    [("leduc", {}), ("doudizhu", {"bidding": True}), ("doudizhu", {"objective": "win"})],
)
def test_what_cannot_be_fitted_to(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="bids are fitted"):
        bid_fitting.Fit(make_game(name, **options), "rule")


def command() -> typer.Typer:
    app = typer.Typer(cls=Commands, pretty_exceptions_enable=False)
    app.command("bids")(bids)
    app.callback()(lambda: None)
    return app


def test_command_fits_and_shows(tmp_path: Path) -> None:
    given = ["bids", "--agent", "rule", "--games", str(bid_fitting.FEWEST), "--out", str(tmp_path)]
    shown = CliRunner().invoke(command(), given)
    assert shown.exit_code == 0, shown.output
    assert "the chance that a bid takes" in shown.stdout
    saved = json.loads((tmp_path / "bids.json").read_text())
    again = CliRunner().invoke(command(), [*given, "--json"])
    assert json.loads(again.stdout) == saved


def test_command_refuses_bad_input(tmp_path: Path) -> None:
    for wrong in (["--games", "10"], ["--agent", "nobody"], ["--option", "bidding=true"]):
        refused = CliRunner().invoke(command(), ["bids", "--out", str(tmp_path), *wrong])
        assert refused.exit_code == 2
        message = refused.stderr.strip()
        assert message.startswith("closedhand: ") and "\n" not in message
