"""The registry entry of Chinese Poker."""

from closedhand.core.registry import GameSpec

COMMANDS = "closedhand.commands.chinese_poker"

CHINESE_POKER = GameSpec(
    name="chinese_poker",
    title="Chinese Poker",
    make="closedhand.games.chinese_poker.game:make_game",
    contract=1,
    aec_id="closedhand/chinese_poker-v0",
    gymnasium_id="closedhand/ChinesePoker-v0",
    parallel_id="closedhand/chinese_poker-v0",
    opponent="separable",
    line_notation=r"([2-9TJQKA][cdhs]\s*){3,5}/",
    parse_record="closedhand.games.chinese_poker.notation:parse_record",
    trainers={"fitted": f"{COMMANDS}:learn", "blog": f"{COMMANDS}:learn"},
    commands={
        "advise": f"{COMMANDS}:advise",
        "reproduce chinese-poker": f"{COMMANDS}:reproduce",
        "show chinese-poker-table": f"{COMMANDS}:table",
    },
    odds="closedhand.agents.chinese_poker.odds:odds",
    rulebook="closedhand.games.chinese_poker:rulebook",
    terms="closedhand.games.chinese_poker:terms",
    pages=(
        "closedhand.games.chinese_poker",
        "closedhand.games.chinese_poker.planes",
        "closedhand.games.chinese_poker.features",
        "closedhand.games.chinese_poker.substeps",
    ),
)
