"""The registry entry of Daihinmin."""

from closedhand.core.registry import GameSpec

HERE = "closedhand.games.daihinmin"
COMMANDS = "closedhand.commands.daihinmin"

DAIHINMIN = GameSpec(
    name="daihinmin",
    title="Daihinmin",
    make=f"{HERE}.game:make_game",
    contract=1,
    aec_id="closedhand/daihinmin-v0",
    gymnasium_id="closedhand/Daihinmin-v0",
    opponent="default",
    adviser="monte-carlo",
    league=True,
    league_options=f"{HERE}.game:league_options",
    line_notation=r"[0-5]{3,6}\s*;",
    parse_record=f"{HERE}.notation:parse_record",
    readers=(f"{HERE}.replaying:UECDA", f"{HERE}.fuji_logs:FUJI"),
    trainers={
        "playouts": f"{COMMANDS}:learn_playouts",
        "policy": f"{COMMANDS}:learn_policy",
        "kou": f"{COMMANDS}:tune_kou",
    },
    commands={
        "serve": f"{COMMANDS}:serve",
        "join": f"{COMMANDS}:join",
        "reproduce kou": f"{COMMANDS}:reproduce",
    },
    advice="3c4c4h7d8s9sTsKdAh2c --seat 2 --leader 0 --dealt 11,11,10,10,11 --plays '3d 5h'",
    client="closedhand.competitions.uecda.client:Client",
    rulebook=f"{HERE}:rulebook",
    terms=f"{HERE}:terms",
    faces={"*": "JOKER"},
    playouts="closedhand.agents.daihinmin.search_agents:playouts",
)
