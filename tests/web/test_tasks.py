"""What a player, a newcomer and an analyst do on the page, in a real browser."""

import json
import re
import time
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support_browser import (
    NEEDS_CHROMIUM,
    legal_plays,
    set_table,
    start,
    version,
    wait_for_change,
    wait_for_turn,
)
from support_web import compile_advice, compile_small, compile_table, serving, wired

from closedhand import make_game
from closedhand.core.records import from_state, parse_line
from closedhand.web import catalogue, lobby
from closedhand.web.guard import RATE
from closedhand.web.lobby import MOST_NAME, PAST_HANDS
from closedhand.web.past_hands import PastHands
from closedhand.web.study import games_in
from closedhand.web.table import MOST_HANDS, Hand, Seat, Table

pytestmark = NEEDS_CHROMIUM

SIZES = [(390, 844), (844, 390), (820, 1180), (1280, 800)]
SILENCE = 45_000
"""Milliseconds within which the page notices that nothing arrives any more."""


def record(name: str) -> str:
    game, rng = make_game(name), np.random.default_rng(3)
    agents = [f"p{seat}" for seat in range(game.num_players)]
    return from_state(game, game.playout(game.deal(rng), rng), agents).to_json()


def port_of(page: Any) -> int:
    port = urllib.parse.urlsplit(page.context.base).port
    assert port
    return port


@pytest.mark.parametrize(
    ("game", "most"),
    [("daihinmin", 3), ("chinese_poker", 3), ("leduc", 2), ("uh_leduc", 2), ("doudizhu", 4)],
)
def test_a_newcomer_plays_the_first_card_with_few_taps(
    visit: Callable[..., Any], game: str, most: int
) -> None:
    """Play now, the hint, play: advised cards are lifted. An auction takes a further tap."""
    compile_advice(game, catalogue.adviser_of(make_game(game).flat))
    compile_table(game, catalogue.usual(game))
    page = visit(viewport={"width": 390, "height": 844}, has_touch=True)
    page.tap(f"[data-play={game}]")
    taps, hint = 1, page.locator("#hint:not([disabled]), #suggest:not([disabled])")
    while wait_for_turn(page):
        before, has_cards = version(page), page.locator("#list, #suggest").count() > 0
        if has_cards:
            hint.tap()
            page.tap("#play:not([disabled]), #set:not([disabled]), .act.primary")
        else:
            page.locator(".act").last.tap()  # the highest bid, or a raise
        taps += 2 if has_cards else 1
        wait_for_change(page, before)
        if has_cards or game != "doudizhu":  # who can only pass has no card to play
            break
    assert taps <= most


def test_a_hand_with_its_auction_ends_with_its_result(visit: Callable[..., Any]) -> None:
    """The stake is bid, and the result names it, everybody's points, and the score so far."""
    compile_table("doudizhu", "greedy")
    page = visit()
    page.evaluate("localStorage.setItem('pace', '0.02')")
    page.click("[data-play=doudizhu]")
    while wait_for_turn(page):
        before = version(page)
        if page.query_selector("#list"):
            page.click("#list")
            page.locator(".legal button").last.click()
        else:
            page.locator(".act").last.click()
        wait_for_change(page, before)
    assert page.locator(".result li").count() == 3
    assert page.locator(".result .own-result").count() == 1
    assert re.search(r"stake [1-3]", page.inner_text(".middle"))
    assert "Place" not in page.inner_text(".status")  # there are winners and losers
    page.click("#next")
    page.wait_for_selector(".result", state="detached")
    page.goto(f"{page.context.base}#/past")
    page.reload()
    page.wait_for_selector(".statistics tbody tr")
    page.set_viewport_size({"width": 390, "height": 844})
    page.focus(".scroll")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('.scroll').scrollLeft > 0")
    row = page.locator(".statistics tbody tr", has_text="greedy").first.inner_text()
    assert row.split("\t")[:3] == ["Dou Dizhu", "greedy", "1"]
    with page.expect_download() as download:
        page.click("#export")
    kept = Path(download.value.path()).read_text("utf-8").splitlines()
    assert any(parse_line(line).game == "doudizhu" for line in kept)
    page.locator(".past li a").first.click()
    page.wait_for_selector("#scrub")
    page.go_back()
    page.click("#forget")
    page.click("#forget")
    page.wait_for_selector("text=No hand has been played")


@pytest.mark.parametrize(
    ("kept", "said"),
    [(MOST_HANDS - 1, f"{MOST_HANDS - 1} hands"), (MOST_HANDS, f"last {MOST_HANDS} hands")],
)
def test_a_total_of_the_last_hands_says_so(
    visit: Callable[..., Any], tmp_path: Path, kept: int, said: str
) -> None:
    compile_table("leduc")
    game = make_game("leduc")
    seats = [Seat(name="Ann", token="ann"), Seat(agent="random", player=1)]
    table = Table("table", game, seats, game.deal(np.random.default_rng(0)))
    table.hands = [Hand([1.0, -1.0], [0, 1], ["Ann", "random"], 0)] * kept
    (tmp_path / "table.json").write_text(json.dumps(table.saved()))
    with serving(tmp_path) as port:
        page = visit()
        page.goto(f"http://127.0.0.1:{port}/")
        page.click(f".tables a >> text={said}")
        page.click("[data-panel=score]")
        page.wait_for_selector(f"h3:text-is('Total ({said})')")


def test_a_long_name_that_begins_with_an_emoji(visit: Callable[..., Any], tmp_path: Path) -> None:
    """It widens neither page that lists it, and its first character is drawn whole."""
    compile_table("leduc")
    game, name = make_game("leduc"), "\N{FOX FACE}" + "x" * (MOST_NAME - 1)
    seats = [Seat(name="Ann", token="ann"), Seat(name=name, token="fox", player=1)]
    table = Table("table", game, seats, game.deal(np.random.default_rng(0)))
    while not table.over:
        table.play(int(game.legal(table.state)[-1]))
    (tmp_path / "table.json").write_text(json.dumps(table.saved()))
    PastHands(tmp_path / PAST_HANDS).add(table)
    with serving(tmp_path) as port:
        page = visit(viewport={"width": 360, "height": 640})
        for place in ("", "#/past"):
            page.goto("about:blank")
            page.goto(f"http://127.0.0.1:{port}/{place}")
            page.wait_for_selector(f".tables li >> text={name}")
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.goto(f"http://127.0.0.1:{port}/#/t/table/ann")
        page.wait_for_selector(".seat .avatar")
        assert page.inner_text(".seat .avatar") == "\N{FOX FACE}"


def test_the_mean_of_few_hands_has_a_wide_interval(
    visit: Callable[..., Any], tmp_path: Path
) -> None:
    """By Student's t: two hands of 2 and 4 points."""
    page = visit()
    about = {"turn": 0, "time": 0, "game": "leduc", "occupants": ["Ann", "random"], "record": ""}
    hands = [
        {"table": "t", "deal": deal, "players": [0, 1], "persons": [0],
         "returns": [points, -points], **about}
        for deal, points in enumerate([2, 4])
    ]  # fmt: skip
    (tmp_path / PAST_HANDS).write_text("".join(f"{json.dumps(each)}\n" for each in hands))
    with serving(tmp_path) as port:
        page.goto(f"http://127.0.0.1:{port}/#/past")
        assert "+3 ± 12.71" in page.inner_text(".statistics tbody tr")
        page.goto("about:blank")  # before the server ends


def test_a_tap_completes_a_play_and_a_double_tap_plays(visit: Callable[..., Any]) -> None:
    compile_table("doudizhu")
    page = visit()
    start(page, "doudizhu")
    for _ in range(20):  # until a card of the own hand beats what was played
        assert wait_for_turn(page)
        texts = legal_plays(page) if page.query_selector("#list") else []
        wanted = next((text[0] for text in texts if text != "PASS"), None)
        if wanted and page.locator(".act", has_text="PASS").count():
            break
        before = version(page)
        if wanted:
            page.click("#list")
            page.locator(".legal button").first.click()
        else:
            page.locator(".act").first.click()
        wait_for_change(page, before)
    card = page.locator(f".fan.own .slot[data-card='{wanted}']").first
    where = {"x": 6, "y": 60}
    card.click(position=where)
    page.wait_for_selector("#play:not([disabled])")
    assert wanted in page.inner_text("#play")
    look = """() => document.querySelectorAll('.slot.chosen').length
      + document.querySelector('#play').textContent"""
    seen = page.evaluate(look)
    page.wait_for_timeout(400)  # longer than a double tap
    card.click(position=where)  # the next play with that card, or none
    page.wait_for_function(f"seen => ({look})() !== seen", arg=seen)
    page.keyboard.press("Escape")
    page.wait_for_selector(".slot.chosen", state="detached")
    page.wait_for_timeout(400)
    before = version(page)
    card.dblclick(position=where)
    wait_for_change(page, before)


def test_persons_hand_on_one_device(visit: Callable[..., Any]) -> None:
    """Nobody's cards are shown between two persons, after a reload, or before the next hand."""
    compile_table("leduc")
    page = visit()
    set_table(page, "leduc", "", "", "0.02")
    page.locator(".seat-name").nth(1).fill("$&")
    page.check("#hotseat")
    page.click("#start")

    def take(name: str) -> None:
        page.wait_for_selector("#take")
        assert page.inner_text("#take") == f"It is the turn of {name}"
        assert page.locator(".card").count() == 0
        page.click("#take")
        page.wait_for_selector('.status[data-turn="true"]')

    take("seat 1")
    page.click(".act >> text=check")
    take("$&")
    page.reload()
    take("$&")
    page.click(".act >> text=check")
    take("seat 1")
    page.click(".act >> text=raise")
    take("$&")
    page.click(".act >> text=fold")
    page.click("#next")
    take("seat 1")
    page.click(".act >> text=raise")
    take("$&")
    page.click(".act >> text=fold")
    page.click("#same")  # the first to act holds the device, but sits at another seat
    take("$&")


def test_a_shared_device_shows_no_hand_while_an_agent_begins(visit: Callable[..., Any]) -> None:
    """Who holds the device is asked, though it is nobody's turn."""
    compile_table("doudizhu")
    page = visit()
    seats = [{"agent": "random"}, {"name": "Ann"}, {"name": "Bob"}]
    with wired(port_of(page)) as wire:
        found = wire.ask("open", game="doudizhu", options={}, seats=seats, pace=60.0)
    page.evaluate("table => localStorage.setItem(`hotseat ${table}`, 'yes')", found["table"])
    page.goto(f"{page.context.base}#/t/{found['table']}/{found['tokens'][1]}")
    for _ in range(2):
        page.wait_for_selector("#take")
        assert page.inner_text("#take") == "Ann" and page.locator(".card").count() == 0
        page.click("#take")
        page.wait_for_selector(".mine .card")
        page.reload()


def test_a_table_goes_on_after_an_agent_has_failed(
    visit: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_table("leduc")
    decide, failures = lobby._decide, [ZeroDivisionError()]

    def decide_later(*arguments: Any) -> Any:
        if failures:
            raise failures.pop()
        return decide(*arguments)

    monkeypatch.setattr(lobby, "_decide", decide_later)
    page = visit()
    start(page, "leduc")
    assert wait_for_turn(page)
    page.click(".act >> text=check")
    page.wait_for_selector(".error >> text=ZeroDivisionError")
    page.click("#resume")
    page.wait_for_selector("#resume", state="detached")
    wait_for_turn(page)


def sent(page: Any) -> list[str]:
    """Load a page anew; the names of the requests that it sends from then on."""
    found: list[str] = []

    def keep(frame: str | bytes) -> None:
        found.append(json.loads(frame)["do"])

    page.on("websocket", lambda socket: socket.on("framesent", keep))
    page.reload()
    return found


def test_a_held_arrow_asks_for_no_more_than_the_server_takes(visit: Callable[..., Any]) -> None:
    """Also while `Analyse` is open, and every frame shows another position."""
    compile_advice("doudizhu", "greedy")
    page = visit(f"#/replay/{urllib.parse.quote(record('doudizhu'), safe='')}")
    requests = sent(page)
    page.click("#analyse")
    page.wait_for_selector(".values li")
    last, before = int(page.get_attribute("#scrub", "max")), len(requests)
    milliseconds = page.evaluate(
        """async (times) => {
          const begun = performance.now();
          for (let i = 0; i < times; i++) {
            const key = i < times / 2 ? "ArrowRight" : "ArrowLeft";
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            await new Promise(requestAnimationFrame);
          }
          return performance.now() - begun;
        }""",
        2 * last - 3,
    )
    assert len(requests) - before <= RATE * milliseconds / 1000 + 3
    at = page.input_value("#scrub")
    page.wait_for_selector(f".replay-page[data-ply='{at}']")


def test_a_held_key_takes_one_play_back(visit: Callable[..., Any]) -> None:
    compile_table("leduc")
    page = visit()
    start(page, "leduc")
    requests = sent(page)
    assert wait_for_turn(page)
    before = version(page)
    page.locator(".act").first.click()
    wait_for_change(page, before)
    wait_for_turn(page)
    for _ in range(10):
        page.keyboard.down("u")
    page.keyboard.up("u")
    assert requests.count("undo") == 1


def test_sound_and_motion_are_switched_off(visit: Callable[..., Any]) -> None:
    compile_table("leduc")
    page = visit()
    start(page, "leduc")
    page.wait_for_selector(":root[data-effects=on]")
    page.click("#effects")
    page.wait_for_selector(":root[data-effects=off]")
    page.reload()
    page.wait_for_selector(":root[data-effects=off]")
    name = "getComputedStyle(document.querySelector('.chip')).animationName"
    page.wait_for_selector(".chip")
    assert page.evaluate(name) == "none"
    page.click("#effects")
    page.wait_for_selector(":root[data-effects=on]")
    assert page.evaluate(name) != "none"


def test_rules_are_read_in_every_language_and_beside_the_table(visit: Callable[..., Any]) -> None:
    compile_table("doudizhu")
    for language, word in (("en", "landlord"), ("zh", "地主"), ("ja", "地主")):
        page = visit(locale=language)
        page.click(".game-card [href='#/rules/doudizhu']")
        page.wait_for_selector(".rules section")
        assert word in page.inner_text(".rules")
        assert page.locator(".rule-plays .card").count() > 20
        page.click(".rules-page [href='#/rules/leduc']")
        page.wait_for_function(
            "w => !document.querySelector('.rules').innerText.includes(w)", arg=word
        )
    page.goto("about:blank")
    page.goto(page.context.base)
    start(page, "doudizhu")
    page.click("[data-panel=rules]")
    page.wait_for_selector(".panel .rules section")


def test_the_first_hand_is_played_with_a_coach(visit: Callable[..., Any]) -> None:
    """Who names the situation and the advice, and goes on after a play was taken back."""
    compile_advice("leduc", "equilibrium")
    page = visit()
    page.click("[data-learn=leduc]")
    assert wait_for_turn(page)
    assert "Your turn" in page.title()
    told = page.wait_for_selector(".coach b:not(:text-is('…'))").inner_text()
    assert re.match(r"(A good player mixes: .* %|Try )", told)
    seen = version(page)
    page.locator(".act").last.click()
    wait_for_change(page, seen)
    seen = version(page)
    page.click("#undo")
    wait_for_change(page, seen)
    page.wait_for_selector(".coach b:not(:text-is('…'))")
    page.click("#coach")
    page.wait_for_selector(".coach", state="detached")


def test_cards_are_chosen_by_a_swipe(visit: Callable[..., Any]) -> None:
    compile_table("doudizhu")
    page = visit()
    start(page, "doudizhu")
    assert wait_for_turn(page)
    slots = page.locator(".fan.own .slot")
    boxes = [slots.nth(i).bounding_box() for i in range(4)]
    page.mouse.move(boxes[0]["x"] + 8, boxes[0]["y"] + 60)
    page.mouse.down()
    page.mouse.move(boxes[3]["x"] + 8, boxes[3]["y"] + 60, steps=20)
    page.mouse.up()
    page.wait_for_function("() => document.querySelectorAll('.slot.chosen').length === 4")
    slots.nth(0).click(position={"x": 6, "y": 60})
    page.wait_for_function("() => document.querySelectorAll('.slot.chosen').length === 3")


def test_why_cards_may_not_be_played_is_said_at_the_button(visit: Callable[..., Any]) -> None:
    compile_table("doudizhu")
    page = visit()
    start(page, "doudizhu")
    assert wait_for_turn(page)
    slots = page.locator(".fan.own .slot")
    slots.first.click(position={"x": 6, "y": 40})
    slots.last.click()
    page.wait_for_selector(".reason")
    assert page.inner_text(".reason") == "these cards form no play"
    assert page.is_disabled("#play")


def test_enter_plays_what_keys_have_chosen(visit: Callable[..., Any]) -> None:
    """A button that was used before does not take it."""
    compile_table("doudizhu")
    page = visit()
    start(page, "doudizhu")
    assert wait_for_turn(page)
    page.focus("[data-panel=rules]")
    page.keyboard.press("Enter")
    page.wait_for_selector(".panel .rules section")
    page.keyboard.press("Escape")
    before = version(page)
    page.keyboard.press(page.get_attribute(".fan.own .slot >> nth=0", "data-card"))
    page.wait_for_selector("#play:not([disabled])")
    page.keyboard.press("Enter")
    wait_for_change(page, before)
    assert page.locator(".panel").count() == 0


def test_the_current_move_is_seen_and_its_player_named(visit: Callable[..., Any]) -> None:
    """Where the list of moves is longer than its place, and agents have one name."""
    game, rng = make_game("daihinmin"), np.random.default_rng(3)
    played = from_state(game, game.playout(game.deal(rng), rng), ["rule"] * game.num_players)
    page = visit(f"#/replay/{urllib.parse.quote(played.to_json())}")
    page.wait_for_selector("#scrub")
    assert page.locator(".move-heads b").all_text_contents() == [f"rule {i}" for i in range(1, 6)]
    page.focus(".stage")
    page.keyboard.press("End")
    page.wait_for_function("""() => {
      const [now, side] = ['.moves .now', '.side'].map((one) => document.querySelector(one));
      const [line, box] = [now, side].map((one) => one?.getBoundingClientRect());
      return line && line.top >= box.top && line.bottom <= box.bottom;
    }""")


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_what_starts_a_game_is_legible(visit: Callable[..., Any], size: tuple[int, int]) -> None:
    page = visit(viewport=dict(zip(("width", "height"), size, strict=True)))
    page.wait_for_selector("[data-play]")
    buttons = ".game-card .row > :not(select)"
    assert (
        page.eval_on_selector_all(
            buttons,
            "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText)",
        )
        == []
    )
    narrow = "all => all.filter(one => one.clientWidth < 60).length"
    assert page.eval_on_selector_all(".game-card .row select", narrow) == 0


def test_the_next_hand_of_arranged_cards_needs_no_scrolling(visit: Callable[..., Any]) -> None:
    """On a phone on its side, where both arrangements are shown."""
    compile_advice("chinese_poker", "separable")
    page = visit(viewport={"width": 844, "height": 390})
    start(page, "chinese_poker", "separable")
    assert wait_for_turn(page)
    page.click("#suggest")
    page.click("#set:not([disabled])")
    page.wait_for_selector(".own-board")
    for each in ("#next", ".seat .board", ".own-board"):
        box = page.locator(each).bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 390


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_hint_covers_neither_hand_nor_buttons(
    visit: Callable[..., Any], size: tuple[int, int]
) -> None:
    compile_advice("doudizhu", "value-net")
    page = visit(viewport=dict(zip(("width", "height"), size, strict=True)))
    start(page, "doudizhu", "greedy")
    assert wait_for_turn(page)
    page.click("#hint")
    if page.locator("#values").count():  # on a phone the hint is a line, with the values behind it
        page.wait_for_selector(".slot.chosen")
        page.click("#values")
    page.wait_for_selector(".values li")
    covered = page.evaluate("""async () => {
      // Cards that a hint chooses glide.
      const moving = document.getAnimations().filter((one) => one instanceof CSSTransition);
      await Promise.allSettled(moving.map((one) => one.finished));
      const wanted = '.fan.own .slot, .mine .actions button:not([disabled])';
      return [...document.querySelectorAll(wanted)].filter((one) => {
        const box = one.getBoundingClientRect();
        const [x, y] = [box.left + 5, box.top + Math.min(20, box.height / 2)];
        const there = document.elementFromPoint(x, y);
        return !there || !(one === there || one.contains(there));
      }).map((one) => one.id || one.dataset.card || one.textContent);
    }""")
    assert covered == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_people_without_names_have_totals_of_their_own(visit: Callable[..., Any]) -> None:
    compile_table("leduc")
    ann = visit()
    start(ann, "leduc", "")
    ann.click("[data-panel=links]")
    assert "this machine only" in ann.inner_text(".local-only")
    links = ann.eval_on_selector_all(".links input", "all => all.map(one => one.value)")
    bob = visit(links[1][links[1].index("#") :])
    bob.wait_for_selector(".status")
    for acting, action in ((ann, "raise"), (bob, "fold")):
        acting.wait_for_selector('.status[data-turn="true"]')
        acting.locator(".act", has_text=action).first.click()
    ann.wait_for_selector('.status[data-over="true"]')
    assert "You win" in ann.inner_text(".status")
    bob.click("[data-panel=score]")
    totals = bob.locator(".totals li").all_inner_texts()
    assert sorted(re.findall(r"[+-]?\d+$", text.strip())[0] for text in totals) == ["+1", "-1"]
    assert totals[1].startswith("You") and not totals[0].startswith("You")
    bob.fill(".own-name input", "Bob")
    bob.click(".own-name button")
    ann.click("[data-panel=score]")
    ann.wait_for_selector(".totals >> text=Bob")


def test_what_is_clicked_while_the_network_is_silent_comes_once(visit: Callable[..., Any]) -> None:
    compile_table("leduc")
    page = visit("#/rules/leduc")
    silent: list[bool] = []

    def relay(socket: Any) -> None:
        server = socket.connect_to_server()
        socket.on_message(lambda text: silent or server.send(text))
        server.on_message(lambda text: silent or socket.send(text))

    page.route_web_socket(re.compile("/ws$"), relay)
    page.goto("about:blank")
    page.goto(page.context.base)
    start(page, "leduc")
    assert wait_for_turn(page)
    moves = "() => document.querySelectorAll('.panel .moves li').length"
    page.click("[data-panel=moves]")
    before, seen = page.evaluate(moves), version(page)
    silent.append(True)
    page.locator(".act").first.click()
    page.wait_for_selector(".status >> text=on its way")
    assert page.locator(".act:not([disabled])").count() == 0
    page.wait_for_selector(".offline", timeout=SILENCE)
    silent.clear()
    wait_for_change(page, seen)
    page.wait_for_selector(".offline", state="detached")
    wait_for_turn(page)
    page.wait_for_function(f"({moves})() > {before}")
    mine = [text for text in page.locator(".panel .moves li").all_inner_texts() if "You" in text]
    assert 1 <= len(mine) <= 2


def relayed(page: Any) -> list[Any]:
    """The sockets of a page, one for each connection from now on, which a test may close."""
    sockets: list[Any] = []

    def relay(socket: Any) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket(re.compile("/ws$"), relay)
    return sockets


def test_a_review_that_a_lost_connection_ends_begins_again(visit: Callable[..., Any]) -> None:
    compile_advice("leduc", "random")
    page = visit("#/rules/leduc")
    sockets = relayed(page)
    page.goto("about:blank")
    page.goto(f"{page.context.base}#/replay/{urllib.parse.quote(record('leduc'), safe='')}")
    page.click("#judge")
    page.wait_for_selector("#judge[disabled]")
    sockets[-1].close()
    page.wait_for_selector("#judge:not([disabled])")


@pytest.mark.parametrize("place", ["table", "replay", "analyse", "open hands"])
def test_a_hint_that_a_lost_connection_ends_begins_again(
    visit: Callable[..., Any], place: str
) -> None:
    """Also chances of cards, and exact results of open hands."""
    compile_advice("leduc", "equilibrium")
    if place == "open hands":
        compile_advice("doudizhu", "greedy")
    page = visit("#/rules/leduc")
    sockets: list[Any] = []

    def relay(socket: Any) -> None:
        server, is_first = socket.connect_to_server(), not sockets
        sockets.append(socket)

        def answer(text: str) -> None:
            if not (is_first and re.search('"push":"(hint|chances|endgame)"', text)):
                socket.send(text)

        server.on_message(answer)

    page.route_web_socket(re.compile("/ws$"), relay)
    page.goto("about:blank")
    page.goto(f"{page.context.base}#/{addressed(place)}")
    if place == "table":
        page.click("[data-learn=leduc]")
        assert wait_for_turn(page)
        page.wait_for_selector(".coach b:text-is('…')")
    elif place == "replay":
        page.click("#analyse")
        page.wait_for_selector(".hint-panel .busy")
    elif place == "open hands":
        page.select_option("#game", "doudizhu")
        page.fill("[data-hand='0']", "33S")
        page.fill("[data-hand='1']", "4QB")
        page.click("#solve-hands")
        page.wait_for_selector(".endgame .busy")
    else:
        page.select_option("#game", "leduc")
        page.fill("#hand", "SK")
        page.click("#go")
        page.wait_for_selector(".hint-panel .busy")
    sockets[-1].close()
    if place == "table":
        page.wait_for_selector(".coach b:not(:text-is('…'))")
        return
    if place != "open hands":
        page.wait_for_selector(".hint-panel .values")
        page.wait_for_selector(".heat td")
    if place != "analyse":
        page.wait_for_selector(".endgame .forced")


def addressed(place: str) -> str:
    quoted = urllib.parse.quote(record("leduc"), safe="")
    return {"table": "", "replay": f"replay/{quoted}"}.get(place, "analyse")


def test_a_small_game_is_there_after_a_lost_connection(visit: Callable[..., Any]) -> None:
    compile_small("leduc")
    page = visit("#/rules/leduc")
    sockets = relayed(page)
    page.goto("about:blank")
    page.goto(f"{page.context.base}#/solve")
    page.select_option("#game", "leduc")
    page.click("#look")
    for _ in range(2):  # solved by either connection
        page.wait_for_selector("#look:not([disabled])")
        page.click("#solve")
        page.wait_for_selector(".plot")
        sockets[-1].close()
        page.wait_for_selector(".plot", state="detached")
        page.wait_for_selector("#solve")
        assert page.locator(".solve-form .error").count() == 0


def test_a_line_that_is_no_fact_is_refused(visit: Callable[..., Any]) -> None:
    page = visit("#/analyse")
    page.select_option("#game", "leduc")
    page.fill("#hand", "K")
    page.fill("#facts", "flop Q")
    page.click("#go")
    page.wait_for_selector(".error >> text=flop Q")


def test_replays_have_addresses(visit: Callable[..., Any]) -> None:
    """A reload shows the same game, and back leads where one came from."""
    compile_table("doudizhu")
    page = visit()
    page.click("[href='#/replay']")
    page.click("[data-sample]")
    page.click("[data-record='1']")
    page.wait_for_selector("#scrub")
    address = page.url
    page.reload()
    page.wait_for_selector("#scrub")
    assert page.url == address
    page.go_back()
    page.wait_for_selector("[data-record='1']")
    page.click("[data-record='0']")
    page.wait_for_selector("#scrub")
    page.click(".bar .icon-button")
    page.wait_for_selector("[data-record='1']")


def test_the_table_is_there_after_a_review(visit: Callable[..., Any]) -> None:
    compile_table("leduc")
    page = visit()
    start(page, "leduc")
    while wait_for_turn(page):
        seen = version(page)
        page.locator(".act").last.click()
        wait_for_change(page, seen)
    address = page.url
    page.click("#review")
    page.wait_for_selector("#scrub")
    page.click(".bar .icon-button")
    page.wait_for_selector("#next")
    assert page.url == address


def test_files_of_some_megabytes_are_read_and_larger_ones_refused_with_the_limit(
    visit: Callable[..., Any],
) -> None:
    line = games_in(sample="deeprocket_match.jsonl")[0]["record"]
    page = visit("#/replay")
    games = "\n".join([line] * (3_000_000 // len(line))).encode()
    noise = np.random.default_rng(0).bytes(3_000_000)
    for content, selector in ((games, "[data-record='0']"), (noise, "[role=alert] >> text=2 MB")):
        file = {"name": "x", "mimeType": "text/plain", "buffer": content}
        page.set_input_files("input[type=file]", file)
        page.wait_for_selector(selector)
    assert not page.query_selector(".offline")


def test_options_keep_their_values_and_are_explained(visit: Callable[..., Any]) -> None:
    page = visit(locale="zh")
    page.click("[data-game=daihinmin]")
    page.wait_for_selector(".game.selected[data-game=daihinmin]")
    page.click(".options summary")
    page.fill("[data-option=rounds] input", "3")
    page.select_option("[data-option=lock] select", "false")
    page.fill("[data-option=players] input", "4")
    page.select_option("[data-option=lock] select", "")
    page.wait_for_function("() => document.querySelectorAll('.seat-choice').length === 4")
    assert page.input_value("[data-option=rounds] input") == "3"
    assert page.is_visible("[data-option=kaidan] small")
    texts = page.locator(".options small").all_inner_texts()
    assert len(texts) > 20 and not [text for text in texts if re.fullmatch(r"[ -~]*", text)]
    with pytest.raises(Exception, match=r"number"):
        page.fill("[data-option=players] input", "abc")


def test_rules_for_two_have_two_seats(visit: Callable[..., Any]) -> None:
    page = visit()
    page.click("[data-game=doudizhu]")
    page.wait_for_selector(".seat-choice >> nth=2")
    page.click(".options summary")
    page.select_option("[data-option=rules] select", "two_players")
    # What is dealt if the option is left out, and the other value to choose.
    assert page.locator("[data-option=robbing] option").all_text_contents() == ["true", "false"]
    page.wait_for_function("() => document.querySelectorAll('.seat-choice').length === 2")
    page.select_option(".seat-choice >> nth=1 >> select", "random")
    page.click("#start")
    page.wait_for_selector(".status")
    assert page.locator(".felt .avatar").count() == 1  # the opponent; the own hand is below
    page.goto(f"{page.context.base}#/analyse")
    page.select_option("#game", "doudizhu")
    for form, seats in (
        (".form:not(#open-hands)", "#player option"),
        ("#open-hands", "[data-hand]"),
    ):
        page.wait_for_selector(f"{form} {seats} >> nth=2", state="attached")
        page.click(f"{form} .options summary")
        page.select_option(f"{form} [data-option=rules] select", "two_players")
        page.wait_for_selector(f"{form} {seats} >> nth=2", state="detached")


def test_hints_of_a_mixed_strategy_show_the_mixture_with_exact_values(
    visit: Callable[..., Any],
) -> None:
    compile_advice("leduc", "equilibrium")
    page = visit()
    for _ in range(20):
        page.goto("about:blank")
        page.goto(page.context.base)
        start(page, "leduc", "equilibrium")
        if not wait_for_turn(page):
            continue
        page.click("#hint")
        page.wait_for_selector(".basis >> text=exact")
        if page.query_selector(".mixture"):
            break
    shares = [float(each) for each in re.findall(r"(\d+) %", page.inner_text(".mixture"))]
    assert len(shares) > 1 and sum(shares) == pytest.approx(100, abs=2)


def test_the_agent_for_hints_is_remembered(visit: Callable[..., Any]) -> None:
    compile_advice("doudizhu", "value-net")
    compile_advice("doudizhu", "rule")
    page = visit(f"#/replay/{urllib.parse.quote(record('doudizhu'))}")
    page.click("#analyse")
    page.wait_for_selector(".advice")
    assert page.input_value(".by select") == "value-net"
    page.select_option(".by select", "rule")
    page.wait_for_function("() => document.querySelector('.by select').value === 'rule'")
    page.reload()
    page.click("#analyse")
    page.wait_for_selector(".advice")
    assert page.input_value(".by select") == "rule"


def test_places_are_named_where_more_than_two_sides_play(visit: Callable[..., Any]) -> None:
    """And colours agree with them."""
    compile_table("daihinmin")
    page = visit()
    start(page, "daihinmin")
    while wait_for_turn(page):
        seen = version(page)
        if page.query_selector("#list"):
            page.click("#list")
            page.locator(".legal button").last.click()
        else:
            page.locator(".act").first.click()
        wait_for_change(page, seen)
    place = int(re.search(r"Place (\d) of 5", page.inner_text(".status"))[1])
    points = page.wait_for_selector(".status .points")
    assert points.inner_text().strip() == f"+{6 - place}"
    wanted = "points up" if place < 3 else "points down" if place > 3 else "points"
    assert points.get_attribute("class").strip() == wanted


def test_somebody_without_a_link_is_told_what_to_do(visit: Callable[..., Any]) -> None:
    page = visit()
    with serving(token="secret") as port:
        page.goto(f"http://127.0.0.1:{port}/#/?token=wrong")
        page.wait_for_selector("text=open the link of a seat")
        page.click("[href='#/rules/leduc']")
        page.wait_for_selector(".rules section")
        page.goto("about:blank")


def test_the_tables_are_found_by_a_search(visit: Callable[..., Any]) -> None:
    compile_table("leduc")
    page = visit()
    for name in ("Zoe", *["Ann"] * 9):
        page.goto("about:blank")
        page.goto(page.context.base)
        page.click("[data-game=leduc]")
        page.wait_for_selector(".game.selected[data-game=leduc]")
        page.locator(".seat-name").first.fill(name)
        page.click("#start")
        page.wait_for_selector(".status")
        time.sleep(0.2)  # below the rate of messages
    page.goto("about:blank")
    page.goto(page.context.base)
    page.fill("#search-tables", "zoe")
    page.wait_for_function("() => document.querySelectorAll('.tables li').length === 1")
    assert "Zoe" in page.inner_text(".tables li")
    page.fill("#search-tables", "")
    number = "document.querySelectorAll('.tables li').length"
    before = page.evaluate(number)
    page.evaluate("""() => [...document.querySelectorAll('.tables li button')].slice(0, 2)
                     .forEach((each) => each.click())""")
    page.wait_for_function(f"() => {number} === {before - 2}")
