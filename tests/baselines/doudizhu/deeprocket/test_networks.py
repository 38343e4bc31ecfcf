"""Dou Dizhu's policy and kicker networks: shards, pairs, networks, training, the agent."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import SHIPPED, assert_alike_without_compiler, positions
from typer.testing import CliRunner, Result

from closedhand import InputError, make_game
from closedhand.baselines.doudizhu.deeprocket import pairs, recorded, shards
from closedhand.cli import app
from closedhand.core.records import from_state, write
from closedhand.games.doudizhu.counts import unpack
from closedhand.games.doudizhu.plays import GROUPS

torch = pytest.importorskip("torch")
pytest.importorskip("lightning")
pytest.importorskip("pyarrow")

from closedhand.baselines.doudizhu.deeprocket import networks, policy_net, stream, supervised  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

DOUDIZHU = make_game("doudizhu")
PAPER = SHIPPED / "deeprocket_match.jsonl"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shard of 120 games in which `greedy` and `rule` are drawn for the sides."""
    path = tmp_path_factory.mktemp("games")
    shards.generate(DOUDIZHU, ["greedy", "rule"], 120, 5, path)
    return path


@pytest.fixture(scope="module")
def games(folder: Path) -> recorded.Games:
    return recorded.read(folder)


def decisions(games: recorded.Games, number: int) -> Iterator[tuple[Any, int, int]]:
    """State, move and flat action of every decision of a game, by the slow way."""
    text = ";".join(unpack(cards) for cards in games.deals[number])
    state = DOUDIZHU.parse_deal(text)
    for move, action in enumerate(games.actions[games.offsets[number] : games.offsets[number + 1]]):
        yield state, move, int(action)
        DOUDIZHU.play(state, int(action))
    assert DOUDIZHU.over(state)


def groups(state: Any) -> set[int]:
    return {int(DOUDIZHU.rules.plays.group[action]) for action in DOUDIZHU.legal(state)}


# Shards.


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "SHARD", 8)
    monkeypatch.setattr(shards, "CHUNK", 4)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_shards_do_not_depend_on_interruptions(small_shards: None, tmp_path: Path) -> None:
    agents = ["greedy", "rule"]
    whole = shards.generate(DOUDIZHU, agents, 20, 1, tmp_path / "a")
    assert [shards.rows_of(path) for path in whole] == [8, 8, 4]

    def interrupt(done: int) -> None:
        if done == 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shards.generate(DOUDIZHU, agents, 20, 1, tmp_path / "b", progress=interrupt)
    assert sorted(contents(tmp_path / "b")) == ["games-00000.parquet", "games-00001.begun.npz"]
    done: list[int] = []
    shards.generate(DOUDIZHU, agents, 20, 1, tmp_path / "b", progress=done.append)
    assert done[0] == 12 and done[-1] == 20
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_fewer_games_take_none_away(small_shards: None, tmp_path: Path) -> None:
    shards.generate(DOUDIZHU, ["rule"], 16, 1, tmp_path)
    before = contents(tmp_path)
    shards.generate(DOUDIZHU, ["rule"], 5, 1, tmp_path)
    assert contents(tmp_path) == before


def test_agents_of_a_record_are_three_names(tmp_path: Path) -> None:
    state = DOUDIZHU.deal(np.random.default_rng(0))
    path = tmp_path / "games.jsonl"
    write(path, [from_state(DOUDIZHU, state, agents=("one", "two"))])
    with pytest.raises(InputError, match="record 1: agents are 3 names"):
        recorded.read(path)


def test_more_games_keep_the_first(small_shards: None, tmp_path: Path) -> None:
    shards.generate(DOUDIZHU, ["rule"], 10, 1, tmp_path)
    first = recorded.read(tmp_path)
    shards.generate(DOUDIZHU, ["rule"], 16, 1, tmp_path)
    assert (recorded.read(tmp_path).deals[:10] == first.deals).all()
    assert len(recorded.read(tmp_path).deals) == 16


@pytest.mark.parametrize(
    ("options", "agents", "seed", "reason"),
    [
        ({}, ["greedy", "rule"], 6, "seed 5, not 6"),
        ({}, ["greedy"], 5, "agents"),
        ({"rules": "rlcard"}, ["greedy", "rule"], 5, "options"),
        ({"bidding": True}, ["greedy"], 5, "without bidding"),
        ({"substeps": True}, ["greedy"], 5, "without substeps"),
        ({}, [], 5, "an agent"),
    ],
)
def test_other_settings_are_refused(
    folder: Path, options: dict[str, Any], agents: list[str], seed: int, reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        shards.generate(make_game("doudizhu", **options), agents, 120, seed, folder)


def test_both_agents_play_both_sides_as_a_team(folder: Path, games: recorded.Games) -> None:
    of = {name: recorded.read(folder, name).seats for name in ("greedy", "rule")}
    assert (of["greedy"] ^ of["rule"] == 7).all()
    # Bit 0 the landlord, bits 1 and 2 the peasants.
    assert set(of["greedy"].tolist()) == {0, 1, 6, 7}
    assert (games.seats == 7).all()


# Reading.


def test_text_and_shards_hold_the_same_games(games: recorded.Games, tmp_path: Path) -> None:
    records = []
    for number in range(3):
        for state, _, action in decisions(games, number):
            last = state.copy()
            DOUDIZHU.play(last, action)
        records.append(from_state(DOUDIZHU, last, ["greedy", "rule", "rule"]))
    write(tmp_path / "games.jsonl", records)
    read = recorded.read(tmp_path / "games.jsonl", "rule")
    assert (read.deals == games.deals[:3]).all()
    assert (read.offsets == games.offsets[:4]).all()
    assert (read.actions == games.actions[: read.offsets[-1]]).all()
    assert read.seats.tolist() == [6, 6, 6]


def test_the_papers_records_are_read() -> None:
    games = recorded.read(PAPER)
    assert len(games.deals) == len(PAPER.read_text().splitlines())
    assert len(pairs.index(games, "policy")) > 200


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("games.jsonl", '{"game": "leduc", "rules": {}, "seed": 1, "actions": []}', "of leduc"),
        ("games.jsonl", '{"game": "doudizhu", "rules": {"bidding": true}, "seed": 1,'
         ' "actions": []}', "auction"),
        ("games.jsonl", '{"game": "doudizhu", "rules": {}, "seed": 1, "actions": ["SB3"]}',
         "record 1"),
        ("games.jsonl", "\n".join(json.dumps({"game": "doudizhu", "rules": {"rules": rules},
         "seed": 1, "actions": []}) for rules in ("deeprocket", "rlcard")), "other rules"),
        ("games.jsonl", "", "no games"),
        ("games.parquet", "no parquet", "no shard"),
    ],
)  # fmt: skip
def test_other_files_are_refused(tmp_path: Path, name: str, text: str, reason: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=reason) as caught:
        recorded.read(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_a_folder_without_shards_and_an_unknown_expert(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no shards"):
        recorded.read(tmp_path)
    with pytest.raises(InputError, match="nobody named 'me'"):
        recorded.read(folder, "me")


# Pairs.


def test_pairs_are_all_decisions_with_a_choice(folder: Path) -> None:
    games = recorded.read(folder, "greedy")
    policy, kicker = [], []
    substeps = games.game
    for number in range(12):
        for state, move, action in decisions(games, number):
            if not games.seats[number] >> state.player & 1:
                continue
            if len(groups(state)) > 1:
                policy.append((number, move, 0))
            step = state.copy()
            substeps.play(step, int(DOUDIZHU.rules.plays.group[action]))
            picked = 0
            while step.group >= 0:
                if len(substeps.legal(step)) > 1:
                    kicker.append((number, move, picked))
                step_to(substeps, step, action)
                picked += 1
    for kind, expected in (("policy", policy), ("kicker", kicker)):
        rows = pairs.index(games, kind)
        assert [tuple(row) for row in rows[rows[:, 0] < 12].tolist()] == expected


def step_to(substeps: Any, state: Any, action: int) -> int:
    """Play the kicker that leads on to a flat action: the lowest that is still missing."""
    group = DOUDIZHU.rules.plays.groups[state.group]
    missing = int(DOUDIZHU.rules.plays.need[action]) - int(group.need) - int(state.picked)
    rank = next(rank for rank in range(15) if missing >> 4 * rank & 15)
    chosen = GROUPS + rank + (15 if group.unit == 2 else 0)
    substeps.play(state, chosen)
    return chosen


@pytest.mark.parametrize("kind", ["policy", "kicker"])
def test_encoding_agrees_with_the_game(games: recorded.Games, kind: str) -> None:
    substeps = games.game
    rows = np.random.default_rng(0).permutation(pairs.index(games, kind))[:40]
    batch = pairs.encode(games, kind, rows)
    assert len({int(number) for *_, number in rows}) > (kind == "kicker")
    for i, (number, move, kicker) in enumerate(rows.tolist()):
        state, action = next(
            (state, action) for state, at, action in decisions(games, number) if at == move
        )
        label = int(DOUDIZHU.rules.plays.group[action])
        part, first = "observation", 0
        if kind == "kicker":
            part, first = "kicker", GROUPS
            substeps.play(state, label)
            for _ in range(kicker):
                step_to(substeps, state, action)
            label = step_to(substeps, state.copy(), action)
        seen = substeps.observe(state, int(state.player))
        assert (batch.planes[i] == seen[part].ravel()).all()
        assert (batch.status[i] == seen["status"]).all()
        assert (np.flatnonzero(batch.mask[i]) + first == substeps.legal(state)).all()
        assert batch.label[i] + first == label


def test_a_deal_is_always_on_the_same_side(games: recorded.Games) -> None:
    held = pairs.is_held_out(games.deals)
    assert (pairs.is_held_out(games.deals[::-1])[::-1] == held).all()
    dealt = np.array([DOUDIZHU.deal(np.random.default_rng(i)) for i in range(2000)], DOUDIZHU.dtype)
    assert 0.08 < pairs.is_held_out(recorded.deals_of(dealt)).mean() < 0.12


@pytest.mark.parametrize("spoil", ["actions", "deals", "more"])
def test_illegal_games_are_refused(games: recorded.Games, spoil: str) -> None:
    parts = ("actions", "deals", "offsets")
    changed = games._replace(**{name: getattr(games, name).copy() for name in parts})
    if spoil == "deals":
        changed.deals[7, 1] += np.uint64(1)
    elif spoil == "actions":
        changed.actions[changed.offsets[7]] = 60_000
    else:
        # A game that goes on after its end: that of number 8 is taken for its rest.
        changed.offsets[8:] = changed.offsets[[9, *range(9, len(changed.offsets))]]
    with pytest.raises(InputError, match="game 7 of the records is not legal"):
        pairs.index(changed, "policy")


def test_pairs_are_alike_without_compiler(folder: Path) -> None:
    assert_alike_without_compiler(
        f"""
import zlib
from pathlib import Path
from closedhand.baselines.doudizhu.deeprocket import pairs, recorded
games = recorded.read(Path({str(folder)!r}), "rule")
few = games._replace(deals=games.deals[:9], offsets=games.offsets[:10], seats=games.seats[:9])
for kind in ("policy", "kicker"):
    rows = pairs.index(few, kind)
    print(len(rows), *(zlib.crc32(part.tobytes()) for part in pairs.encode(few, kind, rows[:9])))
"""
    )


# Networks.


def some(games: recorded.Games, kind: str, number: int = 12) -> stream.Tensors:
    return stream.tensors(pairs.encode(games, kind, pairs.index(games, kind)[:number]))


@pytest.mark.parametrize(("kind", "depth"), [("policy", 10), ("kicker", 5)])
@pytest.mark.parametrize("size", ["paper", "small"])
def test_networks_have_the_papers_shapes(
    games: recorded.Games, kind: str, depth: int, size: str
) -> None:
    network = networks.Network(kind, size)
    assert len(network.convolutions) == depth
    batch = some(games, kind, 2)
    shares = networks.probabilities(network.eval(), *(part.numpy() for part in batch[:3]))
    assert shares.shape == (2, {"policy": 309, "kicker": 28}[kind])
    assert np.allclose(shares.sum(axis=1), 1)
    assert (shares[~batch.mask.numpy()] == 0).all()


def test_the_paper_has_512_filters_and_one_row_at_the_end() -> None:
    network = networks.PolicyNetwork("paper")
    assert {layer.out_channels for layer in network.convolutions} == {512}
    assert network.head.in_features == 15 * 512
    assert sorted(network.skips) == [3, 6, 9]
    assert sorted(networks.PolicyNetwork("small").skips) == [2, 4, 6, 8]


def test_the_status_is_seen_unless_it_is_left_out(games: recorded.Games) -> None:
    batch = some(games, "policy")
    other = batch.status.clone()
    other[:, 4] = 1
    for status in (True, False):
        torch.manual_seed(0)
        network = networks.PolicyNetwork(status=status).eval()
        one, two = (network(batch.planes, each, batch.mask) for each in (batch.status, other))
        assert (one != two).any() == status


def test_each_role_has_a_layer_of_its_own(games: recorded.Games) -> None:
    torch.manual_seed(0)
    network = networks.PolicyNetwork(status=False, roles=True).eval()
    batch = some(games, "policy")
    status = torch.zeros_like(batch.status)
    status[:, 1] = 1
    before = network(batch.planes, status, batch.mask)
    with torch.no_grad():
        # The outputs of the landlord, then of the down peasant, then of the up peasant.
        network.head.bias[:309] += torch.randn(309)
        assert torch.equal(network(batch.planes, status, batch.mask), before)
        network.head.bias[309:618] += torch.randn(309)
        assert not torch.equal(network(batch.planes, status, batch.mask), before)


def test_networks_are_saved_with_what_is_known_of_them(
    games: recorded.Games, tmp_path: Path
) -> None:
    network = networks.PolicyNetwork(roles=True)
    networks.save(tmp_path / "a.safetensors", network, {"expert": "greedy"})
    loaded, provenance = networks.load(tmp_path / "a.safetensors", "policy")
    assert loaded.config == network.config
    assert provenance == {"expert": "greedy"}
    inputs = some(games, "policy")[:3]
    assert torch.allclose(loaded(*inputs), network.eval()(*inputs))
    with pytest.raises(InputError, match="policy network, not a kicker"):
        networks.load(tmp_path / "a.safetensors", "kicker")
    with pytest.raises(InputError, match="no network at"):
        networks.load(tmp_path / "b.safetensors", "policy")
    (tmp_path / "b.safetensors").write_bytes((tmp_path / "a.safetensors").read_bytes()[:999])
    with pytest.raises(InputError, match="is no network") as caught:
        networks.load(tmp_path / "b.safetensors", "policy")
    assert "\n" not in str(caught.value)


def test_unknown_networks_are_refused() -> None:
    with pytest.raises(InputError, match="no size 'huge'"):
        networks.PolicyNetwork("huge")
    with pytest.raises(InputError, match="no network 'value'"):
        networks.Network("value")


# Training.


@pytest.fixture(scope="module")
def trained(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both networks, hardly trained."""
    out = tmp_path_factory.mktemp("trained")
    for kind in ("policy", "kicker"):
        supervised.train(kind, folder, out, steps=40, batch=64, threads=1, checks=2)
    return out


def test_training_learns(trained: Path) -> None:
    history = json.loads((trained / "history.json").read_text())
    assert set(history) == {"policy", "kicker"}
    for checks in history.values():
        assert [check["step"] for check in checks] == [20, 40]
        assert checks[1]["loss"] < checks[0]["loss"]
        assert checks[1]["learning_rate"] < 1e-8
    assert history["policy"][1]["held_out_loss"] < history["policy"][0]["held_out_loss"]
    accuracy = history["policy"][-1]["accuracy"]
    # A guess among the legal groups is right about 13 times in 100.
    assert accuracy["all"] > 0.25
    assert set(accuracy) == {"all", "landlord", "down peasant", "up peasant"}
    assert list((trained / "tensorboard" / "policy").glob("events*"))
    assert not list(trained.glob("*.part"))


def test_the_best_network_is_kept(trained: Path, games: recorded.Games) -> None:
    from closedhand.baselines.doudizhu.deeprocket.checks import accuracies, evaluate

    network, provenance = networks.load(trained / "policy.safetensors", "policy")
    rows = pairs.index(games, "policy")
    held = rows[pairs.is_held_out(games.deals)[rows[:, 0]]]
    found = accuracies(evaluate(network, games, "policy", held))
    assert found == pytest.approx(provenance["accuracy"], abs=1e-3)
    assert provenance["step"] in (20, 40)
    assert provenance["rules"] == "deeprocket"


def test_training_is_interrupted_and_goes_on(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []
    batches = stream.Stream.batches_of_rows
    monkeypatch.setattr(
        stream.Stream,
        "batches_of_rows",
        lambda self, step: started.append(step) or batches(self, step),
    )

    def interrupt(share: float, text: str) -> None:
        if share > 0:
            signal.raise_signal(signal.SIGINT)

    def train(**given: Any) -> supervised.Result:
        settings = {"steps": 6, "batch": 16, "threads": 1, **given}
        return supervised.train("kicker", folder, tmp_path, **settings)

    result = train(progress=interrupt)
    assert result.interrupted
    assert [check["step"] for check in result.history][-1] == 2
    result = train()
    assert not result.interrupted
    assert result.history[-1]["step"] == 6
    assert started == [0, 2]
    # It is done: nothing more happens.
    assert train().history == result.history
    assert started == [0, 2]
    with pytest.raises(InputError, match="made with batch 16, not 8"):
        train(batch=8)
    assert train(batch=8, restart=True).history[-1]["step"] == 6
    (tmp_path / "kicker.ckpt").write_text("nothing")
    with pytest.raises(InputError, match="cannot go on from") as caught:
        train()
    assert "\n" not in str(caught.value)


def test_time_ends_training_and_anneals_it(folder: Path, tmp_path: Path) -> None:
    result = supervised.train(
        "kicker", folder, tmp_path, minutes=0.02, batch=16, threads=1, patience=100
    )
    assert result.history[-1]["seconds"] >= 1.2
    assert result.history[-1]["learning_rate"] < 1e-8


def test_training_stops_when_it_is_stuck(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(supervised.LEARNING_RATES, "small", 0.0)
    result = supervised.train(
        "kicker", folder, tmp_path, steps=100, batch=16, threads=1, checks=50, patience=3
    )
    assert [check["step"] for check in result.history] == [2, 4, 6, 8]


def test_batches_depend_on_seed_and_step_only(games: recorded.Games) -> None:
    rows = pairs.index(games, "policy")
    stream_of = stream.Stream(games, "policy", rows, 64, 3, lambda: 0)
    in_epoch = len(rows) // 64
    from_start = stream_of.batches_of_rows(0)
    chosen = [next(from_start) for _ in range(in_epoch + 2)]
    resumed = stream_of.batches_of_rows(in_epoch + 1)
    assert (next(resumed) == chosen[-1]).all()
    epoch = np.concatenate(chosen[:in_epoch])
    assert len(np.unique(epoch, axis=0)) == 64 * in_epoch
    assert (chosen[in_epoch] != chosen[0]).any()


# The agent.


@pytest.mark.parametrize(
    "options", [{}, {"substeps": True}, {"bidding": True}, {"bidding": True, "substeps": True}]
)
def test_the_agent_plays_legally(trained: Path, options: dict[str, Any]) -> None:
    game = make_game("doudizhu", **options)
    agent = policy_net.make(game, 0, str(trained))
    states = [state.copy() for state in positions(game, seed=3, games=3) if not game.over(state)]
    views = np.array([game.view(state, int(state.player)) for state in states], game.dtype)
    actions = agent.act_batch(views)
    assert actions.dtype == np.int32
    for state, action in zip(states, actions, strict=True):
        assert action in game.legal(state)
    assert [agent.act(view) for view in views[:10]] == actions[:10].tolist()


def test_the_agent_plays_what_it_prefers(trained: Path) -> None:
    game = make_game("doudizhu", substeps=True)
    agent = policy_net.make(game, 0, str(trained))
    kinds = set()
    for state in positions(game, seed=3, games=3):
        if game.over(state):
            continue
        view = game.view(state, int(state.player))
        preferences = agent.preferences(view)
        shares = list(preferences.values())
        assert sum(shares) == pytest.approx(1, abs=1e-5)
        assert shares == sorted(shares, reverse=True)
        assert {game.parse(text) for text in preferences} <= set(game.legal(state).tolist())
        assert game.text(agent.act(view)) == next(iter(preferences))
        kinds.add(bool(view.group >= 0))
    assert kinds == {True, False}
    auction = make_game("doudizhu", bidding=True)
    with pytest.raises(InputError, match="while cards are played"):
        policy_net.make(auction, 0, str(trained)).preferences(
            auction.view(auction.deal(np.random.default_rng(0)), 0)
        )


def test_the_networks_of_the_agent_are_found(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, kicker = trained / "policy.safetensors", trained / "kicker.safetensors"
    assert policy_net.files_of(str(trained)) == {"policy": policy, "kicker": kicker}
    assert policy_net.files_of(str(policy)) == {"policy": policy, "kicker": kicker}
    assert policy_net.make(DOUDIZHU, 0, str(policy)).name == f"policy-net:{policy}"
    shipped = {"policy": policy, "kicker": kicker}
    monkeypatch.setattr(policy_net, "SHIPPED_FILES", shipped)
    assert policy_net.make(DOUDIZHU, 0, None).name == "policy-net"
    (tmp_path / "policy.safetensors").write_bytes(policy.read_bytes())
    assert policy_net.files_of(str(tmp_path))["kicker"] == kicker
    with pytest.raises(InputError, match="no network at"):
        policy_net.make(DOUDIZHU, 0, str(tmp_path / "nothing"))


# The command line.


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_from_games_to_networks_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    generate = ("records", "generate", "doudizhu", "--agents", "greedy,rule", "--games", "60",
                "--out", "games", "--workers", "1")  # fmt: skip
    result = run(*generate)
    assert result.exit_code == 0, result.output
    assert result.stdout == "saved 60 games in 1 shards: games\n"
    for kind in ("policy", "kicker"):
        result = run("train", f"{kind}-net", "--records", "games", "--out", "net", "--steps", "3",
                     "--batch", "16", "--expert", "greedy", "--threads", "1")  # fmt: skip
        assert result.exit_code == 0, result.output
        assert "3 steps" in result.stdout
        assert f"saved net/{kind}.safetensors" in result.stdout
    assert {"policy.safetensors", "kicker.safetensors", "history.json"} <= {
        path.name for path in Path("net").iterdir()
    }


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["train", "chess", "--out", "x"], "no game 'chess' to train"),
        (["train", "policy-net", "--records", "x", "--out", "y", "--steps", "1"], "cannot read x"),
        (["train", "policy-net", "--records", "x", "--out", "y"], "--minutes or --steps"),
        (["train", "kicker_net", "--records", "x", "--out", "y", "--minutes", "nan"],
         "larger than 0"),
        (["train", "policy-net", "--records", "x", "--out", "y", "--steps", "1", "--size", "big"],
         "no size 'big'"),
        (["records", "generate", "leduc", "--agents", "random", "--out", "x"], "of doudizhu"),
        (["records", "generate", "doudizhu", "--agents", "nobody", "--out", "x"],
         "no agent 'nobody'"),
        (["records", "generate", "doudizhu", "--agents", "rule", "--out", "x", "--option",
          "bidding=true"], "without bidding"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert reason in result.stderr
    assert result.stderr.strip().count("\n") == 0


@pytest.mark.parametrize("name", ["doudizhu", "chinese_poker", "chinese-poker", "policy-net"])
def test_trainings_describe_themselves(name: str) -> None:
    result = run("train", name, "--help")
    assert result.exit_code == 0
    assert "--out" in result.stdout
