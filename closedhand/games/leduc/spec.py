"""The registry entries of the Leduc family."""

from dataclasses import replace

from closedhand.core.registry import GameSpec

HERE = "closedhand.games.leduc"
COMMANDS = "closedhand.commands.leduc"

UH_LEDUC = GameSpec(
    name="uh_leduc",
    title="UH-Leduc",
    make=f"{HERE}.game:make_game",
    contract=1,
    options={"rules": "uh"},
    aec_id="closedhand/uh_leduc-v0",
    gymnasium_id="closedhand/UHLeduc-v0",
    opponent="equilibrium",
    line_notation=r"[HS][JQKA]\s*;",
    parse_record=f"{HERE}.notation:parse_record",
    trees="closedhand.agents.leduc.tree:PUBLIC",
    abstractions={"slides": "closedhand.agents.leduc.tree:SLIDES"},
    commands={
        "show leduc-graph": f"{COMMANDS}:graph",
        "reproduce leduc": f"{COMMANDS}:reproduce",
    },
    advice="SK --plays 'raise call' --flop HQ",
    rulebook=f"{HERE}:uh_rulebook",
    terms=f"{HERE}:terms",
    faces={suit + rank: rank + suit.lower() for suit in "HS" for rank in "JQKA"},
)

LEDUC = replace(
    UH_LEDUC,
    name="leduc",
    title="Leduc poker",
    # Its suits never count, so the options about pairs must keep their defaults.
    options={"rules": "standard", "pair": "rank", "double_pair": "suit"},
    aec_id="closedhand/leduc-v0",
    gymnasium_id="closedhand/Leduc-v0",
    # Only the deck of UH-Leduc has aces, and equal cards (of one rank and suit).
    line_notation=r"([HS][JQK])\s*;\s*(?!\1)([HS][JQK])\s*;\s*(?!\1|\2)[HS][JQK]\s*(;|$)",
    abstractions={},
    rulebook=f"{HERE}:rulebook",
    commands={},
)
