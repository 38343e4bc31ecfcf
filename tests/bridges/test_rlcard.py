"""RLCard's games and agents: states and actions are converted both ways."""

import copy
import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

from closedhand import InputError, make_agent, make_game
from closedhand.arena import match
from closedhand.envs import SoloEnv

pytest.importorskip("rlcard")

from closedhand.bridges.rlcard import RLCardAgent, RLCardPlayer, doudizhu, leduc
from closedhand.bridges.rlcard.players import make_env

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]


def same(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Compare everything that RLCard's agents see."""
    assert np.array_equal(ours["obs"], theirs["obs"])
    assert set(ours["legal_actions"]) == set(theirs["legal_actions"])
    for action, cards in theirs["legal_actions"].items():
        assert np.array_equal(ours["legal_actions"][action], cards)
    assert sorted(ours["raw_legal_actions"]) == sorted(theirs["raw_legal_actions"])
    raw, their_raw = ours["raw_obs"], theirs["raw_obs"]
    for name, value in their_raw.items():
        if name in ("actions", "legal_actions"):
            assert sorted(raw[name]) == sorted(value)
        elif name == "current_player":
            continue  # our S is the small blind or opens the second round
        else:
            assert raw[name] == value, name


@pytest.mark.slow
def test_dou_dizhu_is_the_same_game_in_both_words() -> None:
    """Their states of whole games from our views, and our views from their states."""
    from rlcard.games.doudizhu.utils import cards2str

    env, empty = make_env("doudizhu"), make_env("doudizhu")
    game = make_game("doudizhu", rules="rlcard")
    rng = np.random.default_rng(1)
    for seed in range(3):
        env.seed(seed)
        state, _ = env.reset()
        public = cards2str(env.game.round.dealer.deck[-3:])
        hands = [player.initial_hand for player in env.game.players]
        for card in public:
            hands[0] = hands[0].replace(card, "", 1)
        record = game.parse_deal(";".join([*hands, public]).translate(doudizhu.OURS))
        while not env.is_over():
            view = game.view(record, int(record["player"]))
            ours = doudizhu.state_of(empty, game, view)
            same(ours, state)
            assert ours["action_record"] == state["action_record"]
            assert doudizhu.view_of(env, game, state).tobytes() == view.tobytes()
            action = int(rng.choice(game.legal(view)))
            text = doudizhu.text_of(game, view, action)
            assert doudizhu.action_of(game, view, text) == action
            number = env._ACTION_2_ID[text]
            assert getattr(env, doudizhu.TEXTS)[number] == text
            state, _ = env.step(number)
            game.play(record, action)
        assert game.over(record)
        won = game.returns(record) > 0
        assert won.tolist() == (env.get_payoffs() > 0).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("rules", doudizhu.PRESETS)
def test_rlcard_has_every_play_of_these_rules(rules: str) -> None:
    env, game = make_env("doudizhu"), make_game("doudizhu", rules=rules)
    view = game.view(game.deal(np.random.default_rng(0)), 0)
    texts = [doudizhu.text_of(game, view, action) for action in range(game.num_actions)]
    assert len(set(texts)) == game.num_actions
    assert set(texts) <= set(env._ACTION_2_ID)


@pytest.mark.slow
def test_every_position_of_rlcards_leduc_is_one_of_ours() -> None:
    """Our position has RLCard's observation, whichever player opens the second round."""
    env, empty = make_env("leduc-holdem"), make_env("leduc-holdem")
    game = make_game("leduc")
    rng = np.random.default_rng(1)
    openers = set()
    for seed in range(80):
        env.seed(seed)
        state, player = env.reset()
        while not env.is_over():
            view = leduc.view_of(env, game, state)
            assert game.valid(view, int(view["player"])) == ""
            ours = leduc.state_of(empty, game, view)
            if ours["raw_obs"]["self"] == player:
                same(ours, state)
            assert np.array_equal(ours["obs"], state["obs"])
            first, second = leduc.rounds(state["action_record"])
            if second:
                openers.add(second[0][0] == first[0][0])
            texts = {leduc.text_of(game, view, int(action)) for action in game.legal(view)}
            legal = set(state["raw_legal_actions"])
            assert texts <= legal and legal - texts <= {"fold"}
            for text in legal:
                assert leduc.action_of(game, view, text) in game.legal(view)
            # Folding would only end the game here.
            state, player = env.step(str(rng.choice(sorted(legal - {"fold"}))), raw_action=True)
    assert openers == {True, False}


@pytest.mark.slow
def test_their_models_play_in_our_matches() -> None:
    for name, model in (("doudizhu", "doudizhu-rule-v1"), ("leduc", "leduc-holdem-rule-v2")):
        game = make_game(name)
        agent = make_agent(game, f"rlcard:{model}", seed=3)
        assert agent.name == f"rlcard:{model}"
        np.random.seed(5)
        before = np.random.random()
        np.random.seed(5)
        first = match.play(game, [agent, "random"], deals=4, seed=1)
        assert np.random.random() == before, "NumPy's random numbers have changed"
        again = make_agent(game, f"rlcard:{model}", seed=3)
        second = match.play(game, [again, "random"], deals=4, seed=1)
        assert np.array_equal(first.pairs[0].returns, second.pairs[0].returns)


def test_ctrl_c_as_a_decision_begins_gives_numpys_state_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agent = RLCardAgent(make_game("leduc"), object())
    change = np.random.set_state

    def cut(state: Any) -> NoReturn:
        change(state)
        patch.undo()
        raise KeyboardInterrupt

    before, own = np.random.get_state()[1].copy(), agent._random.get_state()[1].copy()
    with monkeypatch.context() as patch:
        patch.setattr(np.random, "set_state", cut)
        with pytest.raises(KeyboardInterrupt), agent._own_random():
            pass
    assert (np.random.get_state()[1] == before).all()
    assert (agent._random.get_state()[1] == own).all()


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_their_models_play_in_copies_and_from_a_given_deal(clone: Callable[[Any], Any]) -> None:
    env = SoloEnv("leduc", opponents="rlcard:leduc-holdem-rule-v1")
    env.reset(seed=0)
    action = int(env.reset(options={"deal": "SQ;SJ;HK"})[1]["action_mask"].argmax())
    assert data_equivalence(clone(env).step(action), env.step(action))


@pytest.mark.parametrize("answer", [-1, 4, 10**9, None, "raise"])
def test_a_number_that_is_no_action_is_refused(answer: Any) -> None:
    class Fixed:
        use_raw = False

        def eval_step(self, state: Any) -> tuple[Any, dict[str, Any]]:
            return answer, {}

    game = make_game("leduc")
    view = game.view(game.deal(np.random.default_rng(1)), 0)
    with pytest.raises(InputError, match=r"is at most \d+, not \d+|is a whole number of 0"):
        RLCardAgent(game, Fixed()).act(view)


@pytest.mark.slow
def test_agents_with_numbers_for_actions_play_too() -> None:
    from rlcard.agents import RandomAgent
    from rlcard.models import load

    game = make_game("doudizhu", bidding=True)
    theirs = RLCardAgent(game, RandomAgent(27472), seed=2)
    with pytest.raises(InputError, match="no auction"):
        theirs.act(game.view(game.deal(np.random.default_rng(1)), 0))
    assert match.play(make_game("doudizhu"), [theirs, "rule"], deals=2).deals == 2
    poker = make_game("leduc")
    trained = RLCardAgent(poker, load("leduc-holdem-cfr").agents, seed=1, name="cfr")
    found = match.play(poker, [trained, "random"], deals=400, seed=1)
    assert found.pairs[0].returns.shape[0] == 400


@pytest.mark.slow
@pytest.mark.parametrize("name", ["doudizhu", "leduc-holdem"])
def test_our_agents_play_in_their_environments(name: str) -> None:
    env = make_env(name)
    env.seed(4)
    ours = "rule" if name == "doudizhu" else "equilibrium[iterations=50]"
    players = [RLCardPlayer(env, ours, seed) for seed in range(env.num_players)]
    env.set_agents(players)
    total = np.zeros(env.num_players)
    for is_training in (False, True):
        for _ in range(5):
            _, payoffs = env.run(is_training=is_training)
            total += payoffs
    assert np.isfinite(total).all()


@pytest.mark.parametrize("option", ["bidding", "doubling", "open_hand"])
def test_words_before_the_first_lead_are_refused(option: str) -> None:
    game = make_game("doudizhu", rules="rlcard", **{option: True})
    state = game.deal(np.random.default_rng(1))
    with pytest.raises(InputError, match="RLCard has no auction, no doubling and no open hand"):
        doudizhu.state_of(None, game, game.view(state, int(state.player)))


def test_games_that_rlcard_does_not_have_are_refused() -> None:
    for given, message in (
        (("daihinmin", {}), "RLCard has no daihinmin"),
        (("doudizhu", {"substeps": True}), "whole plays"),
        (("doudizhu", {"rules": "tiny"}), "lacks plays of rules 'tiny'"),
    ):
        name, options = given
        with pytest.raises(InputError, match=message):
            RLCardAgent(make_game(name, **options), object())
    with pytest.raises(InputError, match="3 seats, not 1"):
        RLCardAgent(make_game("doudizhu"), [object()])
    with pytest.raises(InputError, match="leduc has 2 seats, not 3"):
        RLCardPlayer(SimpleNamespace(name="leduc-holdem", num_players=3), "random")


@pytest.mark.slow
def test_bad_models_and_answers_are_refused() -> None:
    game = make_game("leduc")
    for bad in ("rlcard", "rlcard:uno-rule-v1"):
        with pytest.raises(InputError, match="one of RLCard's models: leduc-holdem-cfr"):
            make_agent(game, bad)

    class Stubborn:
        use_raw = True

        def eval_step(self, state: Any) -> tuple[str, list[Any]]:
            return "bid", []

    with pytest.raises(InputError, match="answers 'bid'"):
        RLCardAgent(game, Stubborn()).act(game.view(game.deal(np.random.default_rng(1)), 0))
    with pytest.raises(InputError, match="no game of ours is RLCard's uno"):
        RLCardPlayer(make_env("uno"), "random")
