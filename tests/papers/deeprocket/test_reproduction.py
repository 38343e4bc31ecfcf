"""The DeepRocket paper's figures, positions and curves, in small and with quick agents."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from typer.testing import CliRunner, Result

from closedhand.agents.doudizhu.deeprocket import networks, pairs
from closedhand.agents.doudizhu.deeprocket.accuracy import played_by
from closedhand.agents.doudizhu.network_agents import SHIPPED_FILES, TUNED_FILES
from closedhand.agents.random import make_random
from closedhand.arena import ladder, match
from closedhand.cli import app
from closedhand.core.agents import Traits
from closedhand.core.file_kinds import COMMENT
from closedhand.core.files import SHIPPED
from closedhand.core.game import InputError, State
from closedhand.games.doudizhu.counts import unpack
from closedhand.papers.deeprocket import accuracy, inference, pairings, reproduction as deeprocket
from closedhand.search.playout import Uniform

GAME = pairings.the_game()
DEALS, GAMES = 40, 30

REPRODUCE = [
    *("reproduce", "deeprocket", "--network", "greedy", "--best", "rule", "--workers", "1"),
    *("--agents", "random,rule,greedy", "--games", str(GAMES), "--slow-deals", "15", "--out", "r"),
    *("--ladder-deals", str(DEALS)),
]

pytestmark = pytest.mark.usefixtures("in_empty_folder")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, [*REPRODUCE, *arguments])


def files() -> dict[str, bytes]:
    return {
        str(path.relative_to("r")): path.read_bytes() for path in sorted(Path("r").rglob("*.*"))
    }


@pytest.mark.slow
def test_everything_in_small() -> None:
    """Report, pictures and JSON; what is kept is not done again, further iterations are added."""
    first = run("--iterations", "2")
    assert first.exit_code == 0, first.output
    report = Path("r/report.md").read_text()
    assert report.removesuffix(f"\n{COMMENT}\n").strip() in first.stdout
    for title in deeprocket.SECTIONS.values():
        assert f"## {title}" in report
    for picture in ("figure-3", "figure-4", "ladder"):
        assert Path(f"r/{picture}.png").read_bytes().startswith(b"\x89PNG")
    before = files()
    assert len([name for name in before if name.startswith("figures")]) == 8
    assert len([name for name in before if name.startswith("ladder-")]) == 3
    assert Path("r/training.png").exists()

    again = run("--iterations", "3", "--json")
    data = json.loads(again.stdout)
    after = files()
    kept = [name for name in before if name.startswith(("figures/", "ladder-"))]
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert len([name for name in after if name.startswith("figures")]) == 12

    figures = data["figures"]
    assert figures["deals"] == 3 * GAMES
    for name, rates in figures["iterations"].items():
        landlord, peasants = figures["landlord"][name], figures["peasants"][name]
        assert len(rates) == 3
        assert np.mean(rates) == pytest.approx(landlord["mean"], abs=1e-5)
        assert landlord["mean"] + peasants["mean"] == pytest.approx(1, abs=1e-5)
        assert landlord["low"] < landlord["mean"] < landlord["high"]
    landlord = {name: rate["mean"] for name, rate in figures["landlord"].items()}
    gaps = {name: gap["mean"] for name, gap in figures["differences"].items()}
    expected = {
        "as landlord, against MW": landlord["DR v MW"] - landlord["MW v MW"],
        "as landlord, against DR": landlord["DR v DR"] - landlord["MW v DR"],
        "as peasants, against MW": landlord["MW v MW"] - landlord["MW v DR"],
        "as peasants, against DR": landlord["DR v MW"] - landlord["DR v DR"],
        "in duplicate, DR against MW": landlord["DR v MW"] - landlord["MW v DR"],
    }
    assert gaps == pytest.approx(expected, abs=1e-5)
    # greedy is much the stronger one of the two.
    assert figures["differences"]["in duplicate, DR against MW"]["low"] > 0

    assert [row["agent"] for row in data["ladder"]["agents"]] == ["greedy", "rule", "random"]
    assert sum(row["elo"]["mean"] for row in data["ladder"]["agents"]) == pytest.approx(0, abs=1e-3)
    assert {pair["deals"] for pair in data["ladder"]["pairs"]} == {DEALS}
    assert data["training"]["histories"] == accuracy.histories()


@pytest.mark.slow
def test_another_setting_is_played_anew() -> None:
    figures = ("--only", "figures", "--iterations", "1", "--json")
    before = json.loads(run(*figures).stdout)
    assert set(before) == {"figures"}
    assert json.loads(run(*figures).stdout) == before
    other = json.loads(run(*figures, "--seed", "1").stdout)
    assert other["figures"]["points"] != before["figures"]["points"]
    weak = json.loads(run(*figures, "--network", "random").stdout)["figures"]
    assert weak["landlord"]["DR v MW"]["mean"] < 0.3
    assert set(files()) > {"figures.md", "figures.html", "figure-3.png"}


def interrupt_call(patch: pytest.MonkeyPatch, module: Any, name: str, number: int) -> list[Any]:
    """Ctrl-C in one call of a function; the arguments of all calls, which are counted from 1."""
    function, calls = getattr(module, name), []

    def interrupted(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == number:
            raise KeyboardInterrupt
        return function(*arguments)

    patch.setattr(module, name, interrupted)
    return calls


def test_an_interrupted_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    only = ("--only", "figures", "--iterations", "1")
    calls = interrupt_call(monkeypatch, pairings, "play_chunk", 3)
    stopped = run(*only)
    assert stopped.exit_code == 130
    assert "the same command resumes" in stopped.stderr
    assert sorted(files()) == ["figures/DR-v-DR-01.json", "figures/DR-v-MW-01.json"]
    assert run(*only).exit_code == 0
    assert len(calls) == 3 + 2


@pytest.mark.slow
def test_an_interrupted_pair_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "CHUNK", 10)
    calls = interrupt_call(monkeypatch, match, "play_chunk", 7)
    assert run("--only", "ladder").exit_code == 130
    assert json.loads(run("--only", "ladder", "--json").stdout)["ladder"]["agents"]
    assert len(calls) == 3 * 4 + 1
    # Fewer deals are the first ones of those that are kept.
    fewer = json.loads(run("--only", "ladder", "--ladder-deals", "20", "--json").stdout)
    assert {pair["deals"] for pair in fewer["ladder"]["pairs"]} == {20}
    assert len(calls) == 3 * 4 + 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "nonsense"], "no section 'nonsense'; there are match, figures, positions"),
        (["--only", "figures", "--network", "nobody"], "doudizhu has no agent 'nobody'"),
        (["--only", "ladder", "--agents", "rule"], "a ladder needs at least two agents, not rule"),
        (["--only", "positions", "--agents", "rule,nobody"], "doudizhu has no agent 'nobody'"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not files()


# Table 7 and the positions.


def test_the_report_says_which_games_we_completed_and_what_the_paper_misorders() -> None:
    report = deeprocket.report({"match": deeprocket.match_table(), "positions": []})
    marked = [line.split("|")[1].strip() for line in report.splitlines() if "completed |" in line]
    assert marked == ["4", "5", "9"] and "4, 5, 9 stop before" in report
    assert "| total | +24 | +24 | +30 | +30 |  |" in report
    assert "prints the hands of the second example, inference, as up peasant" in report


def test_the_positions_are_those_of_the_paper() -> None:
    """Section 5.4 prints what everybody holds."""
    hands = {
        "cooperation": (1, "448QB", "339TJ2", "5"),
        "inference": (2, "2", "44699JJQA2B", "78JKKAS"),
    }
    for name, (player, *expected) in hands.items():
        state = deeprocket.position(name)
        assert [unpack(hand) for hand in state.hands] == expected
        assert state.player == player
        assert state.target < 0
        played = GAME.parse(deeprocket.POSITIONS[name].played)
        assert played in GAME.legal(state)


def test_positions_show_choices_and_preferences() -> None:
    class Certain:
        """Likes every legal action, the first one most; sees no other hand."""

        name = "certain"

        def act(self, view: State) -> int:
            assert (view.hands == 0).sum() == 2
            return int(GAME.legal(view)[0])

        def probabilities(self, views: np.ndarray) -> np.ndarray:
            shares = np.zeros((len(views), GAME.num_actions))
            for view, row in zip(np.rec.array(views), shares, strict=True):
                legal = GAME.legal(view)
                row[legal] = 0.25 / (len(legal) - 1)
                row[self.act(view)] = 0.75
            return shares

    rows = deeprocket.positions(["greedy", Certain()])
    assert [(row["position"], row["agent"]) for row in rows] == [
        (position, agent) for position in deeprocket.POSITIONS for agent in ("greedy", "certain")
    ]
    greedy, certain = rows[:2]
    assert (greedy["chosen"], greedy["agrees"], greedy["preferences"]) == ("3", True, None)
    assert next(iter(certain["preferences"].items())) == ("3", 0.75)
    assert not rows[3]["agrees"]
    text = deeprocket.report({"positions": rows})
    assert "| cooperation | certain | 3 | yes | 3 75.0%," in text
    assert "| inference | certain | 7 | no | 7 75.0%," in text


def test_choices_that_depend_on_the_seed_are_all_reported() -> None:
    rows = deeprocket.positions(["random"])
    for row in rows:
        assert sum(row["choices"].values()) == deeprocket.SEEDS
        assert row["choices"][row["chosen"]] == max(row["choices"].values()) < deeprocket.SEEDS
    text = deeprocket.report({"positions": rows})
    for row in rows:
        plays = ", ".join(f"{text} ({n})" for text, n in row["choices"].items())
        agreed = row["choices"][deeprocket.POSITIONS[row["position"]].played]
        assert f"| {row['position']} | random | {plays} | {agreed} of {deeprocket.SEEDS} |" in text


def test_a_pass_raises_the_chance_of_two_kings() -> None:
    """Section 6: the down peasant, who did not part them, has both more likely than by counting."""
    found = inference.infer(seed=1, hands=12)
    # Two kings in 33 cards, 17 of which are the down peasant's.
    assert found["counted"] == pytest.approx(17 / 33 * 16 / 32)
    assert found["inferred"].low > 0.3 > found["counted"]
    assert found["raised"] > 0.8
    text = deeprocket.report({"inference": found})
    assert "25.8% by the number of cards" in text


def test_what_is_inferred_without_the_play_is_what_cards_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inference, "Styles", lambda *_, **__: Uniform())
    found = inference.infer(seed=2, hands=40)
    assert found["inferred"].low < found["counted"] < found["inferred"].high


# The ladder.


def test_slow_agents_play_fewer_deals_in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [
        ladder.is_slow(GAME, name) for name in ("search:100ms", "policy-search", "policy-net")
    ] == [
        True,
        True,
        False,
    ]

    def traits_of(game: Any, agent: Any) -> Traits:
        return Traits(clocked=getattr(agent, "name", agent) == "random")

    for module in (ladder, match):
        monkeypatch.setattr(module, "traits_of", traits_of)
    seen: list[int] = []
    play = match.play

    def spied(*arguments: Any) -> match.Match:
        seen.append(arguments[4])
        return play(*arguments[:4], 1, *arguments[5:])

    monkeypatch.setattr(match, "play", spied)
    result = run("--only", "ladder", "--workers", "7", "--json")
    data = json.loads(result.stdout)["ladder"]
    assert [pair["deals"] for pair in data["pairs"]] == [15, 15, DEALS]
    assert seen == [1, 1, 7]
    for row in data["agents"]:
        assert row["elo"]["low"] <= row["elo"]["high"]
        assert row["microseconds_per_decision"] > 0 and 0 <= row["win_rate"] <= 1
    pair = data["pairs"][2]
    assert pair["agents"] == ["rule", "greedy"]
    rates = {role: rate["mean"] for role, rate in pair["win_rate"].items()}
    assert rates["all"] == pytest.approx((rates["landlord"] + rates["peasants"]) / 2, abs=1e-5)
    assert re.search(r"^\| rule v greedy \| 40 \| ", Path("r/ladder.md").read_text(), re.M)


# Training.


@pytest.mark.slow
def test_the_report_is_held_to_the_weights_that_it_names() -> None:
    """Every figure is of the file whose digest stands beside it."""
    result = run("--only", "training", "--quick", "--json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)["training"]
    report = Path("r/training.md").read_text()
    games = played_by("value-net", data["deals"], data["seed"])
    files = {
        "policy": SHIPPED_FILES["policy"],
        "policy, tuned=1": TUNED_FILES["policy"],
        "kicker": SHIPPED_FILES["kicker"],
    }
    assert data["networks"].keys() == files.keys()
    for name, path in files.items():
        found = data["networks"][name]
        kind = "kicker" if name == "kicker" else "policy"
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert found["digest"] == digest and found["file"] == path.name
        weights = hashlib.sha256((SHIPPED / "doudizhu_value_win.npz").read_bytes()).hexdigest()
        assert found["expert_digest"] == weights and f"value-net {weights[:12]})" in report
        assert found["expert"] == "value-net" and found["games"] == len(games.deals) > 150
        # A second statement: decision by decision, without blocks.
        rows = pairs.index(games, kind)
        network, _ = networks.load(path, kind)
        batch = pairs.encode(games, kind, rows)
        with torch.no_grad():
            chosen = network(batch.planes, batch.status, batch.mask).argmax(1)
        share = (chosen == batch.label).double().mean().item()
        assert found["decisions"] == len(rows)
        assert found["accuracy"]["all"] == pytest.approx(share, abs=1e-5)
        assert f"| {name} | {path.name} | {digest[:12]} | value-net | " in report
        assert f"| all | {100 * share:.1f} ± {100 * found['error']:.1f}% |" in report
    # The records of training are those of the supervised networks.
    for kind, about in data["histories"].items():
        assert about["digest"] == data["networks"][kind]["digest"]
        assert f"| {kind} | {about['digest'][:12]} | value-net | " in report
    assert data["networks"]["policy, tuned=1"]["digest"] != data["networks"]["policy"]["digest"]
    assert data["histories"]["policy"]["weights"] == data["networks"]["policy"]["expert_digest"]
    assert data["histories"]["kicker"]["weights"] is None and "| not stated | " in report
    assert Path("r/training.png").read_bytes().startswith(b"\x89PNG")


def test_every_report_names_the_weights_and_other_weights_play_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    figures = ("--only", "figures", "--iterations", "1", "--games", "4")
    assert run(*figures).exit_code == 0
    report, kept = Path("r/figures.md").read_text(), files()
    for path in {*SHIPPED_FILES.values(), *TUNED_FILES.values()}:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert f"{path.name} ({digest[:12]})" in report
    assert run(*figures).exit_code == 0 and files() == kept
    ladder = ("--only", "ladder", "--ladder-deals", "2")
    assert run(*ladder).exit_code == 0
    before = files()
    for module in (accuracy, pairings):
        monkeypatch.setattr(module, "shipped_weights", lambda: {"doudizhu.npz": "0" * 64})
    assert run(*figures).exit_code == 0 and run(*ladder).exit_code == 0
    assert "doudizhu.npz (000000000000)" in Path("r/ladder.md").read_text()
    for start, count in (("figures/", 4), ("ladder-", 6)):
        assert len([path for path in files() if path.startswith(start)]) == count
    part = "figures/DR-v-MW-01.json"
    assert files()[part] != before[part]


def test_the_records_of_training_are_those_of_the_networks_that_ship() -> None:
    for about in accuracy.histories().values():
        [chosen] = [entry for entry in about["history"] if entry["step"] == about["step"]]
        assert chosen["accuracy"] == about["accuracy"]


def test_curves_of_training() -> None:
    policy = [
        {"step": 0, "loss": 5.0},
        {"step": 100, "accuracy": {"all": 0.5, "landlord": 0.6}},
        {"step": 200, "accuracy": {"all": 0.75, "landlord": 0.55}},
    ]
    assert accuracy.curves(policy) == {
        "all": [(100, 0.5), (200, 0.75)],
        "landlord": [(100, 0.6), (200, 0.55)],
    }


def test_plans_take_agents_by_name_only_where_they_are_played() -> None:
    """The usual agents of a section that is not asked for need not be there."""
    agent = make_random(GAME, 0, None)
    assert deeprocket.positions([agent])[0]["agent"] == "random"
    plan = deeprocket.Plan(network="rule", best="rule", games=5, iterations=1, agents=("nobody",))
    with pytest.raises(InputError, match="at least two agents"):
        deeprocket.compute(Path("r"), plan, lambda *_: None)
    quick = deeprocket.Plan("rule", "rule", 5, 1, ("nobody",), sections=("figures",))
    assert set(deeprocket.compute(Path("r"), quick, lambda *_: None)) == {"figures"}
