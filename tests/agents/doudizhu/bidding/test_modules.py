"""The Bid Module: its features, its bids, and the agent that bids by it."""

from typing import Any

import numpy as np
import pytest
from support import assert_alike_without_compiler

from closedhand import InputError, make_agent, make_game
from closedhand.agents.doudizhu.bidding import agent as agent_of_bids, modules as bidding
from closedhand.agents.doudizhu.bidding.modules import FITTED, KINDS
from closedhand.core import duplicate
from closedhand.core.agents import policy_or_choices, spent_by
from closedhand.games.doudizhu.counts import RANKS, one, pack, unpack

BIDDING = make_game("doudizhu", bidding=True)
SEEN = ((0, 0), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2))


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
    number = KINDS.index(kind)
    worth = bidding.score(number, view.hands[view.player])
    action = bidding.bid_with(number, worth, BIDDING.rules, view)
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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("substeps", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_agent_bids_by_the_module_and_plays_as_the_other(kind: str, substeps: bool) -> None:
    """Illegal actions raise in `play_out`."""
    game = make_game("doudizhu", bidding=True, substeps=substeps)
    agent = agent_of_bids.make_bids(game, 0, agent_of_bids.read(f"{kind}:rule"))
    assert agent.name == f"bids:{kind}:rule"
    rng = np.random.default_rng(5)
    states = np.array([game.deal(rng) for _ in range(100)], game.dtype)
    duplicate.play_out(game, states, np.zeros((100, 3), int), [agent])
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


@pytest.mark.parametrize(
    ("player", "searches"), [("search[threads=1,worlds=4]:32", 1), ("rule", 0)]
)
def test_the_cost_is_that_of_the_agent_that_plays(player: str, searches: int) -> None:
    agent = make_agent(BIDDING, f"bids:logic:{player}")
    state = BIDDING.deal(np.random.default_rng(0))
    for text in ("BID3", None):
        action = agent.act(BIDDING.view(state, int(state.player)))
        BIDDING.play(state, BIDDING.parse(text) if text else action)
    assert spent_by([agent])[0, 0] == searches


@pytest.mark.parametrize(("player", "has_policy"), [("random", True), ("rule", False)])
def test_there_is_a_policy_if_the_agent_that_plays_has_one(player: str, has_policy: bool) -> None:
    agent = make_agent(BIDDING, f"bids:logic:{player}")
    assert hasattr(agent, "probabilities") == has_policy
    view = auction("3456789AAAA2222SB")
    shares = policy_or_choices(BIDDING, agent, np.array([view]))
    assert shares[0, agent.act(view)] == 1


def test_kinds_differ_and_the_usual_agents_bid_by_the_better_one() -> None:
    dealt = np.array([BIDDING.deal(np.random.default_rng(i)) for i in range(200)], BIDDING.dtype)
    made = {
        kind: agent_of_bids.make_bids(BIDDING, 0, agent_of_bids.read(f"{kind}:rule")).act_batch(
            dealt
        )
        for kind in KINDS
    }
    assert len({actions.tobytes() for actions in made.values()}) == len(KINDS)
    for usual in ("rule", "greedy"):
        actions = make_agent(BIDDING, usual).act_batch(dealt)  # type: ignore[attr-defined]
        assert (actions == made[KINDS[FITTED]]).all()


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (None, "bids needs a kind"),
        ("logic", "bids needs a kind"),
        ("bold:rule", "no bid module 'bold'"),
        ("logic:nobody", "no agent 'nobody'"),
    ],
)
def test_arguments_that_the_agent_refuses(argument: str | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        agent_of_bids.make_bids(BIDDING, 0, agent_of_bids.read(argument))


def test_the_agent_refuses_a_game_without_bidding() -> None:
    with pytest.raises(InputError, match="games with bidding"):
        agent_of_bids.make_bids(make_game("doudizhu"), 0, agent_of_bids.read("logic:rule"))


@pytest.mark.slow
def test_bids_in_plain_python() -> None:
    """Without the compiler they are the same."""
    code = (
        "import numpy as np\n"
        "from closedhand import make_game\n"
        "from closedhand.agents.doudizhu.bidding import modules as bidding\n"
        "game = make_game('doudizhu', bidding=True)\n"
        "for i in range(30):\n"
        "    state = game.deal(np.random.default_rng(i))\n"
        "    worths = [bidding.score(kind, state.hands[state.player]) for kind in range(3)]\n"
        "    bids = [bidding.bid_with(k, worths[k], game.rules, state) for k in range(3)]\n"
        "    print([int(bid) for bid in bids], int(bidding.choose_bid(game.rules, state)))\n"
    )
    assert_alike_without_compiler(code)
