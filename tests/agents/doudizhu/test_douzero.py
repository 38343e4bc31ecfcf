"""DouZero's networks: features and values against a slow statement of both, and what is refused."""

import io
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from reference.douzero_network import Table, cards_of, value  # noqa: E402
from support import positions  # noqa: E402

from closedhand import Game, InputError, make_agent, make_game  # noqa: E402
from closedhand.agents.doudizhu import douzero  # noqa: E402
from closedhand.agents.doudizhu.network_agents import DOUZERO_FILES  # noqa: E402
from closedhand.core.agents import Agent  # noqa: E402
from closedhand.core.game import State  # noqa: E402
from closedhand.games.doudizhu.counts import unpack  # noqa: E402

GAME = make_game("doudizhu", rules="douzero")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Networks of random weights, as DouZero saves them."""
    path = tmp_path_factory.mktemp("networks")
    torch.manual_seed(3)
    for role, file in enumerate(DOUZERO_FILES):
        network = douzero.ValueNetwork(douzero.POSITION[min(role, 1)])
        torch.save(network.state_dict(), path / file)
    return path


def table_of(game: Game, state: State) -> Table:
    """The reference's table of a state."""
    landlord, *peasants, public = game.deal_text(state).split(";")
    need = game.rules.plays.need
    actions = [unpack(need[action]) for action in state.history[: state.moves]]
    return Table([landlord + public, *peasants], actions)


def some_positions(number: int) -> list[State]:
    """Positions of random games, early and late, of all roles."""
    found = [s.copy() for s in positions(GAME, seed=8, games=40) if not GAME.over(s)]
    chosen = np.random.default_rng(5).choice(len(found), number, replace=False)
    return [found[i] for i in chosen]


def test_features_equal_the_slow_ones() -> None:
    for state in some_positions(150):
        player = int(state.player)
        views = np.array([GAME.view(state, player)], GAME.dtype)
        history, position = douzero.features(GAME.rules, views, player)
        table = table_of(GAME, state)
        assert history[0].tolist() == table.history()
        assert position[0].tolist() == table.position()
        assert position.shape[1] + 54 == (373 if player == 0 else 484)


@pytest.mark.parametrize("rules", ["mini", "tiny"])
def test_the_cards_of_the_others_are_of_the_deck_in_play(rules: str) -> None:
    game = make_game("doudizhu", rules=rules)
    for state in positions(game, seed=8, games=2):
        player = int(state.player)
        views = np.array([game.view(state, player)], game.dtype)
        role = (player - int(state.landlord)) % 3
        _, position = douzero.features(game.rules, views, role)
        assert position[0, 54:108].sum() == state.left.sum() - state.left[player]


def values_of(agent: Agent, state: State) -> dict[str, float]:
    """The values of all legal plays by notation."""
    legal = GAME.legal(state)
    found = agent.values(GAME.view(state, int(state.player)), legal)
    return {GAME.text(int(play)): float(each) for play, each in zip(legal, found, strict=True)}


@pytest.mark.slow
def test_values_equal_the_slow_ones(folder: Path) -> None:
    """To 1e-5, in positions of every role."""
    agent = make_agent(GAME, f"douzero:{folder}")
    weights = [
        {name: tensor.tolist() for name, tensor in torch.load(folder / file).items()}
        for file in DOUZERO_FILES
    ]
    rng = np.random.default_rng(1)
    for state in some_positions(9):
        values = values_of(agent, state)
        table = table_of(GAME, state)
        for text in rng.choice(sorted(values), min(3, len(values)), replace=False):
            cards = "" if text == "PASS" else str(text)
            expected = value(weights[int(state.player)], table, cards)
            assert values[text] == pytest.approx(expected, abs=1e-5)


@pytest.mark.peers
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_values_equal_those_of_douzeros_own_code(folder: Path) -> None:
    pytest.importorskip("douzero")
    from reference.douzero_oracle import values as theirs

    agent = make_agent(GAME, f"douzero:{folder}")
    networks = [torch.load(folder / file) for file in DOUZERO_FILES]
    for state in some_positions(60):
        ours = values_of(agent, state)
        table = table_of(GAME, state)
        found = theirs(networks[int(state.player)], table)
        # Theirs are by cards in rank order, ours by the notation of plays.
        named = {"".join(sorted(text)) if text != "PASS" else "": v for text, v in ours.items()}
        assert named.keys() == found.keys()
        assert all(named[cards] == pytest.approx(found[cards], abs=1e-5) for cards in named)


@pytest.mark.parametrize("options", [{}, {"substeps": True}, {"bidding": True}])
def test_it_plays_the_most_valued_play(folder: Path, options: dict) -> None:
    """One view at a time or many at once, whole plays or sub-steps: always the same plays."""
    game = make_game("doudizhu", rules="douzero", **options)
    agent = make_agent(game, f"douzero:{folder}")
    rng = np.random.default_rng(4)
    states = np.array([game.deal(rng) for _ in range(4)], game.dtype)
    for _ in range(25):
        running = [i for i in range(len(states)) if not game.over(states[i])]
        views = np.array([game.view(states[i], int(states[i].player)) for i in running], game.dtype)
        actions = agent.act_batch(views)
        for i, view, action in zip(running, views, actions, strict=True):
            assert action in game.legal(view)
            assert action == agent.act(view)
            legal = game.legal(view)
            values = agent.values(view, legal)
            known = view["landlord"] >= 0 and view["group"] < 0
            assert np.isfinite(values).all() if known else np.isnan(values).all()
            if known and len(legal) > 1:
                assert action == legal[values.argmax()]
            game.play(states[i], int(action))


def test_many_plays_are_rated_in_parts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = make_agent(GAME, f"douzero:{folder}")
    views = np.array([GAME.view(s, int(s.player)) for s in some_positions(40)], GAME.dtype)
    whole = agent.act_batch(views)
    monkeypatch.setattr(douzero, "VIEWS", 7)
    assert (agent.act_batch(views) == whole).all()


def saved(value: object) -> bytes:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


class Trap:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> tuple:
        return sys.exit, ("unpickled code was run",)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda state: b"", "not a network, or is damaged"),
        (lambda state: b"no network at all", "not a network, or is damaged"),
        (lambda state: saved(state)[:5000], "not a network, or is damaged"),
        (lambda state: pickle.dumps(Trap()), "not a network, or is damaged"),
        (lambda state: saved(Trap()), "not a network, or is damaged"),
        (lambda state: saved([1, 2]), "it holds no parameters by name"),
        (lambda state: saved({**state, "dense3.bias": 5}), "it lacks the parameter dense3.bias"),
        (lambda state: saved({}), "it lacks the parameter lstm.weight_ih_l0"),
        (
            lambda state: saved({**state, "dense1.weight": torch.zeros(512, 612)}),
            r"dense1.weight has the shape \[512, 612\], not \[512, 501\]",
        ),
        (
            lambda state: saved({**state, "dense6.bias": torch.tensor([float("nan")])}),
            "dense6.bias has numbers that are not finite",
        ),
    ],
)
def test_damaged_and_other_files_are_refused(
    folder: Path, tmp_path: Path, damage: object, message: str
) -> None:
    for file in DOUZERO_FILES:
        (tmp_path / file).write_bytes((folder / file).read_bytes())
    state = torch.load(folder / DOUZERO_FILES[0])
    (tmp_path / DOUZERO_FILES[0]).write_bytes(damage(state))
    with pytest.raises(InputError, match=message) as caught:
        make_agent(GAME, f"douzero:{tmp_path}")
    assert "\n" not in str(caught.value)


def test_loading_leaves_pytorchs_generator_as_it_is(folder: Path) -> None:
    before = torch.get_rng_state()
    douzero.load(folder / DOUZERO_FILES[0], 0)
    assert torch.equal(torch.get_rng_state(), before)


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"landlord\.ckpt"):
        make_agent(GAME, f"douzero:{tmp_path}")
    with pytest.raises(InputError, match=r"the agent douzero takes a folder with landlord\.ckpt"):
        make_agent(GAME, "douzero")


def test_the_slow_cards_are_those_of_the_paper() -> None:
    """The example of a 4 x 15 matrix without its six cells that are always zero."""
    numbers = cards_of("33345B")
    assert [i for i, number in enumerate(numbers) if number] == [0, 1, 2, 4, 8, 53]
