"""Botzone: our agents as its bots, its bots as our agents, its match logs as records."""

import io
import json
import os
import re
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from typer.testing import CliRunner

from closedhand import Game, InputError, make_agent, make_game
from closedhand.bridges.botzone import Bot, ForeignBot, players, serve
from closedhand.bridges.botzone.logs import BOTZONE, play_points
from closedhand.bridges.botzone.players import KEEP_RUNNING
from closedhand.bridges.botzone.protocol import (
    action_of,
    dialogue_of,
    pick,
    response_of,
    view_of,
    words_of,
)
from closedhand.cli import app
from closedhand.core.agents import traits_of
from closedhand.core.game import State
from closedhand.core.records import from_state, replay_file
from closedhand.games.doudizhu.counts import pack

GAME = make_game("doudizhu", rules="botzone")
PLAIN = make_game("doudizhu", rules="botzone", bidding=False)
GAMES = [GAME, PLAIN, make_game("doudizhu", rules="deeprocket", bidding=True)]

LOWEST = """
import json, sys
match = json.loads(input())
requests, responses = match["requests"], match["responses"]
last = requests[-1]
if "bid" in last:
    answer = 3 if max(last["bid"], default=0) < 3 and 53 in last["own"] else 0
else:
    first = next(r for r in requests if "publiccard" in r)
    cards = set(first["own"])
    if first["pos"] == first["landlord"]:
        cards |= set(first["publiccard"])
    for response in responses:
        cards -= set(response) if isinstance(response, list) else set()
    leads = not any(last["history"])
    answer = [min(cards)] if leads else []
print(json.dumps({"response": answer, "debug": "lowest"}))
"""
"""A bot that bids 3 with the big joker, leads its lowest card, and passes otherwise."""


from_pipes = pytest.mark.skipif(os.name != "posix", reason="waits for pipes")


@pytest.fixture
def lowest(tmp_path: Path) -> str:
    path = tmp_path / "lowest bot.py"
    path.write_text(LOWEST)
    return f"{sys.executable} '{path}'"


def started(game: Game, seed: int) -> State:
    return game.deal(np.random.default_rng(seed))


def asked(game: Game, view: State) -> str:
    """The line that the platform would send to the player to act."""
    requests, responses, _ = dialogue_of(game, view)
    return json.dumps({"requests": requests, "responses": responses, "data": None})


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.options['rules']}")
def test_requests_tell_what_a_view_tells(game: Game) -> None:
    """But for lower bids of others; and every response is read as the action that it was."""
    rng = np.random.default_rng(3)
    seen = 0
    for _ in range(8):
        state = game.deal(rng)
        while not game.over(state):
            view = game.view(state, int(state.player))
            requests, responses, cards = dialogue_of(game, view)
            built, held = view_of(game, json.loads(json.dumps(requests)), responses)
            for name in game.dtype.names or ():
                ours, theirs = view[name], built[name]
                if name == "history":
                    ours, theirs = (each[view.words : view.moves] for each in (ours, theirs))
                assert np.array_equal(ours, theirs), name
            assert held == cards
            legal = game.legal(state)
            assert np.array_equal(legal, game.legal(built))
            for action in {*legal[:3].tolist(), int(legal[-1])}:
                response = response_of(game, built, action, held)
                assert action_of(game, built, response, cards) == action
                seen += 1
            # Large plays first, so that games are short and have kickers.
            game.play(state, int(rng.choice(legal[-3:] if rng.random() < 0.3 else legal)))
    assert seen > 500


def test_whole_games_of_our_agent_as_a_bot() -> None:
    """The bot answers as the agent plays in the arena, action by action."""
    agent = make_agent(GAME, "decompose")
    for seed in range(4):
        state = started(GAME, seed)
        bots = [Bot(GAME, "decompose") for _ in range(3)]
        while not GAME.over(state):
            seat = int(state.player)
            view = GAME.view(state, seat)
            answer = json.loads(bots[seat].answer(asked(GAME, view)))["response"]
            *_, held = dialogue_of(GAME, view)
            action = action_of(GAME, view, answer, held)
            assert action == agent.act(view)
            GAME.play(state, action)


def test_a_bot_that_stays_alive_gets_later_requests_alone() -> None:
    once, kept = (Bot(GAME, "rule") for _ in range(2))
    state, agent = started(GAME, 5), make_agent(GAME, "greedy")
    first = True
    while not GAME.over(state):
        view = GAME.view(state, int(state.player))
        action = agent.act(view)
        if view.player == 0:
            line = asked(GAME, view)
            answer = once.answer(line)
            sink = io.StringIO()
            later = json.dumps(json.loads(line)["requests"][-1])
            serve(kept, ["\n", line if first else later], sink, keep_running=True)
            assert sink.getvalue() == f"{answer}\n{KEEP_RUNNING}\n"
            first = False
            *_, held = dialogue_of(GAME, view)
            action = action_of(GAME, view, json.loads(answer)["response"], held)
        GAME.play(state, action)
    assert not first


def test_a_refused_line_changes_nothing() -> None:
    bot, line = Bot(PLAIN, "rule"), asked(PLAIN, PLAIN.view(started(PLAIN, 5), 0))
    first = json.loads(line)["requests"][0]
    answer = Bot(PLAIN, "rule").answer(line)
    for wrong in (first | {"own": [99]}, {"requests": [first, 7], "responses": [[0]]}):
        with pytest.raises(InputError):
            bot.answer(json.dumps(wrong))
    assert bot.answer(json.dumps(first)) == answer


@from_pipes
@pytest.mark.parametrize("game", [GAME, PLAIN], ids=["auction", "plain"])
def test_whole_games_of_a_foreign_bot(game: Game, lowest: str) -> None:
    """It plays in our arena as its rule says, and an agent of ours beside it."""
    theirs, ours = make_agent(game, f'botzone[seconds=60]:"{lowest}"'), make_agent(game, "rule")
    state = started(game, 2)
    while not game.over(state):
        view = game.view(state, int(state.player))
        if view.player == 1:
            action = theirs.act(view)
            text = game.text(action)
            leads = view.landlord >= 0 and view.target < 0
            assert (len(text) == 1) if leads else text in ("PASS", "BID3")
            game.play(state, action)
        else:
            game.play(state, ours.act(view))
    assert state.plays[1] < state.moves


@from_pipes
@pytest.mark.slow
def test_the_command_plays_a_game_as_a_foreign_bot() -> None:
    """`closedhand botzone` behind `botzone:COMMAND` plays as the agent itself."""
    command = f"{Path(sys.executable).parent / 'closedhand'} botzone doudizhu rule --option"
    theirs = ForeignBot(PLAIN, f"{command} bidding=false", 120)
    ours = make_agent(PLAIN, "rule")
    state = started(PLAIN, 4)
    for _ in range(6):
        view = PLAIN.view(state, int(state.player))
        action = theirs.act(view) if state.moves in (0, 4) else ours.act(view)
        assert action == ours.act(view)
        PLAIN.play(state, action)


def test_the_command_answers_a_line() -> None:
    view = GAME.view(started(GAME, 1), 0)
    line = asked(GAME, view)
    run = CliRunner().invoke(app, ["botzone", "doudizhu", "rule"], input=line + "\n")
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout) == {"response": int(make_agent(GAME, "rule").act(view)) - 34323}
    for text, message in (("", "there is no request"), ("{", "not JSON"), ("[]\n", "JSON object")):
        run = CliRunner().invoke(app, ["botzone", "doudizhu", "rule"], input=text)
        assert run.exit_code == 2 and message in run.stderr and run.stderr.count("\n") == 1


OWN = list(range(17))
PUBLIC = [20, 24, 52]
FIRST = {"own": OWN, "publiccard": PUBLIC, "landlord": 1, "pos": 1, "finalbid": 2,
         "history": [[], []]}  # fmt: skip


@pytest.mark.parametrize(
    ("requests", "responses", "message"),
    [
        ([], [], "there is no request to answer"),
        ([FIRST], [1], "1 requests come with 0 responses, not 1"),
        (["x"], [], "the first request of play is a JSON object"),
        ([{"own": OWN}], [], "lacks 'publiccard'"),
        ([{"own": OWN, "bid": 3}], [], "'bid' is a list"),
        ([{"own": [*OWN[:-1], 99], "bid": []}], [], "different numbers from 0 to 53"),
        ([{"own": [*OWN[:-1], 0], "bid": []}], [], "different numbers from 0 to 53"),
        ([{"own": OWN[:-1], "bid": []}], [], "player_0 holds 17 cards now, not 16"),
        ([{"own": OWN, "bid": [3]}], [], "the game is over|not the turn|view|turn of|landlord"),
        ([{**FIRST, "finalbid": None}], [], "the requests have no auction: use the option bidding"),
        ([{**FIRST, "landlord": 4}], [], "seats are 0, 1 and 2, not 4"),
        ([{**FIRST, "finalbid": 0}], [], "no auction that begins with"),
        ([{**FIRST, "history": [[], [], []]}], [], "a history has two plays, not 3"),
        ([FIRST, {"history": [[40], [1]]}], [[0]], "action"),
        ([FIRST, {"history": [[], []]}], [[44]], r"the cards \[44\] are not in the hand"),
        ([FIRST, {"history": [[], []]}], ["3"], "a play is a list of cards"),
        ([FIRST, {"history": [[], []]}], [[0, 4]], "not a play"),
        ([{"own": OWN, "bid": []}, FIRST], ["x"], "a bid is a whole number"),
        ([{"own": OWN, "bid": [2]}, FIRST], [1], "no auction that begins with"),
    ],
)  # fmt: skip
def test_malformed_requests(requests: list, responses: list, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        view_of(GAME, requests, responses)
    assert "\n" not in str(error.value)


def test_unknown_bids_are_passes() -> None:
    assert words_of([], 1, 3) == [0, 3]
    assert words_of([1], 2, 2) == [1, 0, 2]
    assert words_of([0, 0, 0], 0, 0) == [0, 0, 0]
    assert words_of([2, 3], 1, 3) == [2, 3]
    for bids, landlord, final in (([2, 1], 0, 2), ([], 1, 0), ([1], 0, 2), ([0], 0, 1)):
        with pytest.raises(InputError, match="no auction that begins"):
            words_of(bids, landlord, final)


@from_pipes
@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import time; time.sleep(30)", "takes more than 0.5 s to answer"),
        ("", "ends without an answer$"),
        ("raise SystemExit('no weights')", "ends without an answer: no weights"),
        ("print('hello')", "answers 'hello': not JSON"),
        ("print('[]')", "there is no 'response'"),
        ("print('{\"response\": [0]}')", "a bid is a whole number of 0 or more, not"),
        ("print('{\"response\": 7}')", "a bid is at most 3, not 7"),
        ("print('x' * 10**6)", "answers more than 65,536 bytes"),
    ],
)
def test_bots_that_fail(code: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(code)
    seconds = 0.5 if "sleep" in code else 60
    bot = ForeignBot(GAME, f"{sys.executable} {path}", seconds)
    with pytest.raises(InputError, match=message) as error:
        bot.act(GAME.view(started(GAME, 0), 0))
    assert "\n" not in str(error.value)


@from_pipes
def test_an_answer_ends_a_bot_that_stays_alive(tmp_path: Path) -> None:
    """With the processes that it has started; the marker after its answer is ignored."""
    path, mark = tmp_path / "bot.py", tmp_path / "mark"
    path.write_text(
        "import subprocess, sys, time\n"
        f'child = \'import time; time.sleep(3); open("{mark}", "w")\'\n'
        "subprocess.Popen([sys.executable, '-c', child])\n"
        f"print('{{\"response\": 0}}\\n{KEEP_RUNNING}', flush=True)\n"
        "time.sleep(60)\n"
    )
    bot = ForeignBot(GAME, f"{sys.executable} {path}", 60)
    assert GAME.text(bot.act(GAME.view(started(GAME, 0), 0))) == "PASS"
    time.sleep(4)
    assert not mark.exists()


@from_pipes
def test_no_shell_runs_a_command(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    bot = ForeignBot(GAME, f"echo '{{\"response\": 0}}' ; touch {mark}", 60)
    with pytest.raises(InputError, match="not JSON"):
        bot.act(GAME.view(started(GAME, 0), 0))
    assert not mark.exists()


@from_pipes
def test_a_bot_that_has_ended_need_not_take_a_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS, which refuses to send it one."""
    monkeypatch.setattr(players.os, "killpg", Mock(side_effect=PermissionError))
    bot = ForeignBot(GAME, "echo '{\"response\": 0}'", 60)
    assert GAME.text(bot.act(GAME.view(started(GAME, 0), 0))) == "PASS"


def test_windows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "os", SimpleNamespace(name="nt"))
    with pytest.raises(InputError, match="needs Linux or macOS"):
        ForeignBot(GAME, "true")


@from_pipes
@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("botzone", {}, "needs the command of a bot, as botzone:COMMAND"),
        ("botzone:/no/such/program", {}, "there is no program '/no/such/program'"),
        ('botzone:"\'"', {}, "cannot be split"),
        ("botzone[seconds=0]:true", {}, "seconds is a number from 0.01 to 3600"),
        ("botzone:true", {"substeps": True, "rules": "deeprocket"}, "without sub-steps"),
        ("botzone:true", {"robbing": True, "rules": "botzone"}, "Botzone has no robbing"),
        ("botzone:true", {"rules": "mini"}, "Botzone plays with 54 cards: not rules=mini"),
    ],
)
def test_agents_that_cannot_be_made(text: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_agent(make_game("doudizhu", **options), text)


def test_an_answer_is_the_legal_play_of_its_cards() -> None:
    """Under the rules of OpenSpiel their text may be that of another play, of four trios."""
    game, hand = make_game("doudizhu", rules="openspiel", bidding=False), "777888999TTTJJQQK"
    view = game.view_from(1, hand, ["333444555678"], public="AA2")
    held, action = pick(range(54), pack(hand)), game.parse("777888999+TTT")
    assert action_of(game, view, response_of(game, view, action, held), held) == action
    with pytest.raises(InputError, match="7 is not legal now"):
        action_of(game, view, held[:1], held)


def transcript(game: Game, seed: int) -> tuple[dict[str, Any], State]:
    """The log of a match of random play, as the platform keeps it, and the state at its end."""
    rng = np.random.default_rng(seed)
    state = game.deal(rng)
    # The cards of a log have numbers of their own: those of each rank in the order of the seats.
    others = {rank: [4 * rank + suit for suit in range(4)] for rank in range(13)}
    others |= {13: [52], 14: [53]}

    def numbers(packed: int) -> list[int]:
        return [others[r].pop(0) for r in range(15) for _ in range(int(packed) >> 4 * r & 15)]

    dealt = state.hands.copy()
    if state.landlord >= 0:
        dealt[state.landlord] -= state.public
    own, public = [numbers(hand) for hand in dealt], numbers(state.public)
    held = [list(cards) for cards in own]
    items: list[dict[str, Any]] = []
    moves: list[list[int]] = []
    bids: list[int] = []
    first = set[int]()
    while not game.over(state):
        seat = int(state.player)
        request: dict[str, Any] = {"history": [[], [], *moves][-2:]}
        if state.landlord < 0:
            request = {"own": own[seat], "bid": list(bids)}
        elif seat not in first:
            first.add(seat)
            facts = {"own": own[seat], "publiccard": public, "landlord": int(state.landlord),
                     "pos": seat}  # fmt: skip
            request |= facts | ({"finalbid": max(bids)} if bids else {})
            held[seat] += public if seat == state.landlord else []
        legal = game.legal(state)
        action = int(rng.choice(legal[-4:] if rng.random() < 0.3 else legal))
        view = game.view(state, seat)
        response = response_of(game, view, action, sorted(held[seat]))
        game.play(state, action)
        if isinstance(response, int):
            bids.append(response)
        else:
            moves.append(response)
            held[seat] = [card for card in held[seat] if card not in response]
        content = {str(seat): request}
        items.append({"output": {"command": "request", "content": content, "display": {}},
                      "verdict": "OK"})  # fmt: skip
        items.append({str(seat): {"response": response, "verdict": "OK", "time": 3}})
    scores = {str(seat): float(value) for seat, value in enumerate(game.returns(state))}
    items.append({"output": {"command": "finish", "content": scores, "display": {}}})
    return {"log": items, "initdata": ""}, state


@pytest.mark.parametrize("game", [GAME, PLAIN], ids=["auction", "plain"])
def test_match_logs_are_records(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "matches.json"
    matches = [transcript(game, seed) for seed in range(5)]
    wanted = [from_state(game, state) for _, state in matches]
    path.write_text("\n".join(json.dumps(data) for data, _ in matches))
    replays = list(replay_file(path))
    assert [(each.unit, each.line, each.error) for each in replays] == [
        ("match", number, None) for number in range(1, 6)
    ]
    for each, record, (_, state) in zip(replays, wanted, matches, strict=True):
        assert each.record is not None
        assert (each.record.deal, each.record.actions) == (record.deal, record.actions)
        assert each.returns == record.returns
        assert each.detail == (
            f"points of the sample's table {play_points(game, state)}, "
            f"scores of the platform {list(record.returns or ())}"
        )
    out = tmp_path / "out.jsonl"
    run = CliRunner().invoke(app, ["records", "export", str(path), "--out", str(out)])
    assert run.exit_code == 0, run.output
    assert all(each.error is None for each in replay_file(out))
    # One match may also take the whole file.
    path.write_text(json.dumps(matches[0][0], indent=1))
    (record,) = BOTZONE.records(path)
    assert record.actions == wanted[0].actions


def test_points_of_plays() -> None:
    """By hand: a shuttle of three fours is worth 20, one of two 10, a bomb 10, a single 1."""
    fours = "333344445555666677778888"
    deal = f"{fours[:12]}9TJQK;{fours[12:]}9TJQK;99TTJJQQKKAAAA222;2SB"
    state = PLAIN.parse_deal(deal)
    for text in ("333344445555", "666677778888", "PASS", "PASS", "9", "PASS", "B", "PASS", "PASS"):
        PLAIN.play(state, PLAIN.parse(text))
    assert play_points(PLAIN, state) == [0.21, 0.21, 0.0]


def changed(data: dict[str, Any], place: int, **fields: Any) -> dict[str, Any]:
    """A log with other fields in an item."""
    items = list(data["log"])
    items[place] = fields
    return {"log": items}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda log: {"log": 3}, "'log' is a list"),
        (lambda log: {"log": log["log"][:2]}, "the cards of seat . are not in the log"),
        (lambda log: changed(log, 0, output={"command": 1}), "'command' is a text"),
        (lambda log: changed(log, 1, **{"0": {"verdict": "TLE"}}), "has not answered: 'TLE'"),
        (lambda log: changed(log, 1, **{"2": {"response": 0}}), "an answer is of the seat"),
        (lambda log: changed(log, 1, **{"0": {"response": 9}}), "a bid is at most 3, not 9"),
        (lambda log: changed(log, 2, output=log["log"][0]["output"]), "an answer is of the seat"),
        (lambda log: changed(log, -2, **{k: {"response": [0]} for k in log["log"][-2]}), "match 1"),
        (
            lambda log: {"log": [*log["log"][:-3], log["log"][-1]]},
            "has scores, but the game is not over",
        ),
        (
            lambda log: changed(log, -1, output={"command": "finish", "content": {"0": "x"}}),
            "the scores are numbers by seat",
        ),
    ],
)
def test_damaged_logs(change, message: str, tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    path.write_text(json.dumps(change(transcript(GAME, 1)[0])))
    (each,) = replay_file(path)
    assert each.error is not None and re.search(message, each.error)
    assert "\n" not in each.error
    with pytest.raises(InputError, match=r"match\.json, match 1: "):
        BOTZONE.records(path)


def test_a_line_that_is_not_json_hides_no_other_match(tmp_path: Path) -> None:
    path, line = tmp_path / "match.json", json.dumps(transcript(GAME, 1)[0])
    path.write_text(f'{line}\n{{"log": [}}\n{line}\n')
    first, second, third = replay_file(path)
    assert (first.error, third.error) == (None, None)
    assert second.error is not None and second.error.startswith("match 2: not JSON")
    with pytest.raises(InputError, match=r"match\.json, match 2: not JSON"):
        BOTZONE.records(path)


@from_pipes
def test_the_files_of_a_bot_are_known(lowest: str, tmp_path: Path) -> None:
    """Results hold their digests, and a browser may not seat an agent that has files."""
    files = traits_of(GAME, f'botzone:"{lowest}"').files
    assert files == (Path(sys.executable), tmp_path / "lowest bot.py")
