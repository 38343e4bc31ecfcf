"""The registry entry of Dou Dizhu."""

from closedhand.core.registry import GameSpec

HERE = "closedhand.games.doudizhu"
COMMANDS = "closedhand.commands.doudizhu"

DOUDIZHU = GameSpec(
    name="doudizhu",
    title="Dou Dizhu",
    make=f"{HERE}.game:make_game",
    contract=1,
    aec_id="closedhand/doudizhu-v0",
    gymnasium_id="closedhand/DouDizhu-v0",
    opponent="greedy",
    adviser="decompose",
    line_notation=r"[3-9TJQKA2SB]{6,}\s*;",
    parse_record=f"{HERE}.notation:parse_record",
    readers=(
        f"{HERE}.notation:PRINTED",
        "closedhand.bridges.botzone.logs:BOTZONE",
        f"{HERE}.douzero_decks:DECKS",
    ),
    trainers={
        "decompose": f"{COMMANDS}.decompose:learn",
        "value-net": f"{COMMANDS}.value_net:learn",
    },
    commands={
        "botzone": f"{COMMANDS}.botzone:botzone",
        "train policy-net": f"{COMMANDS}.networks:network",
        "train kicker-net": f"{COMMANDS}.networks:network",
        "train self-play": f"{COMMANDS}.networks:self_play",
        "train bids": f"{COMMANDS}.bids:bids",
        "train bid-net": f"{COMMANDS}.bids:bid_net",
        "records generate": f"{COMMANDS}.records:generate",
        "reproduce deeprocket-match": f"{COMMANDS}.reproduce:deeprocket_match",
        "reproduce deeprocket": f"{COMMANDS}.reproduce:deeprocket",
    },
    advice="3456789TTJJQKA22S --seat 1 --public 4TB --plays 44",
    columns={
        "WP": f"{HERE}.game:winning_percentage",
        "ADP": f"{HERE}.game:average_difference",
    },
    rulebook=f"{HERE}:rulebook",
    terms=f"{HERE}:terms",
    faces={"S": "joker", "B": "JOKER"},
    table_options={"bidding": True, "spring": True},
    playouts="closedhand.agents.doudizhu.search.agent:playouts",
    endgames="closedhand.agents.doudizhu.endgames:ENDGAMES",
)
