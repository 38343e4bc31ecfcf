"""Agents by name, what is known of them before they play, and their policies."""

import hashlib
import pickle
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import VARIANTS, positions, variant_id
from support_agents import AGENTS
from typer.testing import CliRunner

from closedhand import GAMES, Game, InputError, agent_names, make_agent, make_game
from closedhand.arena import ladder
from closedhand.arena.hints import hints
from closedhand.cli import app
from closedhand.core import agents
from closedhand.core.agent_spec import AgentSpec, split_agents
from closedhand.core.agents import (
    Traits,
    act_batch,
    described,
    digests,
    files_of,
    how_to_play,
    legal_choice,
    make_adviser,
    parse_agent,
    traits_of,
)

DOUDIZHU = make_game("doudizhu")
DAIHINMIN = make_game("daihinmin")
LEDUC = make_game("leduc")


# Agents by name.


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kou[threshold=93", "the bracket in 'kou[threshold=93' is not closed"),
        ("kou[threshold=93]w90", "a colon is missing after the bracket"),
        ("kou[w90]", "an option of an agent has the form key=value, not 'w90'"),
        ("kou[lock=1,]", "an option of an agent has the form key=value, not ''"),
        ("kou[1=2]", "an option of an agent has the form key=value"),
        ("kou[lock=1,lock=1]", "the option lock is given twice"),
        ('kou:"w90', "the quote in"),
        ("kou[lock='1]", "the quote in"),
        (
            "kou{lock=1}",
            "daihinmin has no agent 'kou{lock=1}'; it has default, ismcts, kou, ",
        ),
        ("daihinmin.kou", "daihinmin has no agent 'daihinmin.kou'; it has default, ismcts, kou, "),
        ("doudizhu.greedy:5", "daihinmin has no agent 'doudizhu.greedy'; it has default, "),
        ("kou[lok=1]", "kou has no option 'lok'; it has letter, threshold, eight"),
        ("kou[lock=true]", "kou: lock is a whole number from -1 to 1, or none, not 'true'"),
        ("kou[lock=yes]", "kou: lock is a whole number from -1 to 1, or none, not 'y"),
        ("random[lock=1]", "random has no option 'lock'; it has none"),
        ("min-sets[a=1,b=2]", "min-sets has no option 'a'; it has none"),
        ("default[lead=low]", "default: lead is sets or single, not 'low'"),
        ("monte-carlo[threds=1]", "no option 'threds'; it has threads"),
        ("monte-carlo[seed=1]", "no option 'seed'; it has threads"),
        ("monte-carlo[threads=0]", "threads is a whole number from 1 to 1024, or none, not '0'"),
        ("policy-search[worlds=-2]", "worlds is a whole number from 0 to 1000000"),
        ("monte-carlo:5s", "monte-carlo takes a budget such as 500 or 20ms, not '5s'"),
        ("monte-carlo:500x4", "monte-carlo takes a budget such as 500 or 20ms, not '500x4'"),
    ],
)
def test_what_cannot_be_read_is_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        make_agent(DAIHINMIN, text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        (
            "doudizhu",
            "search[worlds=-1]",
            "search: worlds is a whole number from 0 to 1",
        ),
        ("doudizhu", "policy-search[worlds=x]:50", "policy-search: worlds is a whole number"),
        (
            "leduc",
            "equilibrium[iterations=0]",
            "iterations is a whole number of 1 or more",
        ),
        (
            "chinese_poker",
            "counter[hands=7]",
            "hands is a whole number from 5000 to 50000000",
        ),
        ("chinese_poker", "rescored[hands=x]", "rescored: hands is a whole number from 5000"),
    ],
)
def test_options_are_checked(game: str, text: str, message: str) -> None:
    if text.startswith("policy"):
        pytest.importorskip("torch")
    with pytest.raises(InputError, match=re.escape(message)):
        make_agent(game, text)


def views_of(game: Any, seed: int = 1, games: int = 20) -> np.ndarray:
    """Views of the players to act in random games."""
    found = [
        game.view(state, int(state.player))
        for state in positions(game, seed, games)
        if not game.over(state)
    ]
    return np.array(found, game.dtype)


@pytest.mark.parametrize(
    ("game", "one", "two"),
    [
        (DAIHINMIN, "kou[threshold=90]", "kou:w90"),
        (DAIHINMIN, "kou[lock=-1]:use_2", "kou:lock-,use_2"),
        (DAIHINMIN, "kou[threshold=80]:w90", "kou:w80"),
        pytest.param(
            DAIHINMIN, "monte-carlo[threads=1]:20", "monte-carlo:20", marks=pytest.mark.slow
        ),
        pytest.param(
            DOUDIZHU, "search[threads=1,worlds=16]:64", "search:64", marks=pytest.mark.slow
        ),
        (LEDUC, "equilibrium[iterations=2000]", "equilibrium"),
    ],
)
def test_options_say_what_arguments_say(game: Any, one: str, two: str) -> None:
    views = views_of(game, games=1)[:30]
    bracketed, plain = make_agent(game, one, 3), make_agent(game, two, 3)
    assert bracketed.name == one
    assert act_batch(bracketed, views).tolist() == act_batch(plain, views).tolist()


def test_specs_are_agents_to_make() -> None:
    assert make_agent("daihinmin", AgentSpec("kou", {"lock": 1})).name == "kou[lock=1]"
    assert make_agent("doudizhu", AgentSpec("search", {}, "20ms")).name == "search:20ms"


@pytest.mark.parametrize("game", GAMES)
def test_parsed_agents_can_be_sent_to_other_processes(game: str) -> None:
    sent = set[str]()
    for name in agent_names(game):
        for text in (name, f"{name}:50", f"{name}:x"):
            with suppress(InputError):  # it needs an argument or an extra
                agent = parse_agent(game, text)
                assert pickle.loads(pickle.dumps(agent)) == agent
                sent.add(name)
    assert {"random", "search", "ismcts", "monte-carlo"} <= sent


@pytest.mark.slow
def test_quoted_paths_are_found(tmp_path: Path) -> None:
    from support_strategies import uniform

    from closedhand.solvers.strategy import save

    folder = tmp_path / "a,b:c [d=1]"
    folder.mkdir()
    path = folder / "s.npz"
    save(uniform(LEDUC), path)
    plain, text = make_agent(LEDUC, f"strategy:{path}"), f'strategy:"{path}"'
    assert make_agent(LEDUC, text).name == plain.name == text
    assert set(digests(LEDUC, [text])) == {text}
    assert split_agents(f"random,{text}") == ["random", text]
    shown = CliRunner().invoke(
        app,
        ["match", "leduc", "--agents", f"{text},{text},random", "--deals", "20", "--workers", "1",
         "--out", str(tmp_path / "m.json"), "--json"],
    )  # fmt: skip
    assert shown.exit_code == 0, shown.output


def test_an_agent_of_another_package_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "late" not in agent_names("leduc")
    about = tmp_path / "late-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: late\nVersion: 1.0\n")
    point = "leduc.late = closedhand.agents.random:make_random"
    (about / "entry_points.txt").write_text(f"[{agents.GROUP}]\n{point}\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "late" in agent_names("leduc") and "late" not in agent_names("doudizhu")
    assert make_agent(LEDUC, "late").name == "random"


def test_agents_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point of the old form, one that takes any option, and one that lacks a module."""

    class Point:
        def __init__(self, name: str, factory: Any) -> None:
            self.name, self._factory, self.dist, self.value = name, factory, None, "x:y"

        def load(self) -> Any:
            if self._factory is None:
                raise ModuleNotFoundError("No module named 'nothing'", name="nothing")
            return self._factory

    def old(game: Any, seed: int, argument: str | None) -> Any:
        return make_agent(game, "random", seed)

    @described(lambda game, argument, **options: Traits(clocked=options["fast"]))
    def loose(game: Any, seed: int, argument: str | None, **options: Any) -> Any:
        return make_agent(game, "random", options["number"])

    def named(game: Any, seed: int, argument: str | None, model: str = "", size: int = 1) -> Any:
        models.append((model, size))
        return make_agent(game, "random", seed)

    models: list[tuple[str, int]] = []
    points = [Point("old", old), Point("leduc.loose", loose), Point("lame", None)]
    points += [Point("leduc.named", named)]
    points += [Point("random", agents._entry_point("leduc", "random").load())]
    monkeypatch.setattr(agents, "_entry_points", lambda folders: points)
    assert agent_names("leduc") == ["lame", "loose", "named", "old", "random"]
    assert make_agent(LEDUC, "old").name == make_agent(LEDUC, "loose[number=3]").name == "random"
    assert traits_of(LEDUC, "old") == Traits()
    assert traits_of(LEDUC, "loose[fast=true]").clocked
    # The table says what is a text, not the looks of what is given.
    for text in ("named[model=2024,size=3]", 'named[model=1e3,size="3"]', "named[model=true]"):
        make_agent(LEDUC, AgentSpec.parse(text))
    make_agent(LEDUC, AgentSpec("named", {"model": "7"}))
    assert models == [("2024", 3), ("1e3", 3), ("true", 1), ("7", 1)]
    with pytest.raises(InputError, match="old has no option 'x'; it has none"):
        make_agent(LEDUC, "old[x=1]")
    with pytest.raises(InputError, match="no module nothing, which the agent lame needs"):
        make_agent(LEDUC, "lame")


# What is known before they play.


def plain_digests(names: Iterable[str]) -> dict[str, str]:
    """The sums of the files that are named by words between colons."""
    found = {}
    for agent in names:
        words = [word.removeprefix("net=") for word in agent.split(":")]
        texts = {":".join(words[i:]) for i in range(1, len(words))} | set(words[1:])
        files = {file for text in texts for file in files_of(Path(text))}
        if files:
            content = b"".join(file.read_bytes() for file in sorted(files))
            found[agent] = hashlib.sha256(content).hexdigest()[:16]
    return found


CLOCKED = re.compile(r"((policy|value)-)?search|.*:\d+ms(:.+)?")

FORMS = {
    "doudizhu": [
        "random", "rule", "greedy", "decompose", "decompose:{npz}", "decompose:{colon}",
        "search", "search:50ms", "search:4000", "search:50ms:{npz}",
        "search:2000:{colon}", "value-search", "value-search:50ms",
        "value-search:400", "policy-net", "policy-net:{folder}", "policy-net:{policy}",
        "policy-search", "policy-search:50ms", "policy-search:4000:{folder}",
        "policy-search:20ms:{policy}", "bids:logic:greedy", "bids:fitted:search:50ms",
        "bids:control:decompose:{npz}", "bids:net={bid}:greedy", "bids:net={nets}:greedy",
        "bids:net={bid}:policy-net:{folder}", "bids:net={bid}:search:4000:{npz}",
    ],
    "daihinmin": [
        "default", "kou", "kou:w90", "kou:lock+,w80", "min-sets",
        "trick-ender",
        "monte-carlo", "monte-carlo:500", "monte-carlo:20ms",
        "monte-carlo:500:{npz}", "monte-carlo:20ms:{colon}",
    ],
    "leduc": ["random", "equilibrium", "strategy:{npz}", "strategy:{colon}", "strategy:{none}"],
    "uh_leduc": ["equilibrium", "strategy:{npz}"],
    "chinese_poker": [
        "separable", "separable:{npz}", "rescored", "rescored:{npz}",
        "counter", "counter:{npz}",
    ],
}  # fmt: skip
"""Forms of agents without brackets, those with files among them."""


@pytest.fixture
def places(tmp_path: Path) -> dict[str, str]:
    """Files and folders that agents may be made from."""
    contents = {
        "npz": "w.npz", "colon": "a:b/w.npz", "policy": "net/policy.safetensors",
        "kicker": "net/kicker.safetensors", "bid": "nets/bid.safetensors",
    }  # fmt: skip
    for name, path in contents.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(name)
    found = {name: str(tmp_path / path) for name, path in contents.items()}
    folders = {"folder": "net", "nets": "nets", "none": "nothing.npz"}
    return {**found, **{name: str(tmp_path / path) for name, path in folders.items()}}


@pytest.mark.slow
@pytest.mark.parametrize("game", FORMS)
def test_files_and_clocks_are_those_that_the_text_names(game: str, places: dict[str, str]) -> None:
    pytest.importorskip("sb3_contrib")
    bound = make_game(game)
    forms = [form.format_map(places) for form in FORMS[game]]
    assert {form.partition(":")[0] for form in forms} <= set(agent_names(game))
    new = digests(bound, forms)
    assert new == plain_digests(forms)
    assert set(new) == {
        form
        for form, raw in zip(forms, FORMS[game], strict=True)
        if "{" in raw and "{none}" not in raw
    }
    for form in forms:
        assert traits_of(bound, form).clocked == (CLOCKED.fullmatch(form) is not None), form
        assert traits_of(bound, form).microseconds is not None


def test_bracketed_agents_have_the_files_of_plain_ones(places: dict[str, str]) -> None:
    npz, bid, folder = places["npz"], places["bid"], places["folder"]
    pairs = {
        f'search[threads=1,worlds=5]:50ms:"{npz}"': f"search:50ms:{npz}",
        f'bids:net="{bid}":decompose:"{npz}"': f"bids:net={bid}:decompose:{npz}",
        f'bids:"net={bid}":decompose:{npz}': f"bids:net={bid}:decompose:{npz}",
        f'policy-search[threads=1]:"50ms:{folder}"': f"policy-search:50ms:{folder}",
    }
    pytest.importorskip("torch")
    new, old = digests(DOUDIZHU, pairs), plain_digests(pairs.values())
    assert new == {bracketed: old[plain] for bracketed, plain in pairs.items()}


FILES = {
    "doudizhu": {
        "decompose:{file}": "w.npz", "value-net:{file}": "w.npz",
        "value-net:{folder}": "value-net.npz", "value-search:50:{file}": "w.npz",
        "value-search:50:{folder}": "value-net.npz", "search:50:{file}": "w.npz",
        "policy-net:{folder}": "policy.safetensors",
        "policy-search:50:{folder}": "policy.safetensors",
        "bids:net={folder}:rule": "bid.safetensors",
        "learned:{folder}": "model.safetensors",
    },
    "daihinmin": {
        "monte-carlo:50:{file}": "w.npz", "policy:{file}": "w.npz",
        "policy-search:50:{file}": "w.npz",
    },
    "leduc": {"strategy:{file}": "w.npz"},
    "uh_leduc": {"strategy:{file}": "w.npz"},
    "chinese_poker": {
        "separable:{file}": "w.npz", "rescored:{file}": "w.npz", "counter:{file}": "w.npz",
    },
}  # fmt: skip
"""Agents with a path, and the only file that there is then."""


@pytest.mark.parametrize("game", FILES)
def test_digests_name_the_files_that_agents_load(game: str, tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    bound = make_game(game)
    for number, (form, name) in enumerate(FILES[game].items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / name).write_text("weights")
        agent = form.format(file=folder / name, folder=folder)
        assert set(digests(bound, [agent])) == {agent}


def test_a_folder_that_is_named_like_a_budget_is_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("100ms").mkdir()
    Path("100ms/policy.safetensors").write_bytes(b"1")
    assert digests(DOUDIZHU, ["search:100ms", "nobody:100ms"]) == {}


def test_an_inner_agent_lends_its_traits() -> None:
    inner, outer = (traits_of(DOUDIZHU, text) for text in ("search", "bids:logic:search"))
    assert outer.clocked and outer.microseconds == (inner.microseconds or 0) + 1


@pytest.mark.parametrize(
    ("text", "slow"),
    [
        ("search", True),
        ("search:1ms", True),
        ("search[threads=1]:50ms", True),
        ("search:4000", True),
        ("search:16", False),
        ("bids:logic:search:4000", True),
        ("decompose", False),
    ],
)
def test_slow_agents_are_known_by_cost_and_clock(text: str, slow: bool) -> None:
    assert ladder.is_slow(make_game("doudizhu"), text) == slow


@pytest.mark.slow
def test_the_same_agent_twice_on_a_ladder(tmp_path: Path) -> None:
    data = ladder.compute(
        make_game("doudizhu"),
        ["rule", "random", "rule"],
        20,
        10,
        tmp_path,
        0,
        1,
        lambda name, done: None,
    )
    assert {row["agent"] for row in data["agents"]} == {"rule", "random", "rule-2"}
    assert len(data["pairs"]) == 3
    assert data["agents"][-1]["agent"] == "random"


# Policies.


STOCHASTIC = [("random", *variant) for variant in VARIANTS if not variant[1]]
STOCHASTIC += [("random", "chinese_poker", {"substeps": True})]
STOCHASTIC += [("equilibrium[iterations=20]", game, {}) for game in ("leduc", "uh_leduc")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "game", "options"),
    STOCHASTIC,
    ids=[f"{name}-{variant_id((game, options))}" for name, game, options in STOCHASTIC],
)
def test_policies_are_distributions_over_legal_actions(
    name: str, game: str, options: dict[str, Any]
) -> None:
    bound = make_game(game, **options)
    views = views_of(bound, games=3)[:60]
    shares = make_agent(bound, name).probabilities(views)
    check_policy(bound, views, shares)


def check_policy(game: Any, views: np.ndarray, shares: np.ndarray) -> None:
    """Rows sum to 1 and are 0 for what is illegal."""
    assert shares.dtype == np.float64 and shares.shape == (len(views), game.num_actions)
    assert shares.sum(axis=1) == pytest.approx(1, abs=1e-9)
    assert (shares >= 0).all()
    for view, row in zip(views, shares, strict=True):
        assert set(np.flatnonzero(row)) <= set(game.legal(view).tolist())


@pytest.mark.parametrize("name", ["random", "equilibrium[iterations=20]"])
def test_actions_are_drawn_from_the_policy(name: str) -> None:
    """Chi-square over all decisions of some views; 99.9% of samples stay below the bound."""
    agent = make_agent(LEDUC, name, seed=1)
    views = np.unique(views_of(LEDUC, games=10))
    shares, draws = agent.probabilities(views), 2000
    actions = act_batch(agent, np.repeat(views, draws)).reshape(len(views), draws)
    counts = np.stack([(actions == each).sum(axis=1) for each in range(LEDUC.num_actions)], axis=1)
    expected = draws * shares
    assert (counts[expected == 0] == 0).all()
    usual = expected > 5
    chi2 = ((counts - expected)[usual] ** 2 / expected[usual]).sum()
    freedom = usual.sum() - len(views)
    assert freedom > 10
    assert chi2 < freedom + 3.1 * np.sqrt(2 * freedom) + 7
    # It would notice another policy.
    wrong = draws * make_agent(LEDUC, "equilibrium[iterations=1]").probabilities(views)
    if name == "random":
        wrong = np.roll(wrong, 1, axis=0)
    there = (wrong > 5) & usual
    assert ((counts - wrong)[there] ** 2 / wrong[there]).sum() > 2 * chi2


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"bidding": True}])
@pytest.mark.parametrize("substeps", [True, False])
def test_the_networks_play_the_most_probable(options: dict[str, Any], substeps: bool) -> None:
    pytest.importorskip("torch")
    game = make_game("doudizhu", substeps=substeps, **options)
    agent = make_agent(game, "policy-net")
    views = views_of(game, games=2)[: 40 if substeps else 12]
    shares, actions = agent.probabilities(views), act_batch(agent, views)
    check_policy(game, views, shares)
    if substeps:
        assert shares.argmax(axis=1).tolist() == actions.tolist()
    else:
        assert (shares[np.arange(len(views)), actions] > 0).all()


@pytest.mark.slow
def test_flat_probabilities_are_products_of_sub_steps() -> None:
    """Of a play with kickers: main group times kickers."""
    pytest.importorskip("torch")
    flat, steps = (make_game("doudizhu", substeps=s) for s in (False, True))
    state = flat.deal(np.random.default_rng(3))
    view = np.array([flat.view(state, int(state.player))], flat.dtype)
    shares = make_agent(flat, "policy-net").probabilities(view)[0]
    agent: Any = make_agent(steps, "policy-net")
    groups = agent.probabilities(view.astype(steps.dtype))[0]
    plays = flat.rules.plays
    by_group = np.zeros(steps.num_actions)
    for action in np.flatnonzero(shares):
        by_group[plays.group[action]] += shares[action]
    assert by_group == pytest.approx(groups, abs=1e-6)


def test_bids_are_certain() -> None:
    pytest.importorskip("torch")
    game = make_game("doudizhu", bidding=True)
    views = views_of(game, games=3)[:10]
    agent = make_agent(game, "bids:logic:random")
    shares = agent.probabilities(views)
    check_policy(game, views, shares)
    auction = views["landlord"] < 0
    assert shares[auction].argmax(axis=1).tolist() == act_batch(agent, views[auction]).tolist()
    assert (shares[auction].max(axis=1) == 1).all()


@pytest.mark.parametrize(
    ("game", "name"), [(DOUDIZHU, "random"), (DAIHINMIN, "random"), (DAIHINMIN, "policy")]
)
def test_a_policy_refuses_what_are_no_views_of_its_game(game: Game, name: str) -> None:
    agent, views = make_agent(game, name), views_of(game, games=1)
    assert agent.probabilities(views[::2]).sum() == pytest.approx(len(views[::2]))
    for wrong in (views_of(LEDUC, games=1), views[0], list(views), 5):
        with pytest.raises(InputError, match=f"states are an array .* of {game.name}"):
            agent.probabilities(wrong)


@pytest.mark.parametrize(
    ("game", "name"),
    [(DOUDIZHU, "search:16"), (DOUDIZHU, "value-search:16"), (DAIHINMIN, "monte-carlo:5")],
)
def test_a_search_refuses_what_is_no_view_of_its_game(game: Game, name: str) -> None:
    for wrong in (5, None, views_of(LEDUC, games=1)[0], views_of(game, games=1)):
        with pytest.raises(InputError, match=f"states are an array .* of {game.name}"):
            make_agent(game, name).act(wrong)


def test_agents_are_found_by_name() -> None:
    for game, names in AGENTS.items():
        assert set(names) <= set(agent_names(game))
    with pytest.raises(InputError, match="no agent 'nobody'"):
        make_agent("doudizhu", "nobody")


WITH_ARGUMENT = {"separable", "kou", "decompose", "policy", "value-net"}


@pytest.mark.parametrize("game", AGENTS)
def test_agents_without_argument_refuse_one(game: str) -> None:
    for agent in set(AGENTS[game]) - WITH_ARGUMENT:
        with pytest.raises(InputError, match="takes no argument"):
            make_agent(game, f"{agent}:5")


def test_files_behind_agents_count(tmp_path: Path) -> None:
    """A match does not go on with another network, be it named as a file, a folder or for bids."""
    (tmp_path / "policy.safetensors").write_bytes(b"1")
    file = tmp_path / "policy.safetensors"
    agents = [f"policy-net:{tmp_path}", f"policy-net:{file}", f"bids:net={file}:rule", "rule"]
    before = digests(DOUDIZHU, agents)
    assert set(before) == set(agents[:3])
    (tmp_path / "kicker.safetensors").write_bytes(b"2")
    after = digests(DOUDIZHU, agents)
    assert all(before[agent] != after[agent] for agent in agents[:3])


def test_how_to_play_a_folder_is_text_of_an_agent(tmp_path: Path) -> None:
    for name in ("plain", "a,b", "a:b", "a,b:c'"):
        folder = tmp_path / name
        folder.mkdir()
        for file in ("value-net.npz", "bid.safetensors"):
            (folder / file).touch()
        texts = how_to_play("doudizhu", folder)
        assert texts == split_agents(",".join(texts))
        found = {tuple(traits_of(DOUDIZHU, text).files) for text in texts}
        assert found == {(folder / "value-net.npz",), (folder / "bid.safetensors",)}
    assert f"value-net:{tmp_path / 'plain'}" in how_to_play("doudizhu", tmp_path / "plain")


class Lenient:
    """Chooses always the same action."""

    name = "lenient"

    def __init__(self, action: int) -> None:
        self.action = action

    def act(self, view: Any) -> int:
        return self.action


def test_the_choice_of_an_agent_as_the_game_counts_it() -> None:
    game = make_game("daihinmin", classes="none")
    agent, counted = make_agent(game, "policy"), set[int]()
    state = game.deal(np.random.default_rng(3))
    while not game.over(state):
        view = game.view(state, int(state.player))
        legal = game.legal(view).tolist()
        illegal = next(each for each in range(game.num_actions) if each not in legal)
        for action in (legal[0], illegal):
            try:
                counted.add(legal_choice(game, view, Lenient(action)))
            except InputError as error:
                assert action == illegal and "lenient makes no legal choice" in str(error)
            else:
                assert legal_choice(game, view, Lenient(action)) in legal
        assert hints(game, view, Lenient(illegal))[0].action in legal
        game.play(state, agent.act(view))
    assert len(counted) > 5


@pytest.mark.parametrize("action", [None, 1.5, "x", 2**70])
def test_the_choice_of_an_agent_is_checked(action: Any) -> None:
    game = make_game("uh_leduc")
    view = game.view(game.deal(np.random.default_rng(0)), 0)
    with pytest.raises(InputError, match="lenient"):
        legal_choice(game, view, Lenient(action))


def test_the_adviser_of_a_game_knows_its_rules() -> None:
    assert make_adviser(DAIHINMIN, "default", 0).name == "monte-carlo"
    for option in ("seven_give", "ten_discard"):
        game = make_game("daihinmin", **{option: True})
        assert make_adviser(game, "default", 0).name == "default"
