"""Logs of the FujiGokoro family: rounds of a match, written in their form, are read back."""

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from closedhand import InputError, make_game
from closedhand.cli import app
from closedhand.core.game import State
from closedhand.core.records import Record, from_state, replay_file
from closedhand.games.daihinmin import fuji_logs, plays
from closedhand.games.daihinmin.exchange import loser, winner
from closedhand.games.daihinmin.notation import dealt
from closedhand.games.daihinmin.plays import JOKER, NO_JOKER, NUM_RANKS, PASS

GAME = make_game("daihinmin")
TABLE = plays.build()
NAMES = ("a", "b", "c", "d", "e")
PLAYED = {
    "p": "PASS",
    "jk": "*",
    "jo[12]": "*",
    "ds-q[231728]": "QdQs",
    "s-456": "4s5s6s",
    "ch-a(c)": "Ac*Ah",
    "h-678(7)[98]": "6h7h*8h",
    "cdhs-3(h)": "3c3d3h*3s",
}


@pytest.mark.parametrize(("text", "ours"), PLAYED.items())
def test_a_play_is_read(text: str, ours: str) -> None:
    assert plays.texts()[fuji_logs.play_of(text)] == ours


@pytest.mark.parametrize("text", ["", "s4", "s-", "s-46", "cc-4", "x-4", "s-45[1", "pass"])
def test_what_is_no_play(text: str) -> None:
    with pytest.raises(InputError, match="is not a play: plays are ds-q"):
        fuji_logs.play_of(text)


def writable(action: int) -> bool:
    """Whether the form is known: not of a joker as a fifth card, or at the edge of a kaidan."""
    if action in (PASS, JOKER):
        return True
    fifth = TABLE.stands[action] != NO_JOKER and not TABLE.joker_suit[action]
    return not fifth and TABLE.low[action] >= 0 and TABLE.high[action] < NUM_RANKS


def text_of(action: int) -> str:
    """A play in the form of these logs."""
    if action in (PASS, JOKER):
        return "p" if action == PASS else "jk"
    letters = "cdhs"
    suits = "".join(c for i, c in enumerate(letters) if TABLE.suits[action] >> i & 1)
    ranks = plays.RANKS[TABLE.low[action] : TABLE.high[action] + 1].lower()
    joker = ""
    if TABLE.stands[action] != NO_JOKER:
        suit = letters[int(TABLE.joker_suit[action]).bit_length() - 1]
        joker = f"({plays.RANKS[TABLE.stands[action]].lower() if len(ranks) > 1 else suit})"
    return f"{suits}-{ranks}{joker}[7]"


def braces(sets: list[int]) -> str:
    held = [" ".join(c[::-1].lower() for c in plays.cards_in(cards)) for cards in sets]
    return " ".join(f"{{ {cards} }}".replace("*", "jo") for cards in held)


def played(seed: int) -> tuple[str, Record]:
    """A round of random play, as one line and as a record."""
    rng = np.random.default_rng(seed)
    classes = "-" if seed == 0 else "".join(map(str, rng.permutation(5)))
    seats = "".join(map(str, rng.permutation(5)))
    hands = GAME.deal_text(GAME.deal(rng)).split(";")[2:]
    state = GAME.parse_deal(";".join([seats, classes, *hands]))
    started, original = state.copy(), state.hands.tolist()
    while not GAME.over(state):
        legal = [action for action in GAME.legal(state) if writable(action)]
        large = [action for action in legal if TABLE.length[action] > 1]
        GAME.play(state, int(rng.choice(large or legal)))
        if state.leader >= 0 and state.moves <= 3:
            original = state.hands.tolist() if not state.played.any() else original
    return line(started, state, original), from_state(GAME, state, NAMES)


def line(started: State, state: State, original: list[int]) -> str:
    changed = [0] * 5
    ranked = state.classes[0] >= 0
    for pair in range(2 * ranked):
        changed[winner(state, pair)] = int(state.returned[pair])
        changed[loser(state, pair)] = int(state.taxed[pair])
    seats = [state.seats.tolist().index(player) for player in range(5)]
    history = state.history[3 * ranked : state.moves].tolist()
    fields = {
        "game": "7",
        "score": "",
        "class": " ".join(map(str, state.classes if ranked else range(5))),
        "seat": " ".join(map(str, seats)),
        "dealt": braces(dealt(started)),
        "changed": braces(changed),
        "original": braces(original),
        "play": " ".join(map(text_of, history)),
        "result": " ".join(map(str, state.places)),
    }
    return "/* " + " ".join(f"{key} {text}" for key, text in fields.items()) + " */"


@pytest.fixture(scope="module")
def rounds() -> list[tuple[str, Record]]:
    return [played(seed) for seed in range(6)]


def test_rounds_are_read_as_records(rounds: list[tuple[str, Record]], tmp_path: Path) -> None:
    """One a line or on several lines, with a line of names or without."""
    assert any("(" in text for text, _ in rounds)
    path, out = tmp_path / "match.dat", tmp_path / "out.jsonl"
    texts = "\n".join(text for text, _ in rounds)
    spread = re.sub(r" (?=play|result|\*/|dealt)", "\n", texts)
    for header, body in (("", texts), ("player a b c d e\n", spread)):
        path.write_text(header + body)
        replays = list(replay_file(path))
        assert [(each.unit, each.line, each.error) for each in replays] == [
            ("round", number, None) for number in range(1, len(rounds) + 1)
        ]
        for each, (_, record) in zip(replays, rounds, strict=True):
            assert each.record is not None
            assert (each.record.deal, each.record.actions) == (record.deal, record.actions)
            assert each.returns == record.returns
            assert each.record.agents == (NAMES if header else None)
    result = CliRunner().invoke(app, ["records", "export", str(path), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert all(each.error is None for each in replay_file(out))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: re.sub(r"result (.) (.)", r"result \2 \1", text), "states returns"),
        (lambda text: re.sub(r"seat (.) (.)", r"seat \2 \1", text), "action|it is|holds"),
        (lambda text: re.sub(r"seat . ", "seat 7 ", text), "seat must be the digits"),
        (lambda text: re.sub(r"original \{ \S+", "original {", text), "after the exchange 0 holds"),
        (lambda text: re.sub(r" changed.*original", " original", text), "there is no 'changed'"),
        (lambda text: re.sub(r"changed \{", "changed [", text), "five times cards in braces"),
        (lambda text: text.replace("dealt {", "dealt } {"), "dealt is not five times cards"),
        (lambda text: re.sub(r"\S+ result", "s-46 result", text), "is not a play"),
    ],
)
def test_one_mistake_is_one_error(change, message, rounds, tmp_path: Path) -> None:
    path = tmp_path / "match.dat"
    path.write_text("\n".join([rounds[0][0], change(rounds[1][0]), rounds[2][0]]))
    errors = [each.error for each in replay_file(path)]
    assert errors[0] is None and errors[2] is None
    assert errors[1] and errors[1].startswith("round 2: ") and re.search(message, errors[1])
    with pytest.raises(InputError, match=r"match\.dat, round 2: "):
        fuji_logs.FUJI.records(path)


def test_taxes_are_checked(rounds: list[tuple[str, Record]], tmp_path: Path) -> None:
    path = tmp_path / "match.dat"
    text, record = rounds[1]
    last = (record.deal or "").split(";")[1].index("4")
    parts = re.search(r"changed (.*) original", text)
    assert parts is not None
    changed = parts[1].split(" } ")
    changed[last] = "{ c3 d4"
    path.write_text(text.replace(parts[1], " } ".join(changed) + " }" * (last == 4)))
    (each,) = replay_file(path)
    assert each.error and f"{last} pays 3c4d, not" in each.error


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/* game 0", r"the last round has no \*/"),
        ("player a b c d e\n/* game 0 */ x", "'x' is not part of a round"),
        ("/* game 0\n/* game 1 */", r"line 2: '/\*' is not part of a round"),
        ("/* " + "p " * 10_001 + "*/", "is not part of a round"),
    ],
)
def test_what_is_no_log(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "match.dat"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        list(replay_file(path))
