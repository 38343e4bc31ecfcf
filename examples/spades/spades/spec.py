"""The spec of Spades, which closedhand reads; the game is imported only when it is made."""

from closedhand import GameSpec

SPEC = GameSpec(
    name="spades",
    title="Spades",
    make="spades.game:make_game",
    contract=1,
    aec_id="spades/spades-v0",
    gymnasium_id="spades/Spades-v0",
    opponent="rule",
    terms={
        "zh": {"Spades": "黑桃王", "first side": "先手方", "second side": "后手方"},
        "ja": {"Spades": "スペード", "first side": "先手側", "second side": "後手側"},
    },
)
