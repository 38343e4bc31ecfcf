"""Solving and learning Leduc: algorithms, brute force and OpenSpiel agree with one another."""

import json
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from reference import leduc as reference
from support import assert_alike_without_compiler

from closedhand import Game, InputError, make_agent, make_game
from closedhand.arena import match
from closedhand.baselines.leduc import abstraction, cfr, linear, solving
from closedhand.baselines.leduc.strategy import (
    Strategy,
    information_sets,
    legal_table,
    load,
    save,
    uniform,
)
from closedhand.baselines.leduc.tree import Evaluation, build, deal_probabilities, evaluate
from closedhand.core import duel
from closedhand.games.leduc.notation import CARDS
from closedhand.games.leduc.plays import ACTIONS, graph
from closedhand.papers.leduc_slides.graph import edge_probabilities, state_probabilities

UH, STANDARD = make_game("uh_leduc"), make_game("leduc")
STANDARD_VALUE = -0.085606424078
CONVENTIONS: list[dict[str, str]] = [{}, {"double_pair": "split"}, {"pair": "card"}]
GAMES = [STANDARD, *(make_game("uh_leduc", **options) for options in CONVENTIONS)]

every_game = pytest.mark.parametrize(
    "game", GAMES, ids=["standard", "rank-suit", "rank-split", "card"]
)
TABULAR = [name for name in solving.ALGORITHMS if name != "ppo"]


def solved(game: Game, iterations: int, algorithm: str = "pcfr+") -> Strategy:
    learner = solving.make(algorithm, game)
    learner.run(iterations)
    return learner.strategy()


def as_policy(strategy: Strategy) -> reference.Policy:
    """A strategy as the reference asks for it, by information set."""
    rows = {}
    for place in information_sets(strategy.game):
        node = strategy.game.rules.tables.nodes[place.node]
        flop = CARDS[place.slot - 1] if place.slot else "*"
        actions = tuple(action for action in place.history.split() if action != "/")
        known = (int(node["player"]), CARDS[place.card], flop, actions)
        rows[known] = strategy.probabilities[place.node, place.slot, place.card]
    return lambda known, legal: {a: float(rows[known][ACTIONS.index(a)]) for a in legal}


def test_information_sets_are_counted() -> None:
    """UH-Leduc has 728 of S and 464 of T, the standard game 936."""
    assert reference.count_information_sets("uh") == (728, 464)
    assert sum(reference.count_information_sets("standard")) == 936
    players = [int(UH.rules.tables.nodes[place.node]["player"]) for place in information_sets(UH)]
    assert (players.count(0), players.count(1)) == (728, 464)
    assert len(list(information_sets(STANDARD))) == 936
    assert legal_table(UH).any(-1).sum() == 728 + 464


def test_deals_have_their_probabilities() -> None:
    likely = deal_probabilities(UH)
    assert (likely > 0).sum() == 506
    for text, probability in reference.deals("uh").items():
        kinds = tuple(CARDS.index(card) for card in text.split(";"))
        assert likely[kinds] == pytest.approx(float(probability), abs=1e-15)


@every_game
def test_uniform_play_has_the_values_of_exact_fractions(game: Game) -> None:
    options = game.options
    found = evaluate(uniform(game))
    exact = reference.value(reference.uniform, **options)
    assert isinstance(exact, Fraction)
    assert found.value == pytest.approx(float(exact), abs=1e-12)
    for player in (0, 1):
        best = reference.best_response(reference.uniform, player, **options)
        assert found.best_responses[player] == pytest.approx(float(best), abs=1e-12)


@every_game
@pytest.mark.parametrize("iterations", [3, 200])
def test_evaluations_agree_with_brute_force(game: Game, iterations: int) -> None:
    """Of strategies far from and near to equilibrium."""
    strategy = solved(game, iterations, "lcfr")
    found, policy = evaluate(strategy), as_policy(strategy)
    assert found.value == pytest.approx(reference.value(policy, **game.options), abs=1e-12)
    for player in (0, 1):
        best = reference.best_response(policy, player, **game.options)
        assert found.best_responses[player] == pytest.approx(best, abs=1e-12)
    assert found.exploitability == found.nash_conv / 2 > 0


@every_game
def test_the_linear_program_is_an_equilibrium_and_solvers_come_to_it(game: Game) -> None:
    solution = linear.solve(game)
    exact = evaluate(solution.strategy)
    assert abs(exact.nash_conv) < 1e-9
    assert solution.value == pytest.approx(exact.value, abs=1e-9)
    run = solving.Run("pcfr+", solving.make("pcfr+", game), 0)
    found = run.advance(iterations=200_000, until=1e-6).points[-1].evaluation
    assert found.nash_conv < 1e-6
    assert found.value == pytest.approx(solution.value, abs=1e-6)


def test_the_value_of_standard_leduc() -> None:
    assert linear.solve(STANDARD).value == pytest.approx(STANDARD_VALUE, abs=1e-9)
    assert evaluate(solved(STANDARD, 40_000)).value == pytest.approx(STANDARD_VALUE, abs=1e-6)


@pytest.mark.parametrize(
    ("algorithm", "at_100", "at_1000"),
    [
        ("cfr", 9.6e-2, 1.2e-2),
        ("lcfr", 3.5e-2, 6.3e-3),
        ("cfr+", 1.3e-2, 2.4e-4),
        ("dcfr", 7.8e-3, 1.7e-4),
        ("pcfr+", 2.0e-2, 7.1e-4),
    ],
)
def test_the_family_converges_as_is_known(algorithm: str, at_100: float, at_1000: float) -> None:
    """Exploitability on standard Leduc, as another implementation measured it."""
    learner = solving.make(algorithm, STANDARD)
    learner.run(100)
    assert evaluate(learner.strategy()).exploitability == pytest.approx(at_100, rel=0.05)
    learner.run(900)
    assert evaluate(learner.strategy()).exploitability == pytest.approx(at_1000, rel=0.2)


@pytest.mark.parametrize(
    ("algorithm", "iterations", "exploitability"),
    [("mccfr", 300_000, 0.05), ("mmd", 3_000, 0.01), ("q-learning", 1_000_000, 2.0)],
)
def test_learners_learn(algorithm: str, iterations: int, exploitability: float) -> None:
    """Uniform play has an exploitability of 2.3."""
    assert evaluate(solved(UH, iterations, algorithm)).exploitability < exploitability


@pytest.mark.parametrize("iterations", [0, 3, 500])
def test_games_flow_through_the_graph(iterations: int) -> None:
    """What comes to a state is what goes there; phase 1 sees the card, not the flop."""
    strategy = solved(UH, iterations, "cfr") if iterations else uniform(UH)
    states, edges = state_probabilities(strategy), edge_probabilities(strategy)
    assert states["s1,1,1"] == pytest.approx(1)
    coming: dict[str, float] = {}
    for state, actions in graph(UH.rules.tables).items():
        assert sum(edges[state, action] for action in actions) == pytest.approx(1)
        for action, to in actions.items():
            coming[to] = coming.get(to, 0.0) + states[state] * edges[state, action]
    for state in states:
        assert state == "s1,1,1" or coming[state] == pytest.approx(states[state])
    assert sum(p for name, p in coming.items() if name[0] in "WP") == pytest.approx(1)
    place = next(p for p in information_sets(UH) if p.state == "(s1,1,1,SQ,*)")
    raises = strategy.probabilities[place.node, place.slot, place.card, ACTIONS.index("raise")]
    shown = edge_probabilities(strategy, card="SQ", flop="HJ")
    assert shown["s1,1,1", "raise"] == pytest.approx(raises)


def test_q_learning_finds_best_responses_to_what_stands_still() -> None:
    """In self-play nothing does; but the last decision of a hand is: never fold a sure win."""
    strategy = solved(UH, 3_000_000, "q-learning")
    for place in information_sets(UH):
        if place.state == "(s2,7,10,SA,SA)":
            row = strategy.probabilities[place.node, place.slot, place.card]
            assert row[ACTIONS.index("call")] == 1


def test_what_the_slides_states_cost() -> None:
    """Imperfect recall: not solved however long it is tried, where true information sets are."""
    strategy = abstraction.solve(UH, 3000)
    assert evaluate(strategy).nash_conv == pytest.approx(0.27, abs=0.01)
    shared: dict[str, np.ndarray] = {}
    for place in information_sets(UH):
        row = strategy.probabilities[place.node, place.slot, place.card]
        assert (shared.setdefault(place.state, row) == row).all()
    assert evaluate(solved(UH, 3000, "cfr+")).nash_conv < 1e-3


@every_game
def test_strategies_survive_files(game: Game, tmp_path: Path) -> None:
    strategy = solved(game, 50)
    save(strategy, tmp_path / "s.npz")
    other = load(tmp_path / "s.npz", game)
    assert (other.probabilities == strategy.probabilities).all()
    lines = (tmp_path / "s.csv").read_text().splitlines()
    assert lines[0] == "state,history,fold,check,call,raise"
    assert len(lines) == 1 + len(list(information_sets(game)))
    assert lines[1].startswith('"(s1,1,1,HJ,*)",,,')


def damaged(path: Path, **changes: Any) -> None:
    with np.load(path) as data:
        arrays = {**data, **changes}
    np.savez(path, **{key: value for key, value in arrays.items() if value is not None})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"probabilities": np.zeros((3, 3))}, "no strategy of uh_leduc"),
        ({"probabilities": uniform(UH).probabilities * 2}, "no strategy of uh_leduc"),
        ({"probabilities": uniform(UH).probabilities * np.nan}, "no strategy of uh_leduc"),
        ({"about": np.array("[]")}, "holds no strategy"),
        ({"about": None}, "holds no strategy"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    save(uniform(UH), tmp_path / "s.npz")
    damaged(tmp_path / "s.npz", **changes)
    with pytest.raises(InputError, match=message):
        load(tmp_path / "s.npz")


def test_strategies_are_for_their_own_game(tmp_path: Path) -> None:
    save(uniform(UH), tmp_path / "s.npz")
    for game in ("leduc", make_game("uh_leduc", pair="card")):
        with pytest.raises(InputError, match=r"holds a strategy of uh_leduc \(rules=uh, pair=rank"):
            make_agent(game, f"strategy:{tmp_path / 's.npz'}")
    with pytest.raises(InputError, match="cannot read"):
        make_agent(UH, f"strategy:{tmp_path / 'none.npz'}")
    with pytest.raises(InputError, match="takes a file"):
        make_agent(UH, "strategy")
    (tmp_path / "text.npz").write_text("nothing")
    with pytest.raises(InputError, match="no npz file"):
        make_agent(UH, f"strategy:{tmp_path / 'text.npz'}")


def test_damaged_files_are_input_errors(tmp_path: Path) -> None:
    """Whatever byte is wrong: the file is refused, or still holds a strategy."""
    save(uniform(UH), tmp_path / "s.npz")
    whole = (tmp_path / "s.npz").read_bytes()
    rng = np.random.default_rng(7)
    refused = 0
    for _ in range(150):
        data = bytearray(whole)
        for place in rng.integers(len(data), size=3):
            data[place] ^= 1 << rng.integers(8)
        (tmp_path / "s.npz").write_bytes(
            data[: rng.integers(len(data)) if refused % 5 == 4 else None]
        )
        try:
            load(tmp_path / "s.npz")
        except InputError:
            refused += 1
    assert refused > 100


def test_agents_play_their_strategy(tmp_path: Path) -> None:
    """What they win is what the exact evaluation says, within what chance allows."""
    save(solved(UH, 5), tmp_path / "s.npz")
    agent = make_agent(UH, f"strategy:{tmp_path / 's.npz'}", 1)
    rng = np.random.default_rng(2)
    states = np.array([UH.deal(rng) for _ in range(40_000)], UH.dtype)
    duel.play_out(UH, states, np.zeros((len(states), 2), np.int64), [agent])
    won = np.array([UH.returns(state)[0] for state in states])
    expected = evaluate(load(tmp_path / "s.npz")).value
    assert won.mean() == pytest.approx(expected, abs=4 * won.std() / 200)


def test_strategies_are_opponents_in_envs(tmp_path: Path) -> None:
    save(solved(UH, 50), tmp_path / "s.npz")
    opponent = f"strategy:{tmp_path / 's.npz'}"
    env = gymnasium.make("closedhand/UHLeduc-v0", opponents=opponent)
    envs = gymnasium.make_vec("closedhand/UHLeduc-v0", num_envs=64, opponents=opponent, seat=1)
    observation, _ = env.reset(seed=1)
    observations, _ = envs.reset(seed=1)
    ends = 0
    for _ in range(50):
        action = env.action_space.sample(observation["action_mask"])
        observation, reward, over, _, info = env.step(action)
        if over:
            assert reward == info["returns"][0] == -info["returns"][1]
            observation, _ = env.reset()
        actions = observations["action_mask"].argmax(1)
        observations, _, overs, _, _ = envs.step(actions)
        ends += overs.sum()
    assert ends > 500


def test_an_equilibrium_does_not_lose_on_average() -> None:
    data = match.play(UH, ["equilibrium", "random"], 2000, seed=3)
    both = data.pairs[0].returns
    assert (both[:, 0, 0] + both[:, 1, 1]).mean() > 0.8  # exactly: about 1.17


@pytest.mark.parametrize("algorithm", TABULAR)
def test_interrupted_work_goes_on_as_if_nothing_had_happened(
    algorithm: str, tmp_path: Path
) -> None:
    def begin(folder: Path | None = None) -> solving.Run:
        return solving.begin(algorithm, UH, 5, folder)

    begin(tmp_path).advance(iterations=500)
    resumed = solving.load(tmp_path, algorithm, UH, 5).advance(iterations=1000)
    whole = begin().advance(iterations=1000)
    assert [(p.iterations, p.evaluation) for p in resumed.points[-3:]] == [
        (p.iterations, p.evaluation) for p in whole.points[-3:]
    ]
    assert (resumed.strategy().probabilities == whole.strategy().probabilities).all()


def test_only_the_same_work_is_resumed(tmp_path: Path) -> None:
    solving.begin("dcfr", UH, 0, tmp_path).advance(iterations=10)
    for algorithm, game, seed, message in [
        ("cfr", UH, 0, "algorithm dcfr, not cfr"),
        ("dcfr", STANDARD, 0, "game uh_leduc, not leduc"),
        ("dcfr", UH, 1, "seed 0, not 1"),
    ]:
        with pytest.raises(InputError, match=message):
            solving.load(tmp_path, algorithm, game, seed)
    with pytest.raises(InputError, match="cannot read"):
        solving.load(tmp_path / "nowhere", "dcfr", UH, 0)
    (tmp_path / "learner.npz").write_text("nothing")
    with pytest.raises(InputError, match="no npz file"):
        solving.load(tmp_path, "dcfr", UH, 0)
    np.savez(tmp_path / "learner.npz", result=np.array("{}"))
    with pytest.raises(InputError, match="nothing that can be continued"):
        solving.load(tmp_path, "dcfr", UH, 0)


def test_reproduction_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In small: parts that are kept are not done again, an interrupted one is not kept."""
    from closedhand.papers.leduc_slides import reproduction as leduc

    done: list[str] = []

    def interrupted(tell: Any) -> dict[str, Any]:
        os.kill(os.getpid(), signal.SIGINT)
        tell(0.5)
        raise AssertionError("not interrupted")

    def values(tell: Any) -> dict[str, Any]:
        done.append("values")
        return {"value": 1}

    tail = [("values", values), ("bad", interrupted)]
    monkeypatch.setattr(leduc, "parts", lambda *_: dict(tail))
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            leduc.compute(tmp_path, 1.0, 0, lambda *_: None)
    assert done == ["values"]
    assert [path.name for path in tmp_path.iterdir()] == ["values.json"]
    tail[1] = ("bad", values)
    results = leduc.compute(tmp_path, 1.0, 0, lambda *_: None)
    assert results == {"values": {"value": 1}, "bad": {"value": 1}}
    leduc.compute(tmp_path, 2.0, 0, lambda *_: None)
    assert done == ["values"] * 4


def test_an_interrupted_run_is_no_part() -> None:
    from closedhand.papers.leduc_slides import reproduction as leduc

    def interrupt() -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        leduc._finished(solving.begin("cfr", UH), seconds=60, progress=interrupt)


def test_work_ends_by_time_or_aim() -> None:
    run = solving.Run("dcfr", solving.make("dcfr", UH), 0)
    run.advance(until=1e-2)
    assert 0 < run.points[-1].evaluation.nash_conv <= 1e-2 < run.points[-2].evaluation.nash_conv
    run = solving.Run("mccfr", solving.make("mccfr", UH), 0)
    run.advance(seconds=0.3)
    assert 0.2 < run.seconds < 1.0
    iterations = [point.iterations for point in run.points]
    assert iterations == sorted(set(iterations)) and iterations[:4] == [1, 2, 3, 4]


def test_the_unknown_is_refused() -> None:
    with pytest.raises(InputError, match="no algorithm 'magic'"):
        solving.make("magic", UH)
    with pytest.raises(InputError, match="not doudizhu"):
        solving.make("cfr", make_game("doudizhu"))


def test_nash_conv_is_the_sum_and_exploitability_the_half() -> None:
    found = Evaluation(-0.5, (1.0, 2.0))
    assert (found.nash_conv, found.exploitability) == (3.0, 1.5)


def test_solvers_work_without_compiled_kernels() -> None:
    program = """
from closedhand import make_game
from closedhand.baselines.leduc import solving
for name in ("dcfr", "mccfr", "mmd", "q-learning"):
    learner = solving.make(name, make_game("leduc"), 3)
    learner.run(3)
    print(name, learner.strategy().probabilities.round(9).sum(axis=(0, 1)).tolist())
"""
    assert_alike_without_compiler(program)


@pytest.mark.skipif(os.name == "nt", reason="interrupts are sent otherwise on Windows")
def test_ctrl_c_keeps_the_strategy(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from closedhand.cli import main; main()", "solve", "leduc"]
    command += ["--algorithm", "cfr", "--out", str(tmp_path)]
    subprocess.run([*command, "--iterations", "1"], check=True, capture_output=True)
    process = subprocess.Popen(
        [*command, "--iterations", "100000000"], stderr=subprocess.PIPE, text=True
    )
    time.sleep(5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130, errors
    assert "go on with --resume" in errors
    done = json.loads((tmp_path / "cfr" / "result.json").read_text())
    assert done["iterations"] > 100 and done["interrupted"]
    assert load(tmp_path / "cfr" / "strategy.npz").about["iterations"] == done["iterations"]
    more = str(done["iterations"] + 5)
    result = subprocess.run(
        [*command, "--resume", "--iterations", more, "--json"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(result.stdout)["iterations"] == int(more)


def open_spiel_policy(strategy: Strategy) -> dict[str, list[tuple[int, float]]]:
    """Probabilities by OpenSpiel's names of information sets and ids of actions."""
    import pyspiel

    game = pyspiel.load_game("leduc_poker")
    # Its cards are J, Q, K in two suits, ranks first; its actions fold, call or check, raise.
    ours = [CARDS.index(card) for card in ("HJ", "SJ", "HQ", "SQ", "HK", "SK")]
    found: dict[str, list[tuple[int, float]]] = {}

    def walk(theirs: Any, state: Any, cards: list[int]) -> None:
        if theirs.is_terminal():
            state.cards[: len(cards)] = cards
            assert theirs.returns() == STANDARD.returns(state).tolist()
            return
        if theirs.is_chance_node():
            for card in theirs.legal_actions():
                walk(theirs.child(card), state, [*cards, ours[card]])
            return
        player = theirs.current_player()
        assert player == state.player
        node = strategy.game.rules.tables.nodes[state.node]
        slot = cards[2] + 1 if node["phase"] == 2 else 0
        row = strategy.probabilities[state.node, slot, cards[player]]
        names = {0: ["fold"], 1: ["check", "call"], 2: ["raise"]}
        legal = [ACTIONS[action] for action in STANDARD.legal(state)]
        pairs = [(a, name) for a in theirs.legal_actions() for name in names[a] if name in legal]
        assert sorted(name for _, name in pairs) == sorted(legal)
        found[theirs.information_state_string(player)] = [
            (a, float(row[ACTIONS.index(name)])) for a, name in pairs
        ]
        for action, name in pairs:
            following = state.copy()
            STANDARD.play(following, ACTIONS.index(name))
            walk(theirs.child(action), following, cards)

    walk(game.new_initial_state(), STANDARD.deal(np.random.default_rng(0)), [])
    return found


@pytest.mark.peers
@pytest.mark.slow
def test_open_spiel_has_the_same_game_and_the_same_evaluation() -> None:
    """Legal actions and payoffs over its whole tree; NashConv and value of our strategies by it."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("leduc_poker")
    for strategy in (uniform(STANDARD), solved(STANDARD, 30, "cfr"), solved(STANDARD, 2000)):
        table = open_spiel_policy(strategy)
        assert len(table) == 936
        policy = pyspiel.TabularPolicy(table)
        ours = evaluate(strategy)
        assert pyspiel.nash_conv(theirs, policy) == pytest.approx(ours.nash_conv, abs=1e-9)
        values = pyspiel.expected_returns(theirs.new_initial_state(), policy, -1, True)
        assert values[0] == pytest.approx(ours.value, abs=1e-9)


@pytest.mark.peers
def test_open_spiel_solves_to_the_same_value() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("leduc_poker")
    solver = pyspiel.CFRPlusSolver(theirs)
    for _ in range(300):
        solver.evaluate_and_update_policy()
    values = pyspiel.expected_returns(theirs.new_initial_state(), solver.average_policy(), -1, True)
    gap = pyspiel.nash_conv(theirs, solver.average_policy())
    assert values[0] == pytest.approx(STANDARD_VALUE, abs=gap)
    assert evaluate(solved(STANDARD, 300, "cfr+")).nash_conv == pytest.approx(gap, rel=0.1)


def test_the_tree_is_as_large_as_the_game() -> None:
    """By public nodes: 23 decisions of the betting, of which 18 for each of 8 flops, and so on."""
    tree = build(UH)
    assert (tree.player < 2).sum() == 5 + 18 * 8
    assert (tree.player == 3).sum() == 3 + 26 * 8
    ends = np.flatnonzero(tree.player == 3)
    histories = sum((tree.pays[tree.slot[n]] > 0).sum() for n in ends)
    assert histories == reference.count_terminal_histories("uh") == 13_348


def test_the_family_is_a_table_of_settings() -> None:
    assert cfr.CFRPlus(UH).algorithm.negative == -np.inf
    assert cfr.discount(1.0, np.inf) == 1 and cfr.discount(1.0, -np.inf) == 0
    assert cfr.discount(4.0, 1.5) == pytest.approx(8 / 9)
    assert cfr.discount(4.0, 0.0) == 0.5
