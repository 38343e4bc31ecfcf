"""Replays as one HTML file, which needs no server and loads no other file."""

import base64
import hashlib
import html
import json
from collections.abc import Callable, Sequence
from importlib import resources
from typing import Any

from closedhand.core.file_kinds import GENERATOR
from closedhand.core.game import InputError
from closedhand.core.records import Record
from closedhand.web.catalogue import describe_game
from closedhand.web.serialization import OPEN
from closedhand.web.study import Study

MOST_RECORDS = 100


def page(
    records: Sequence[Record],
    title: str = "closedhand",
    judged: bool = False,
    progress: Callable[[int], object] = lambda done: None,
) -> str:
    """Build the HTML page that replays some games.

    With `judged` all plays are rated, a second each. `progress(done)` is called after each game.

    Raises:
        InputError: There are no games, or too many, or one is too long or breaks its rules.
    """
    if not 0 < len(records) <= MOST_RECORDS:
        raise InputError(f"a page holds 1 to {MOST_RECORDS} games, not {len(records)}")
    kept: list[dict[str, Any]] = []
    for record in records:
        kept.append(_kept(Study(record), judged))
        progress(len(kept))
    games = [describe_game(name) for name in sorted({each["game"] for each in kept})]
    held = json.dumps({"games": games, "records": kept}, separators=(",", ":"), allow_nan=False)
    script, style = _static("replay.js"), _static("app.css")
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    # Escaping every "<" of the JSON keeps a text in it from closing the script element.
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
{GENERATOR}
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<style>{style}</style>
</head>
<body>
<div id="app"></div>
<script type="application/json" id="held">{held.replace("<", chr(92) + "u003c")}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def _kept(study: Study, judged: bool) -> dict[str, Any]:
    """Describe a game and its positions, each with the number of its moves in place of these."""
    positions = [study.position(ply, OPEN) for ply in range(len(study.states))]
    return {
        **study.describe(),
        "positions": [{**each, "moves": len(each["moves"])} for each in positions],
        "judged": list(study.judgements(0)) if judged else [],
    }


def _static(name: str) -> str:
    text = (resources.files("closedhand.web") / "static" / name).read_text(encoding="utf-8")
    if "</script" in text.lower() or "</style" in text.lower():
        raise AssertionError(f"{name} holds an end tag, and would end its element in the page")
    return text


def _hash(text: str) -> str:
    """Return the source expression of a content policy that admits one inline element."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
