"""Replays as one HTML file."""

import base64
import hashlib
import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from support_cli import run

from closedhand import make_game
from closedhand.core.game import InputError
from closedhand.core.records import from_state, write
from closedhand.core.statistics import Estimate
from closedhand.search.ranking import Gap, Ranking
from closedhand.web import page as module, study
from closedhand.web.page import page


def record(name: str = "leduc", agents: tuple[str, ...] = ("x", "y")):
    game, rng = make_game(name), np.random.default_rng(0)
    return from_state(game, game.playout(game.deal(rng), rng), list(agents))


def held(text: str) -> dict:
    return json.loads(re.search(r'id="held">(.*?)</script>', text, re.S)[1])


def test_nothing_in_a_game_leaves_its_place() -> None:
    """Names of agents in a record may hold any text, such as HTML."""
    evil = "</script><script>alert(1)</script><!--"
    text = page([record(agents=(evil, "y"))], title="<b>&")
    assert held(text)["records"][0]["agents"] == [evil, "y"]
    assert text.count("<script") == 2
    assert "alert(1)</script" not in text
    assert "<title>&lt;b&gt;&amp;</title>" in text


def test_it_describes_a_game_that_is_written_with_hyphens() -> None:
    data = held(page([replace(record("uh_leduc"), game="uh-leduc")]))
    assert [data["games"][0]["name"], data["records"][0]["game"]] == ["uh_leduc"] * 2


def test_only_its_own_script_and_style_are_allowed() -> None:
    text = page([record()])
    policy = re.search(r'Policy" content="([^"]*)"', text)[1]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    script = re.search(r'<script type="module">(.*?)</script>', text, re.S)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "src=" not in re.sub(r"<script type=.module.*?</script>", "", text, flags=re.S)


def test_it_holds_every_position() -> None:
    one = record()
    (kept,) = held(page([one]))["records"]
    assert len(kept["positions"]) == len(one.actions) + 1
    assert kept["positions"][-1]["over"]
    assert [each["moves"] for each in kept["positions"]] == list(range(len(one.actions) + 1))


def test_a_cost_without_an_interval_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def gaps(self: Ranking, made: int, level: float) -> list[Gap]:
        others = self.actions[self.actions != made]
        return [Gap(int(each), Estimate(1.0, math.nan, math.inf), 1) for each in others]

    monkeypatch.setattr(Ranking, "gaps", gaps)
    monkeypatch.setattr(study, "JUDGING", 0.0)
    monkeypatch.setattr(study.Study, "_values", lambda *_: None)
    (kept,) = held(page([record()], judged=True))["records"]
    play = kept["judged"][0]["play"]
    assert (play["verdict"], play["low"], play["high"]) == ("unclear", None, None)


def test_illegal_games_and_too_many_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_RECORDS", 2)
    for records in ([], [record()] * 3, [replace(record(), actions=("nonsense",))]):
        with pytest.raises(InputError):
            page(records)


def test_the_command_writes_it(tmp_path) -> None:
    write(tmp_path / "games.jsonl", [record(), record()])
    out = tmp_path / "games.html"
    run("records", "export", str(tmp_path / "games.jsonl"), "--out", str(out))
    assert len(held(out.read_text(encoding="utf-8"))["records"]) == 2
