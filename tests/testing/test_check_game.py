"""`check_game`: our games pass under all options, and each of many planted faults is named."""

import dataclasses
import functools
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from support import FUZZ, VARIANTS, examples, variant_id

from closedhand import InputError, make_game
from closedhand.agents.agent import KernelAgent
from closedhand.agents.doudizhu import greedy
from closedhand.core import registry
from closedhand.core.registry import GameSpec
from closedhand.testing import ContractError, check_game, contract, processes
from closedhand.testing.envs import check_opponent
from closedhand.testing.expectations import reporting

KUHN = Path(__file__).parents[2] / "examples" / "kuhn-poker" / "kuhn_poker" / "game.py"
"""A correct game, small enough to break it in many ways."""


SPARED = () if FUZZ > 1 else (4, 7, 9, 10)
"""Variants that only combine presets and options of others: checked where `FUZZ` is above 1."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "variant", [v for i, v in enumerate(VARIANTS) if i not in SPARED], ids=variant_id
)
def test_our_games_keep_the_contract(variant: tuple[str, dict[str, Any]]) -> None:
    """Under their default options in more games: the others share most of their code."""
    name, options = variant
    game = make_game(name, **options)
    check_game(game, games=examples(8 if game.options == make_game(name).options else 4))


def test_the_callers_generators_are_left_alone() -> None:
    before, numbers = random.getstate(), np.random.get_state(legacy=False)["state"]
    contract.check_deals(make_game("leduc"), 20, 0)
    assert random.getstate() == before
    after = np.random.get_state(legacy=False)["state"]
    assert after["pos"] == numbers["pos"] and (after["key"] == numbers["key"]).all()


def test_an_opponent_of_whole_plays_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("doudizhu", substeps=True)
    check_opponent(game, 0)
    monkeypatch.setattr(greedy, "PlayAgent", KernelAgent)
    message = "doudizhu: opponent: greedy cannot play sub-steps; an agent with a policy of whole"
    with pytest.raises(ContractError, match=message), reporting(game, "opponent"):
        check_opponent(game, 0)


class Fault(NamedTuple):
    """A fault in the source of a correct game.

    Attributes:
        edits: What is replaced, and by what.
        message: Words that the message of `check_game` holds.
    """

    edits: dict[str, str]
    message: str


END = '        payoff_sum=0.0,\n        unit="chips",\n'
START = "def make_game("
MORE = "@kernel\ndef {}:\n    return {}\n\n\n" + START

LOOSE = """
class Loose(Game):
    def observe(self, state, player):
        out = np.zeros(self.observation_size, np.int8)
        contract.observe(self.rules, state, player, out)
        return self.split(out)


def make_game("""

IMPORT = "from closedhand.authoring import "
TABLE = {
    IMPORT: "from closedhand.core.features import Feature, FeatureTable\n" + IMPORT,
    END: "        feature_table=FeatureTable(Feature('card', ('',), '', 2, -1)),\n" + END,
}
FEATURES = "@kernel\ndef features(rules, state, player, out):\n    out[0] = {}\n\n\n" + START


FAULTS = {
    "ids in no order": Fault(
        {"out[0] = PASS": "out[0] = BET", "out[1] = BET": "out[1] = PASS"}, "legal: ids ascend"
    ),
    "an id out of range": Fault({"out[1] = BET": "out[1] = 2"}, "legal: ids are 0 to 1"),
    "no legal action": Fault({"    return 2\n": "    return 0\n"}, "legal: there is no"),
    "legal peeks": Fault(
        {"    return 2\n": "    return 1 if state.cards[1 - state.player] == 2 else 2\n"},
        "legal: the actions of player_0 depend on what it cannot know",
    ),
    "is_legal is wrong": Fault(
        {START: MORE.format("is_legal(rules, state, action, ids)", "action == PASS")},
        "legal: action 1 is listed, but is_legal denies it",
    ),
    "admit is wrong": Fault(
        {START: MORE.format("admit(rules, state, action, ids)", "max(action, 0)")},
        "illegal actions: the illegal action -1 counts as 0",
    ),
    "payoff is wrong": Fault(
        {START: MORE.format("payoff(rules, state, player)", "1.0")},
        "payoff: player_0 is promised 1.0",
    ),
    "deal by another generator": Fault(
        {"shuffle(deck, seed)": "np.random.shuffle(deck)"},
        "deal: the same seed deals the same state, but 'cards' differ",
    ),
    "a deal is not listed": Fault(
        {"permutations(range(len(CARDS)), SEATS)": "permutations(range(2), SEATS)"},
        "deals: the probabilities of the deals add up to 0.333",
    ),
    "deals have other probabilities": Fault(
        {"yield state, 1 / 6": "yield state, (cards[0] + 1) / 12"},
        "deals: deal and deals disagree: ",
    ),
    "a deal is listed twice": Fault(
        {"yield state, 1 / 6": "yield state, 1 / 12\n        yield state, 1 / 12"},
        "deals: the deal JQ is listed twice",
    ),
    "deal without shuffling": Fault(
        {"    shuffle(deck, seed)\n": ""}, "deal: 20 different seeds deal the same state"
    ),
    "deal leaves remains": Fault(
        {"    state.moves = 0\n": ""},
        "deal: a deal over a finished game is that on a blank state, but 'moves' differ",
    ),
    "deal differs by process": Fault(
        {"np.arange(len(CARDS))": "np.roll(np.arange(len(CARDS)), len(sys.argv) > 1)",
         "import numpy as np": "import sys\n\nimport numpy as np"},
        "processes: deal of seed",
    ),
    "play turns to nobody": Fault(
        {"1 - state.player": "2 - state.player"}, "player: player is a seat, not 2"
    ),
    "play turns to the wrong player": Fault(
        {"state.player = 1 - state.player": "state.player = 1"},
        "valid: a state that came up in play is refused: the wrong player is to act",
    ),
    "play forgets the action": Fault(
        {"state.history[state.moves] = action": "state.history[state.moves] = PASS"},
        "play: 'history' ends with the action, not with 0",
    ),
    "play counts twice": Fault(
        {"state.moves += 1": "state.moves += 2"}, "play: moves is 1 after an action, not 2"
    ),
    "play is random": Fault(
        {"CARDS = (": "CALLS = []\nCARDS = (",
         "state.player = 1 - state.player": "state.player = (CALLS.append(0) or len(CALLS)) % 2"},
        "play: the same action leads to the same state",
    ),
    "over too late": Fault(
        {"    return state.moves == LONGEST": "    return False"},
        "over: the game goes on after max_moves, 3 actions",
    ),
    "over too early": Fault(
        {"    return state.moves == LONGEST": "    return state.moves == 1"},
        "player: seats [1] never act",
    ),
    "returns create chips": Fault(
        {"out[1 - winner] = -stake": "out[1 - winner] = 0"}, "returns: payoffs"
    ),
    "returns out of range": Fault(
        {"stake = 2 if": "stake = 3 if"}, "are not within payoff_range (-2.0, 2.0)"
    ),
    "staged, but is not": Fault(
        {END: END + "        staged=True,\n"}, "returns: a new game has paid"
    ),
    "simultaneous, but is not": Fault(
        {END: END + "        simultaneous=True,\n"}, "parallel env: "
    ),
    "hide leaks": Fault(
        {"state.cards[1 - player] = UNKNOWN": "pass"},
        "has the same view of a redealt state; `hide` leaks",
    ),
    "hide forgets who sees": Fault(
        {"state.cards[1 - player] = UNKNOWN": "state.cards[player] = UNKNOWN"}, "redeal: "
    ),
    "nothing is hidden": Fault(
        {"state.cards[1 - player] = UNKNOWN": "pass",
         "view.cards[1 - player] = (view": "own = (view",
         "def view_from(": "def seen_from("},
        "redeal: no state was ever dealt anew",
    ),
    "redeal deals what is held": Fault(
        {"rng.random() * 2": "rng.random() * 3"}, "redeal: a redealt state is refused: the cards"
    ),
    "redeal deals one card alone": Fault(
        {"rng.random() * 2": "rng.random() * 0"},
        "redeal: player_0 is dealt the same state by 256 seeds",
    ),
    "redeal prefers a card": Fault(
        {"rng.random() * 2": "rng.random() * 1.3"},
        "redeal: redeal for player_0 and deals disagree: ",
    ),
    "redeal is not seeded": Fault(
        {"rng.random() * 2": "np.random.random() * 2"},
        "redeal: the same seed redeals the same state, but 'cards' differ",
    ),
    "observe leaks": Fault(
        {"out[state.cards[player]] = 1": "out[state.cards[1 - player]] = 1"},
        "observe: 'observation' leaks: it shows player_",
    ),
    "observe writes beyond its row": Fault(
        {"    out[state.cards[player]] = 1": "    out[state.cards[player]] = out[len(out)] = 1"},
        "observe: IndexError",
    ),
    "a field is not aligned": Fault(
        {'("cards", "i4", SEATS)': '("odd", "i1"), ("cards", "i4", SEATS)'},
        "alignment: field 'cards' of the state is at byte 1, which is not a multiple of 4",
    ),
    "planes are not binary": Fault(
        {"out[state.cards[player]] = 1": "out[state.cards[player]] = 2"},
        "observe: 'observation' of player_0 is not within",
    ),
    "features without a table": Fault(
        {START: FEATURES.format("player")}, "rules: a game has a feature_table if its module "
    ),
    "features leak": Fault(
        {**TABLE, START: FEATURES.format("state.cards[1 - player]")},
        "features: 'card' leaks: it shows player_",
    ),
    "features are not what their table says": Fault(
        {**TABLE, START: FEATURES.format("3 + player")},
        "features: 'observation' of player_0 is not within",
    ),
    "parse is not text": Fault(
        {"return NAMES.index(": "return 1 - NAMES.index("}, "text and parse: parse(text(0)) is 1"
    ),
    "two actions of one text": Fault(
        {"return NAMES[action]": "return 'pass'"}, "text and parse: actions 0 and 1 are both 'pass'"
    ),
    "parse lets nonsense pass": Fault(
        {"not in NAMES": "not in (*NAMES, text.strip().lower())"},
        "is nothing') raises ValueError, no InputError",
    ),
    "deals are read the wrong way round": Fault(
        {
            "state.cards[:] = cards\n        return": "state.cards[:] = cards[::-1]\n        return"
        },
        "records: InputError: the record states returns",
    ),
    "a scene that is none": Fault(
        {"        return rows\n": "        return [str(row) for row in rows]\n"},
        "scene: a scene is a list of rows",
    ),
    "a scene shows what is hidden": Fault(
        {'"" if card == UNKNOWN else CARDS[card]': "CARDS[card]"},
        "scene: player_1 is shown K in the row 'player_0', where it is not",
    ),
    "valid refuses views": Fault(
        {"(player is None or state.cards[player] == UNKNOWN)": "True"},
        "valid: the view of player_0 is refused: a card is not known",
    ),
    "valid is missing": Fault({"def valid(": "def is_valid("}, "rules: the module lacks valid"),
    "valid lets everything pass": Fault(
        {"    known = [card for card": "    return ''\n    known = [card for card"},
        "damaged states: state ",
    ),
    "knowledge is missing": Fault(
        {"def knowledge(": "def known("}, "rules: the module lacks knowledge"
    ),
    "view_from forgets the hand": Fault(
        {"view.cards[player] = CARDS.index(hand)": "view.cards[player] = 0"},
        "view_from: what player_1 knows gives the view of player_1, but 'cards' differ",
    ),
    "view_from reads no texts": Fault(
        {"game.parse(action) if isinstance(action, str) else action": "action"},
        "view_from: InputError: an action is a whole number, not 'bet'",
    ),
    "knowledge skips an action": Fault(
        {"game.history(view).tolist(), {}": "game.history(view)[1:].tolist(), {}"},
        "gives the view of player_0, but 'history', 'moves', 'player' differ",
    ),
    "a game without checks of seats": Fault(
        {START: LOOSE, "    return Game(\n": "    return Loose(\n"},
        "seats: observe of seat None raises TypeError, no InputError",
    ),
    "a function is missing": Fault(
        {"@kernel\ndef redeal(": "@kernel\ndef redraw("}, "lacks redeal"
    ),
    "a field whose name is NumPy's": Fault(
        {'("moves", "i4")': '("size", "i4"), ("moves", "i4")'},
        "state: the field 'size' has the name of an attribute of NumPy",
    ),
    "a field of another kind": Fault(
        {'("history", "i4", LONGEST)': '("history", "f4", LONGEST)'},
        "state: the field 'history' is an array [n] of integer",
    ),
    "legal omits what is_legal accepts": Fault(
        {"    return 2\n": "    return 2 - state.moves // 2\n",
         START: MORE.format("is_legal(rules, state, action, ids)",
                            "0 <= action < 2 and not over(rules, state)")},
        "is_legal says True of action 1, `legal` False",
    ),
    "redeal ignores its generator": Fault(
        {"np.int64(rng.random() * 2)": "state_of_nothing", "def deals(": "def all_deals(",
         "CARDS = (": "state_of_nothing = 0\nCARDS = ("},
        "redeal: player_0 is dealt the same state by 256 seeds",
    ),
    "redeal deals one card alone once there was an action": Fault(
        {"rng.random() * 2": "rng.random() * (2 - (view.moves > 0) * 0.997)"},
        "redeal: player_0 is dealt the same state by 256 seeds",
    ),
    "a game that the unwilling never end": Fault(
        {"    state.player = 1 - state.player\n":
             "    state.player = 1 - state.player\n"
             "    if state.moves == 2 and state.history[0] == PASS and action == PASS:\n"
             "        state.moves = 0\n        state.history[0] = 0\n",
         "state.history[0] == BET or state.history[1] == PASS": "state.history[0] == BET",
         "max_moves=LONGEST": "max_moves=99"},
        "the game goes on after max_moves, 99 actions, if all always play the first action",
    ),
    "is_legal after the end": Fault(
        {START: MORE.format("is_legal(rules, state, action, ids)", "0 <= action < 2")},
        "over: is_legal says True of action 0, `legal` False",
    ),
    "is_legal accepts any number": Fault(
        {START: MORE.format("is_legal(rules, state, action, ids)", "not over(rules, state)")},
        "is_legal says True of action -",
    ),
    "legal writes beyond its room": Fault(
        {"    out[1] = BET\n": "    out[1] = BET\n    out[len(out)] = BET\n"}, "legal: IndexError"
    ),
    "legal reads its scratch space": Fault(
        {"    out[0] = PASS\n": "    dirty = out[1] == 77\n    out[0] = PASS\n",
         "    return 2\n": "    out[1] = 77\n    return 1 + dirty\n"},
        "play: InputError: action 77 is not one of the 2 actions",
    ),
    "over peeks": Fault(
        {"    return state.moves == LONGEST": "    return state.cards[1 - state.player] == 2 or "
                                             "state.moves == LONGEST"},
        "deals: the deal JK is no new game",
    ),
    "play peeks": Fault(
        {"state.player = 1 - state.player":
             "state.player = (state.player + (state.cards[0] != 1)) % 2"},
        "valid: a state that came up in play is refused: the wrong player is to act",
    ),
    "play changes a card": Fault(
        {"    state.moves += 1\n":
             "    state.moves += 1\n    state.cards[0] = 3 - state.cards[0] - state.cards[1]\n"},
        "records: InputError: the record states returns",
    ),
    "play changes the past": Fault(
        {"state.history[state.moves] = action":
             "state.history[state.moves] = action\n    state.history[0] = action"},
        "play: an action changes the past",
    ),
    "returns add to what is there": Fault(
        {"out[winner] = stake": "out[winner] += stake"}, "returns: `returns` keeps what was"
    ),
    "payoffs add up to another number": Fault(
        {"out[winner] = stake": "out[winner] = 1"}, "do not add up to payoff_sum, 0.0"
    ),
    "returns leave a payoff out": Fault(
        {"    out[1 - winner] = -stake": "    if winner == 0:\n        out[1] = -stake",
         "payoff_sum=0.0": "payoff_sum=None"},
        "returns: `returns` keeps what was",
    ),
    "observe is random": Fault(
        {"out[len(CARDS) * (1 + LONGEST)] = player":
             "out[len(CARDS) * (1 + LONGEST)] = np.random.randint(2)"},
        "leaks: it shows player_",
    ),
    "deal gives one card twice": Fault(
        {"state.cards[seat] = deck[seat]": "state.cards[seat] = deck[0]"},
        "deals: deal: the deal JJ is not listed",
    ),
    "deals yield one state again and again": Fault(
        {"        state = np.zeros(1, STATE)[0]\n        state.cards[:] = cards\n        yield":
             "        state = ONE\n        state.cards[:] = cards\n        yield",
         "class Rules(": "ONE = np.zeros(1, STATE)[0]\n\n\nclass Rules("},
        "deals: the deal",
    ),
    "hide leaves a trace": Fault(
        {"state.cards[1 - player] = UNKNOWN":
             "state.cards[1 - player] = UNKNOWN - state.cards[1 - player] // 2"},
        "scene: player_0 is shown Q in the row 'player_1', where it is not",
    ),
    "hide blanks the past": Fault(
        {"state.cards[1 - player] = UNKNOWN":
             "state.cards[1 - player] = UNKNOWN\n    state.history[0] = 0"},
        "observe: 'observation' leaks: it shows player_0 what it cannot know",
    ),
    "valid changes the state": Fault(
        {"earlier = state.copy()": "earlier = state"},
        "valid: a state that came up in play is refused: the wrong player",
    ),
    "the wrong seat is active": Fault(
        {"not ended and seat == state.player": "not ended and seat == 0"},
        "scene: the scene has [0] to act, not [1]",
    ),
    "a seat is active after the end": Fault(
        {"not ended and seat == state.player": "seat == state.player"}, "to act, not []"
    ),
    "cards to click that nobody holds": Fault(
        {"    def scene(self": "    def cards_of(self, action, state):\n        return ('A',)\n\n"
                              "    def scene(self"},
        "scene: action 0 takes A, which is not in the row of player_0",
    ),
    "text peeks": Fault(
        {"return NAMES[action]":
             "return NAMES[action].upper() if state is not None and state.cards[1] == 2 else "
             "NAMES[action]"},
        "to who sees all",
    ),
    "view_from plays what is illegal": Fault(
        {"    return 2\n": "    return 2 - state.moves // 2\n",
         "        game.play(view, game.parse(action)":
             "        contract.play(game.rules, view, game.parse(action)"},
        "view_from",
    ),
    "roles of other seats": Fault(
        {'roles=("first", "second")': 'roles=("first",)'}, "fields: roles has one entry a seat"
    ),
}  # fmt: skip


PROGRAM = """
import importlib, json, sys
import numpy as np
from closedhand.core.registry import GameSpec, add_game, make_game
from closedhand.testing import ContractError, check_game, contract, processes

contract.DEALT = 500
sys.path.insert(0, sys.argv[1])
messages = {}
for name in sys.argv[2:]:
    add_game(GameSpec(name=name, title=name, make=f"{name}:make_game", contract=1,
                      aec_id=f"test/{name}-v0", gymnasium_id=f"test/{name}-v0"))
    np.random.seed(0)  # faults that draw by it are the same in every run
    try:
        check_game(make_game(name), games=8, jit=False)
        messages[name] = "nothing was found"
    except ContractError as error:
        messages[name] = str(error)
print(json.dumps(messages))
"""


def write_kuhn(folder: Path, name: str, edits: dict[str, str]) -> None:
    """Write Kuhn poker as a module and game `name`, after edits each of which fits once."""
    source = KUHN.read_text(encoding="utf-8")
    for old, new in edits.items():
        assert source.count(old) == 1, f"{old!r} stands {source.count(old)} times in {KUHN}"
        source = source.replace(old, new)
    source = source.replace('"kuhn_poker.game"', f'"{name}"').replace('"kuhn"', f'"{name}"')
    (folder / f"{name}.py").write_text(source, encoding="utf-8")


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is said of every fault, by a process that compiles nothing: it takes seconds."""
    folder = tmp_path_factory.mktemp("faults")
    names = {f"fault_{number}": fault for number, fault in enumerate(FAULTS)}
    for name, fault in names.items():
        write_kuhn(folder, name, FAULTS[fault].edits)
    write_kuhn(folder, "correct", {})
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), "correct", *names],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    return {names.get(name, name): message for name, message in found.items()}


@pytest.mark.slow
def test_a_correct_game_passes(messages: dict[str, str]) -> None:
    assert messages["correct"] == "nothing was found"


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_named(messages: dict[str, str], fault: str) -> None:
    message = messages[fault]
    assert FAULTS[fault].message in message
    assert message.startswith("fault_") and "\n" not in message


@pytest.mark.slow
def test_a_kernel_that_differs_from_its_source_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edits = {
        "    return 2\n": "    return 2 - COMPILED * state.moves % 2\n",
        "CARDS = (": "COMPILED = os.environ.get('NUMBA_DISABLE_JIT') != '1'\nCARDS = (",
        "import numpy as np": "import os\n\nimport numpy as np",
    }
    write_kuhn(tmp_path, "two_faced", edits)
    monkeypatch.syspath_prepend(tmp_path)
    spec = GameSpec(name="two_faced", title="Two-faced", make="two_faced:make_game", contract=1,
                    aec_id="test/two_faced-v0", gymnasium_id="test/TwoFaced-v0")  # fmt: skip
    monkeypatch.setitem(registry._specs, spec.name, spec)
    with pytest.raises(ContractError, match=r"legal at move 1 .* differs with kernels and in"):
        check_game(make_game("two_faced"), games=3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"payoff_sum": 50.0}, r"fields: payoff_sum 50.0 is not within payoff_range"),
        ({"payoff_range": (1, -1)}, r"fields: payoff_range is \(least, greatest\)"),
        ({"max_moves": 0}, "fields: max_moves is positive"),
        ({"rounds": 2}, "fields: only staged games"),
        ({"sides": (0,)}, "fields: sides has one entry a seat"),
        ({"shapes": {"plane": (2, 2)}}, "fields: shapes begin with 'observation'"),
        ({"payoff_range": (-1, 1)}, "pickle: a pickle has payoff_range"),
    ],
)
def test_wrong_fields_are_named(wrong: dict, message: str) -> None:
    with pytest.raises(ContractError, match=f"^leduc: {message}"):
        check_game(dataclasses.replace(make_game("leduc"), **wrong))


def test_a_check_plays_a_game_at_least() -> None:
    with pytest.raises(InputError, match="the number of games is a whole number of 1 or more"):
        check_game(make_game("leduc"), games=0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("leduc",), "a Game is checked here, as make_game returns it, not 'leduc'"),
        ((make_game("leduc"), 1, -1), "a seed is a whole number of 0 or more, not -1"),
    ],
)
def test_what_cannot_be_checked_is_no_fault_of_a_game(arguments: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        check_game(*arguments)


class Maker:
    """A local object that makes games."""

    __qualname__ = "test.<locals>.Maker"

    def __call__(self, **options: Any) -> Any:
        return make_game("leduc", **options)


@pytest.mark.parametrize("make", [Maker(), functools.partial(lambda **options: None)])
def test_a_local_maker_of_any_kind_is_left_to_this_process(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = dataclasses.replace(registry.spec_of("leduc"), make=make)
    monkeypatch.setattr(processes, "spec_of", lambda name: spec)
    monkeypatch.setattr(processes, "_trace", None)  # what another process would be compared with
    processes.check_other_process(make_game("leduc"), 0, False)


@pytest.mark.slow
def test_another_process_needs_no_functions_of_a_spec(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = dataclasses.replace(registry.spec_of("leduc"), columns={"games": lambda *_: None})
    monkeypatch.setattr(processes, "spec_of", lambda name: spec)
    processes.check_other_process(make_game("leduc"), 0, False)
