"""The registry entry of Chinese Poker."""

from closedhand.core.registry import GameSpec

HERE = "closedhand.games.chinese_poker"
COMMANDS = "closedhand.commands.chinese_poker"

CHINESE_POKER = GameSpec(
    name="chinese_poker",
    title="Chinese Poker",
    make=f"{HERE}.game:make_game",
    contract=1,
    aec_id="closedhand/chinese_poker-v0",
    gymnasium_id="closedhand/ChinesePoker-v0",
    parallel_id="closedhand/chinese_poker-v0",
    opponent="separable",
    line_notation=r"([2-9TJQKA][cdhs]\s*){3,5}/",
    parse_record=f"{HERE}.notation:parse_record",
    trainers={"fitted": f"{COMMANDS}:learn", "blog": f"{COMMANDS}:learn"},
    commands={
        "advise": f"{COMMANDS}:advise",
        "reproduce chinese-poker": f"{COMMANDS}:reproduce",
        "show chinese-poker-table": f"{COMMANDS}:table",
    },
    odds="closedhand.agents.chinese_poker.advise:odds",
    rulebook=f"{HERE}:rulebook",
    terms=f"{HERE}:terms",
)
