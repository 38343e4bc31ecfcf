"""The page in a real browser: Debian's chromium, driven by Playwright."""

import gzip
import io
import os
import re
import socket
import subprocess
import sys
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support_browser import (
    DESKTOP,
    LIMIT,
    NEEDS_CHROMIUM,
    PHONE,
    WAIT,
    legal_plays,
    set_table,
    shoot,
    start,
    version,
    wait_for_change,
    wait_for_turn,
)
from support_runs import save_ladder, save_training
from support_uecda import Match
from support_web import compile_advice, compile_client, compile_small, compile_table, serving

from closedhand import make_game, register_game
from closedhand.agents.chinese_poker import advise as odds_of_parts
from closedhand.agents.chinese_poker.advise import odds
from closedhand.core import registry
from closedhand.core.records import Record, from_state
from closedhand.core.registry import GAMES
from closedhand.games.chinese_poker.notation import cards_text
from closedhand.solvers.sequence_form import solve
from closedhand.solvers.strategy import save
from closedhand.web import catalogue, remote_seat, study
from closedhand.web.page import page as saved_page
from closedhand.web.remote_seat import Address

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = NEEDS_CHROMIUM

DATA = Path(__file__).parents[1] / "data"
KUHN = Path(__file__).parents[2] / "examples" / "kuhn-poker"
MOST_TURNS = 200
"""Turns within which any hand ends."""
AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
"""The accessibility checker axe-core."""
CARD_TURNS = 3
"""Turns in which cards are chosen by clicks; later turns use the list of legal plays."""


@pytest.fixture(scope="module", autouse=True)
def kuhn() -> Iterator[None]:
    """A game of another package, found by its entry point."""
    sys.path.insert(0, str(KUHN))
    from kuhn_poker.spec import SPEC

    register_game(SPEC)
    catalogue.games.cache_clear()
    yield
    registry._specs.pop(SPEC.name)
    catalogue.games.cache_clear()
    sys.path.remove(str(KUHN))


def number_of_moves(page: Any) -> int:
    return len(page.query_selector_all(".panel .moves li"))


def act_by_clicks(page: Any, rng: np.random.Generator, by_list: bool) -> None:
    """Play by placed cards, a card that is chosen, a button, or the list of legal plays."""
    if page.query_selector(".arrange"):
        page.click("#suggest")
        page.wait_for_selector(".tray:empty", state="attached")
        page.click("#set:not([disabled])")
        return
    if page.query_selector("#play") and not by_list:
        texts = legal_plays(page)
        cards = page.eval_on_selector_all(
            ".fan.own .slot", "all => all.map(one => one.dataset.card)"
        )
        wanted = next((text for text in texts if text in cards), None)
        if wanted:
            page.locator(f'.fan.own .slot[data-card="{wanted}"]').first.click(
                position={"x": 6, "y": 40}
            )
            page.click("#play:not([disabled])")
            return
    buttons = page.locator(".act")
    if (number := buttons.count()) and not (by_list and page.query_selector("#list")):
        buttons.nth(int(rng.integers(number))).click()
        return
    page.click("#list")
    page.locator(".legal button").last.click()  # the first is to pass


@pytest.mark.parametrize("name", [*GAMES, "kuhn"])
def test_a_game_by_clicks(visit: Callable[..., Any], name: str) -> None:
    agent = "separable" if name == "chinese_poker" else "random"
    compile_table(name, agent)
    if name == "chinese_poker":
        compile_advice(name, agent)
    page, rng = visit(), np.random.default_rng(0)
    start(page, name, agent)
    turns = 0
    while turns < MOST_TURNS and wait_for_turn(page):
        if turns == 1 or (turns == 0 and name == "chinese_poker"):
            shoot(page, name)
            page.set_viewport_size(PHONE)
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= PHONE["width"]
            shoot(page, f"{name}-phone")
            page.set_viewport_size(DESKTOP)
        before = version(page)
        act_by_clicks(page, rng, by_list=turns >= CARD_TURNS)
        wait_for_change(page, before)
        turns += 1
    assert not wait_for_turn(page)
    page.click("text=Score")
    page.wait_for_selector(".panel tbody tr")
    assert page.locator(".panel tbody tr").count() == 1
    assert not page.query_selector(".difference")


def test_the_same_deal_with_seats_moved(visit: Callable[..., Any]) -> None:
    """The person changes seats too, and the score shows the difference on the same cards."""
    compile_table("leduc")
    page, rng = visit(), np.random.default_rng(0)
    start(page, "leduc")
    for turn in range(2):
        while wait_for_turn(page):
            before = version(page)
            act_by_clicks(page, rng, by_list=False)
            wait_for_change(page, before)
        assert page.locator(".felt .avatar").count() == 1  # the opponent; the own hand is below
        if turn == 0:
            page.click("#same")
            page.wait_for_selector("#next", state="detached")
    page.click("text=Score")
    rows = page.locator(".panel tbody tr")
    assert [rows.nth(i).locator("small").all_inner_texts() for i in range(2)] == [
        ["You", "random"],
        ["random", "You"],
    ]
    assert "(2)" in page.inner_text(".difference")
    shoot(page, "duplicate")


RANK_KEYS = {"T": "1", "S": "x", "B": "y"}
"""Keys of ranks that are not their letters."""


def act_by_keyboard(page: Any) -> None:
    """Ranks choose cards, Enter plays them, P passes; numbers choose actions and parts."""
    press = page.keyboard.press
    if page.query_selector(".arrange"):
        press("ArrowRight")
        press("3")
        page.wait_for_selector("[data-part='2'] .slot")
        press("h")
        page.wait_for_selector(".tray:empty", state="attached")
        page.wait_for_selector("#set:not([disabled])")
        press("Enter")
        return
    card = page.query_selector(".fan.own button.slot")
    if card is None:
        press("1")
        return
    rank = card.get_attribute("data-card")[0]
    if rank.isalnum():
        press(RANK_KEYS.get(rank, rank.lower()))
    else:
        press("ArrowRight")
        press(" ")
    page.wait_for_selector(".slot.chosen")
    if page.is_enabled("#play"):
        press("Enter")
    else:
        press("Escape")
        press("p")


@pytest.mark.parametrize("name", [*GAMES, "kuhn"])
def test_a_game_by_keyboard(visit: Callable[..., Any], name: str) -> None:
    agent = "separable" if name == "chinese_poker" else "random"
    compile_table(name, agent)
    if name == "chinese_poker":
        compile_advice(name, agent)
    page = visit()
    start(page, name, agent)
    for _ in range(MOST_TURNS):
        if not wait_for_turn(page):
            break
        before = version(page)
        act_by_keyboard(page)
        wait_for_change(page, before)
    page.wait_for_selector('.status[data-over="true"]')
    page.keyboard.press("n")
    page.wait_for_selector("#next", state="detached")


def test_cards_are_dragged_and_fouls_shown(visit: Callable[..., Any]) -> None:
    """An arrangement with the best cards in front is foul; hints show the agent's own values."""
    compile_advice("chinese_poker", "separable")
    page = visit()
    start(page, "chinese_poker", "separable")
    assert wait_for_turn(page)

    def drag(source: Any, target: Any) -> None:
        boxes = [source.bounding_box(), target.bounding_box()]
        (x, y), (to_x, to_y) = [(b["x"] + 8, b["y"] + b["height"] / 2) for b in boxes]
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(to_x + 20, to_y, steps=4)
        page.mouse.up()

    card = page.get_attribute(".tray .slot >> nth=0", "data-card")
    drag(page.locator(".tray .slot").first, page.locator("[data-part='2']"))
    page.wait_for_selector(f"[data-part='2'] .slot[data-card='{card}']")
    drag(page.locator("[data-part='2'] .slot").first, page.locator(".tray"))
    page.wait_for_selector(f".tray .slot[data-card='{card}']")
    page.click("#suggest")
    page.wait_for_selector("#set:not([disabled])")
    page.click(".ratings li:nth-child(2) button")
    page.wait_for_selector("#set:not([disabled])")
    page.locator(".odds").nth(2).wait_for()
    shoot(page, "chinese-poker")
    places = [page.locator(f"[data-part='{part}']").bounding_box() for part in range(3)]
    for number in range(3):  # swaps the front with the back
        card, other = [page.locator(f"[data-part='{part}'] .slot").nth(number) for part in (2, 0)]
        names = [each.get_attribute("data-card") for each in (card, other)]
        drag(card, other)
        for part, name in zip((0, 2), names, strict=True):
            page.wait_for_selector(f"[data-part='{part}'] .slot[data-card='{name}']")
    page.wait_for_selector(".arrange .error >> text=may not be set")
    assert page.is_disabled("#set")
    assert places == [page.locator(f"[data-part='{part}']").bounding_box() for part in range(3)], (
        "what is said of the parts moved them"
    )


def test_classes_exchange_lock_and_revolution_are_seen(visit: Callable[..., Any]) -> None:
    """Options can be chosen, cards exchanged, and the table shows changes of the rules."""
    compile_table("daihinmin")
    page, rng = visit(locale="ja"), np.random.default_rng(0)
    page.click("[data-game=daihinmin]")
    page.wait_for_selector(".game.selected[data-game=daihinmin]")
    page.click(".columns summary")
    page.select_option("[data-option=classes] select", "random")
    start(page, "daihinmin")
    assert page.locator(".felt .avatar").count() == 4  # and the person
    assert "大富豪" in page.inner_text(".felt")
    assert wait_for_turn(page)
    before = version(page)
    act_by_clicks(page, rng, by_list=True)
    wait_for_change(page, before)
    marked = {"revolution": "革命", "lock": "縛り"}
    for found, ply, word in marked_positions(marked):
        page.goto("about:blank")
        page.goto(f"{page.context.base}#/replay/{urllib.parse.quote(found.to_json())}")
        page.wait_for_selector("#scrub")
        page.fill("#scrub", str(ply))
        page.wait_for_selector(f".replay-page[data-ply='{ply}']")
        assert word in page.inner_text(".middle")
    shoot(page, "revolution")


def marked_positions(marks: dict[str, str]) -> Iterator[tuple[Record, int, str]]:
    """A random game of Daihinmin with a position that shows each of some marks."""
    game, rng = make_game("daihinmin"), np.random.default_rng(1)
    left = dict(marks)
    while left:
        state, states = game.deal(rng), []
        while not game.over(state):
            game.play(state, game.sample(rng, state))
            states.append(state.copy())
        for ply, each in enumerate(states[:-1], 1):
            shown = " ".join(mark for row in game.scene(each) for mark in row.marks)
            for name in [name for name in left if name in shown]:
                yield from_state(game, state, list("xyzuv")), ply, left.pop(name)


def test_reload_undo_hint_and_what_others_hold(visit: Callable[..., Any]) -> None:
    compile_advice("doudizhu", "greedy")
    page = visit()
    start(page, "doudizhu", "greedy")
    assert wait_for_turn(page)
    cards = page.eval_on_selector_all(".fan.own .slot", "all => all.map(one => one.dataset.card)")
    page.click("#hint")
    page.wait_for_selector(".values li")
    shoot(page, "hint")
    page.click(".advice")
    page.wait_for_selector(".slot.chosen")
    page.click(".close")
    page.click("#holdings")
    page.wait_for_selector(".heat td")
    shoot(page, "holdings")
    page.click(".close")
    page.click("#play:not([disabled])")
    page.wait_for_selector(f".fan .slot:nth-child({len(cards)})", state="detached")
    assert wait_for_turn(page)
    page.reload()
    assert wait_for_turn(page)
    held = page.query_selector_all(".mine .fan:last-child .slot")
    assert 0 < len(held) < len(cards)
    page.click("#undo")
    page.wait_for_selector(f".fan.own .slot:nth-child({len(cards)})")


def test_agents_are_listed_with_cost_and_strength(visit: Callable[..., Any]) -> None:
    catalogue.agents("chinese_poker")
    page = visit()
    page.click("[data-game=chinese_poker]")
    page.wait_for_selector("fieldset[data-agents*=random]")
    page.click(".agents summary")
    rows = page.eval_on_selector_all(".agents [data-agent]", "all => all.map(o => o.dataset.agent)")
    assert rows[-1] == "random"
    assert {"separable", "counter"} < set(rows)
    assert "µs" in page.inner_text(".agents [data-agent=separable]")
    page.locator(".agents").scroll_into_view_if_needed()
    shoot(page, "agents")


def test_two_people_at_one_table(visit: Callable[..., Any]) -> None:
    compile_table("uh_leduc")
    ann = visit()
    start(ann, "uh_leduc", "")
    ann.click("text=Links")
    links = ann.eval_on_selector_all(".links input", "all => all.map(one => one.value)")
    shoot(ann, "links")
    ann.click(".close")
    bob = visit(links[1][links[1].index("#") :])
    pages = [ann, bob]
    for page in pages:
        page.wait_for_selector(".status")
        shown = page.eval_on_selector_all(".mine .fan .card:not(.back)", "all => all.length")
        assert shown == 1
    assert not [page for page in pages if page.query_selector(".seat .card:not(.back)")]
    for acting, other in ((ann, bob), (bob, ann)):
        acting.wait_for_selector('.status[data-turn="true"]')
        other.wait_for_selector('.status[data-turn="false"]')
        assert not other.query_selector(".act")
        before = version(other)
        acting.locator(".act", has_text="check").first.click()
        wait_for_change(other, before)


@contextmanager
def command_server(folder: Path, output: list[str]) -> Iterator[str]:
    """Run the command `closedhand web`; yield its address and collect its output."""
    command = [
        str(Path(sys.executable).with_name("closedhand")), "web", "--no-browser", "--port", "0",
        "--folder", str(folder / "tables"), "--runs", str(folder),
    ]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                output.append(line)
                if found := re.search(r"http://\S+/", line):
                    yield found[0]
                    break
        finally:
            process.terminate()
            output += process.stderr


def play_first_card(chromium: Any, folder: Path, and_wait: bool = False) -> str:
    """Play the first card on a server of its own; return the output of the server.

    The server ends in the middle of what the others then do, unless it is to wait for that.
    """
    output: list[str] = []
    with command_server(folder, output) as address:
        page = chromium.new_context(viewport=DESKTOP, locale="en-US").new_page()
        page.set_default_timeout(WAIT)
        page.goto(address)
        start(page, "doudizhu", "greedy")
        assert wait_for_turn(page)
        seen = version(page)
        act_by_clicks(page, np.random.default_rng(0), by_list=True)
        wait_for_change(page, seen)
        if and_wait:  # hints are prepared next
            assert wait_for_turn(page)
            page.click("#hint")
            page.wait_for_selector(".values li", timeout=1000 * LIMIT)
        page.context.close()
    return "".join(output)


def test_a_table_compiles_nothing_for_a_second_time(chromium: Any, tmp_path: Path) -> None:
    """The first card can be played within seconds of the command."""
    # Compiles what no other test has, the other players too: they begin while the server ends.
    play_first_card(chromium, tmp_path / "cold", and_wait=True)
    output = play_first_card(chromium, tmp_path / "warm")
    assert "http" in output and "doudizhu" not in output  # other games may go on compiling


def test_a_person_and_an_agent_sit_in_a_match_elsewhere(
    visit: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a match of our UECda server the person sees every turn, and nothing hidden."""
    monkeypatch.setattr(remote_seat, "PACE", 0.05)
    compile_client()
    rng = np.random.default_rng(0)
    match, other = Match(None, rounds=1), Match(None, rounds=2)
    servers = [Address("daihinmin", {}, *each.server.address) for each in (match, other)]
    with serving(servers=servers) as port:
        page = visit()
        page.goto(f"http://127.0.0.1:{port}/")
        page.locator(".servers .take-seat").first.click()
        page.wait_for_selector(".status")
        while wait_for_turn(page):
            before = version(page)
            if page.query_selector("#hint"):
                shoot(page, "uecda")
            act_by_clicks(page, rng, by_list=True)
            wait_for_change(page, before)
        assert match.end().illegal == (0,) * 5
        page.wait_for_selector("text=the match is over")
        assert not page.query_selector("#next") and not page.query_selector("#undo")
        page.goto(f"http://127.0.0.1:{port}/#/")
        form = page.locator(".servers form").last
        form.locator("select").select_option("random")
        form.locator(".take-seat").click()
        page.wait_for_selector(".chip >> text=Watching")
        page.wait_for_selector("text=the match is over")
        assert other.end().rounds == 2
        page.click("text=Score")
        assert page.locator(".panel tbody tr").count() == 2


def test_a_seat_at_a_silent_server_is_given_up(visit: Callable[..., Any]) -> None:
    compile_client()
    page = visit()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = Address("daihinmin", {}, *silent.getsockname())
        with serving(servers=[address]) as port:
            page.goto(f"http://127.0.0.1:{port}/")
            page.click(".servers .take-seat")
            page.wait_for_selector("text=waiting for the match to begin")
            page.click(".servers .leave-seat")
            page.wait_for_selector(".servers .error >> text=you have left")
            page.wait_for_selector(".servers .take-seat")
            page.goto("about:blank")  # before the server ends


def test_parts_show_their_odds_while_a_hand_is_set(
    visit: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, own_cache: None
) -> None:
    monkeypatch.setattr(odds_of_parts, "POOL_SIZE", 20_000)
    compile_table("chinese_poker", "separable")
    game = make_game("chinese_poker").flat
    view = game.deal(np.random.default_rng(0))
    odds(game, view, ["", "", cards_text(view["hands"][0][:3])])  # sets the pool
    page = visit()
    start(page, "chinese_poker", "separable")
    assert wait_for_turn(page)
    for part, number in (("3", 3), ("1", 5)):
        for _ in range(number):
            page.locator(".tray .slot").first.focus()
            page.keyboard.press(part)
        chance = page.wait_for_selector(f"[data-part='{int(part) - 1}'] .odds")
        assert (
            0 <= float(chance.get_attribute("data-win")) <= 1
        )  # a poor part of some deals never wins
    assert page.locator(".odds").count() == 2
    shoot(page, "odds")
    page.locator("[data-part='2'] .slot").first.focus()
    page.keyboard.press("0")
    page.wait_for_selector("[data-part='2'] .odds", state="detached")


def test_watching_by_step_and_by_clock(visit: Callable[..., Any]) -> None:
    compile_table("daihinmin")
    page = visit()
    set_table(page, "daihinmin", "random", "random", "2")
    page.check(".check input")
    page.click("#start")
    page.wait_for_selector("#pause")
    page.click("#pause")
    page.wait_for_selector("#step")
    page.click("text=Moves")
    before = number_of_moves(page)
    page.click("#step")
    page.wait_for_selector(f".panel .moves li:nth-child({before + 1})")
    shoot(page, "watching")
    page.click("#pause")
    page.wait_for_selector(f".panel .moves li:nth-child({before + 3})")


def game_of(name: str) -> Record:
    """A random game."""
    game, rng = make_game(name), np.random.default_rng(3)
    names = ["x", "y", "z", "u", "v"][: game.num_players]
    return from_state(game, game.playout(game.deal(rng), rng), names)


def record(name: str) -> str:
    """The record of a random game."""
    return game_of(name).to_json()


def test_a_replay_is_scrubbed_and_judged(visit: Callable[..., Any]) -> None:
    compile_advice("doudizhu", "greedy")
    text = record("doudizhu")
    page = visit("#/replay")
    page.fill("#paste", text)
    page.click("#open")
    page.wait_for_selector("#scrub")
    last = int(page.get_attribute("#scrub", "max"))
    page.fill("#scrub", str(last // 2))
    page.wait_for_selector(f".moves .now [data-ply='{last // 2}']")
    for key, ply in (
        ("ArrowRight", last // 2 + 1),
        ("Home", 0),
        ("End", last),
        ("ArrowLeft", last - 1),
    ):
        page.focus(".stage")
        page.keyboard.press(key)
        page.wait_for_selector(f"output:text-is('{ply}/{last}')")
    page.click("#judge")
    page.wait_for_selector(".moves .verdict")
    page.wait_for_selector(".curve path", state="attached")  # it has no height if it is level
    page.wait_for_selector(".moves .mistake, .moves .unclear")
    titles = page.eval_on_selector_all(".moves .verdict[title]", "all => all.map(one => one.title)")
    assert all(re.search(r": \d+\.\d % \(-?\d+\.\d … \d+\.\d\)$", text) for text in titles)
    shoot(page, "replay")
    for button, name, head in (
        ("#save-record", "game.jsonl", text.encode()),
        ("#save-picture", "position.png", b"\x89PNG"),
        ("#save-animation", "game.gif", b"GIF8"),
    ):
        with page.expect_download() as download:
            page.click(button)
        assert download.value.suggested_filename == name
        assert Path(download.value.path()).read_bytes().startswith(head)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.focus(".stage")
    page.keyboard.press("Home")  # where there is a choice to analyse
    page.wait_for_selector(f"output:text-is('0/{last}')")
    copied = {}
    for button, start_of in (("#copy-link", "http"), ("#copy-position", "make_game")):
        page.click(button)
        while not (now := page.evaluate("navigator.clipboard.readText()")).startswith(start_of):
            page.wait_for_timeout(20)
        copied[button] = now
    page.click("#analyse")
    page.wait_for_selector(".values li")
    page.fill("#scrub", str(last))
    page.wait_for_selector(".side >> text=The hand is over")
    assert page.locator(".side .busy, .side h2").count() == 0
    page.fill("#scrub", "0")
    page.wait_for_selector(".values li")
    page.click(".tabs >> text=Play on from here")
    page.click("#start")
    page.wait_for_selector(".table-page[data-version]")
    page.goto("about:blank")
    page.goto(copied["#copy-link"])
    page.wait_for_selector(f"output:text-is('0/{last}')")
    page.goto("about:blank")
    page.goto(f"{page.context.base}#/analyse")
    page.fill("#position", copied["#copy-position"])
    page.wait_for_function("() => document.querySelector('#hand').value")
    page.click("#go")
    page.wait_for_selector(".values li")


def test_files_of_records_and_logs_are_opened(visit: Callable[..., Any], tmp_path: Path) -> None:
    """Files are recognised by content, plain or compressed: two records, and a server's log."""
    records = f"{record('daihinmin')}\n{record('leduc')}\n".encode()
    log = (DATA / "uecda.log").read_bytes()
    compile_table("daihinmin")
    path = tmp_path / "games"
    for content, number in ((records, 2), (log, 25)):
        for packed in (content, gzip.compress(content)):
            # A page of its own: the list of the file before has as many rows until it is replaced.
            page = visit("#/replay")
            path.write_bytes(packed)
            page.locator("input[type=file]").set_input_files(path)
            rows = page.locator(".games-list [data-record]")
            rows.nth(number - 1).wait_for()
            assert rows.count() == number
            rows.last.click()
            page.wait_for_selector("#scrub")
            page.click("[aria-label=Replay]")
    path.write_bytes(b"\x00\x01 no game")
    page.locator("input[type=file]").set_input_files(path)
    page.wait_for_selector("[role=alert]")
    assert page.locator(".games-list").count() == 0  # nothing of the file before


def test_mistakes_differ_from_unclear_plays(
    visit: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Passing when one can go out is a mistake; the order of equal cards is not."""
    compile_advice("daihinmin", "default")
    monkeypatch.setattr(study, "JUDGING", 0.1)
    page = visit(f"#/replay/{urllib.parse.quote(record('daihinmin'))}")
    page.wait_for_selector("#scrub")
    page.click("#judge")
    page.wait_for_selector("#judge:not([disabled])")
    verdicts = page.eval_on_selector_all(".moves .verdict", "all => all.map(one => one.className)")
    texts = page.eval_on_selector_all(".moves .verdict", "all => all.map(one => one.title)")
    assert {"verdict mistake", "verdict unclear"} <= set(verdicts)
    for kind, text in zip(verdicts, texts, strict=True):
        if found := re.search(r"\((-?[0-9.]+) … ", text):
            low = float(found[1])
            assert low >= 0 if kind == "verdict mistake" else low <= 0
    wrong = page.locator(".curve .wrong")
    assert wrong.count() == verdicts.count("verdict mistake")
    told = page.locator(".story .turning")
    assert told.count() >= verdicts.count("verdict mistake")
    assert re.search(
        r"loses \d+\.\d+ points: .+ does better", page.inner_text(".story .mistake >> nth=0")
    )
    axis = page.locator(".axis i").all_inner_texts()
    assert len(axis) == 3 and float(axis[0]) > float(axis[2])
    page.locator(".story .mistake").filter(has_not_text="PASS does").first.click()
    page.wait_for_selector(".seat .slot.chosen, .mine .slot.chosen")  # the better play is lifted
    shoot(page, "mistakes")


def test_a_link_holds_a_game_and_a_sample_opens(visit: Callable[..., Any]) -> None:
    compile_table("uh_leduc")
    compile_table("doudizhu")
    page = visit(f"#/replay/{urllib.parse.quote(record('uh_leduc'))}")
    page.wait_for_selector("#scrub")
    page = visit("#/replay")
    page.click("[data-sample]")
    page.click("[data-record='0']")
    page.wait_for_selector("#scrub")


@pytest.mark.parametrize("text", ["%E0%A4%A", "%7B%22game%22%3A"])
def test_a_damaged_link_is_an_error(visit: Callable[..., Any], text: str) -> None:
    visit(f"#/replay/{text}").wait_for_selector(".error")


def test_the_link_of_the_owner_is_taken_where_the_page_is_shown(visit: Callable[..., Any]) -> None:
    page = visit()
    with serving(token="secret") as port:
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_selector("text=open the link of a seat")
        assert not page.query_selector("#start")
        page.goto(f"http://127.0.0.1:{port}/#/?token=secret")
        page.wait_for_selector("#start")
        assert page.url == f"http://127.0.0.1:{port}/#/"
        page.goto("about:blank")  # before the server ends


def test_a_page_of_replays_needs_no_server(visit: Callable[..., Any], tmp_path: Path) -> None:
    """The content policy forbids all else, and the console must stay empty."""
    page = visit()
    for names in (["uh_leduc"], ["doudizhu", "daihinmin"]):
        records = [game_of(name) for name in names]
        path = tmp_path / f"{len(names)}.html"
        path.write_text(saved_page(records), encoding="utf-8")
        page.goto(path.as_uri())
        if len(names) > 1:
            page.click("[data-record='0']")
        page.wait_for_selector("#scrub")
        last = int(page.get_attribute("#scrub", "max"))
        assert not page.query_selector("#judge")
        page.focus(".stage")
        page.keyboard.press("End")
        page.wait_for_selector(f"output:text-is('{last}/{last}')")
        page.wait_for_selector(".points")
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector(f".moves .now [data-ply='{last - 1}']")
    shoot(page, "static")


def test_a_position_is_analysed(visit: Callable[..., Any]) -> None:
    compile_advice("doudizhu", "greedy")
    game = make_game("doudizhu")
    state = game.deal(np.random.default_rng(4))
    hand, _, public = game.knowledge(state, 0)
    page = visit("#/analyse")
    page.select_option("#game", "doudizhu")  # installers sort the games, each in its way
    page.fill("#hand", hand)
    page.fill("#facts", "\n".join(f"{key}={value}" for key, value in public.items()))
    page.click("#go")
    page.wait_for_selector(".values li")
    page.wait_for_selector(".heat td")
    assert "Chance to win, compared with" in page.inner_text(".hint-panel")
    gaps = page.locator(".values:not(.ratings) .number").all_inner_texts()
    assert [gap for gap in gaps if not re.fullmatch(r"[+-]?\d+\.\d %( ±\d+\.\d)?", gap)] == []
    shoot(page, "analyse", full=True)
    page.fill("#hand", "33333")
    page.click("#go")
    page.wait_for_selector(".error")


def nash_conv(page: Any) -> float:
    return float(page.get_attribute(".judged", "data-nash-conv"))


def test_a_small_game_is_looked_into_and_solved(visit: Callable[..., Any], tmp_path: Path) -> None:
    compile_small("leduc")
    game = make_game("leduc")
    equilibrium = tmp_path / "strategy.npz"
    save(solve(game)[1], equilibrium)
    page = visit("#/solve")
    page.select_option("#game", "leduc")
    page.click("#look")
    page.wait_for_selector(".node.now")
    before = nash_conv(page)
    assert before > 1
    page.set_input_files("#file", equilibrium)
    page.wait_for_selector(".judged dd >> text=file")
    assert nash_conv(page) < 1e-6
    assert not re.search(r"-0\.?0*(?![\d.])|e-", page.inner_text(".judged"))
    page.select_option("#by", "random")
    page.wait_for_selector(f'.judged[data-nash-conv="{before}"]')
    page.focus(".node[data-state='2']")
    page.keyboard.press("Enter")
    page.wait_for_selector(".node.now[data-state='2']")
    page.wait_for_selector(".sets .best")
    page.click("[data-respond='1']")
    page.wait_for_selector(f'.judged:not([data-nash-conv="{before}"])')
    page.click("#solve")
    while (now := nash_conv(page)) > 0.2:
        page.wait_for_selector(f'.judged:not([data-nash-conv="{now}"])')
    page.wait_for_selector(".plot .curve-line")
    shoot(page, "solve", full=True)
    page.click("#stop")
    page.wait_for_selector("#solve")
    page.select_option("#game", "doudizhu")
    page.click("#look")
    page.wait_for_selector(".error >> text=too many to solve")


def test_runs_are_followed_while_they_are_under_way(visit: Callable[..., Any], runs: Path) -> None:
    save_ladder(runs / "ladder")
    save_training(runs / "ppo", 3)
    page = visit("#/runs")
    page.wait_for_selector(".curves .plot .band", state="attached")
    before = page.get_attribute(".plot .curve-line", "d")
    assert page.locator(".ladder tbody tr").count() == 3
    assert "60 deals" in page.inner_text(".ladder h2")
    save_training(runs / "ppo", 40)
    save_training(runs / "ppo-2", 30)
    page.wait_for_selector(f'.plot .curve-line:not([d="{before}"])', state="attached")
    page.wait_for_selector(".plot .line-1", state="attached")
    page.select_option("#measure", "loss")
    page.wait_for_selector(".plot figcaption >> text=loss")
    shoot(page, "runs", full=True)


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_other_languages_and_light(visit: Callable[..., Any], language: str) -> None:
    compile_table("doudizhu")
    page = visit(locale=language, color_scheme="light")
    start(page, "doudizhu")
    assert wait_for_turn(page)
    assert "地主" in page.text_content(".felt")
    shoot(page, f"doudizhu-{language}")


def violations(page: Any) -> list[str]:
    """Findings of axe-core that are serious or worse."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: make web")
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_everybody_can_use_the_page(visit: Callable[..., Any], runs: Path, theme: str) -> None:
    compile_advice("doudizhu", "greedy")
    compile_small("leduc")
    save_ladder(runs / "ladder")
    save_training(runs / "ppo", 3)
    page = visit(color_scheme=theme, bypass_csp=True)
    found: dict[str, list[str]] = {}

    def look(name: str, selector: str) -> None:
        page.wait_for_selector(selector)
        found[name] = violations(page)

    look("lobby", "fieldset[data-agents*=random]")
    start(page, "doudizhu", "greedy")
    assert wait_for_turn(page)
    page.click("#hint")
    look("table", ".values li")
    page.goto("about:blank")
    for name, selector in (
        (f"replay/{urllib.parse.quote(record('doudizhu'))}", "#scrub"),
        ("analyse", "#go"),
        ("solve", "#look"),
        ("runs", ".ladder"),
    ):
        page.goto(f"{page.context.base}#/{name}")
        page.reload()
        look(name.split("/")[0], selector)
    page.goto(f"{page.context.base}#/solve")
    page.reload()
    page.select_option("#game", "leduc")
    page.click("#look")
    look("graph", ".sets")
    assert {name: each for name, each in found.items() if each} == {}


PICTURES = Path(__file__).parent / "pictures"
"""Reference screenshots; CLOSEDHAND_PICTURES=new takes new ones."""
COARSE = 4
"""Side of the squares of pixels that are averaged, as fonts differ between machines."""
FAR, MOST_FAR = 60, 0.03
"""Difference in colour that counts, and the share of a picture that may have it."""


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("doudizhu", {}),
        ("daihinmin", {"viewport": PHONE, "color_scheme": "light"}),
        ("chinese_poker", {"locale": "ja"}),
    ],
)
def test_pages_look_as_they_did(
    visit: Callable[..., Any], name: str, options: dict[str, Any]
) -> None:
    page = visit(f"#/replay/{urllib.parse.quote(record(name))}", **options)
    page.wait_for_selector("#scrub")
    ply = min(4, int(page.get_attribute("#scrub", "max")))
    page.fill("#scrub", str(ply))
    page.wait_for_selector(f".replay-page[data-ply='{ply}']")
    shot = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    felt, side = (page.locator(each).bounding_box() for each in (".felt", ".side"))
    assert side["x"] >= felt["x"] + felt["width"] or side["y"] >= felt["y"] + felt["height"]
    small = shot.resize((shot.width // COARSE, shot.height // COARSE), Image.Resampling.BOX)
    path = PICTURES / f"{name}.png"
    if os.environ.get("CLOSEDHAND_PICTURES") == "new":
        small.save(path, optimize=True)
    seen, before = (np.asarray(each, int) for each in (small, Image.open(path).convert("RGB")))
    assert seen.shape == before.shape
    assert (abs(seen - before).max(axis=2) > FAR).mean() < MOST_FAR


def test_the_first_page_is_small() -> None:
    folder = resources.files("closedhand.web") / "static"
    files = [path.read_bytes() for path in folder.iterdir()]
    assert sum(len(gzip.compress(content)) for content in files) < 100_000
    assert not any(b"http://" in c.replace(b"http://www.w3.org", b"") for c in files)
