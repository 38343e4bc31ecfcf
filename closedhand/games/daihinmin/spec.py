"""The registry entry of Daihinmin."""

from closedhand.core.registry import GameSpec

COMMANDS = "closedhand.commands.daihinmin"

DAIHINMIN = GameSpec(
    name="daihinmin",
    title="Daihinmin",
    make="closedhand.games.daihinmin.game:make_game",
    contract=1,
    aec_id="closedhand/daihinmin-v0",
    gymnasium_id="closedhand/Daihinmin-v0",
    opponent="default",
    adviser="monte-carlo",
    league=True,
    league_options="closedhand.games.daihinmin.game:league_options",
    line_notation=r"[0-5]{3,6}\s*;",
    parse_record="closedhand.games.daihinmin.notation:parse_record",
    readers=(
        "closedhand.games.daihinmin.replaying:UECDA",
        "closedhand.games.daihinmin.fuji_logs:FUJI",
        "closedhand.competitions.uecda.comparison:TRAFFIC",
    ),
    trainers={
        "playouts": f"{COMMANDS}.playouts:learn",
        "policy": f"{COMMANDS}.playouts:learn_policy",
        "kou": f"{COMMANDS}.playouts:tune_kou",
    },
    commands={
        "advise": f"{COMMANDS}.advise:advise",
        "serve": f"{COMMANDS}.uecda:serve",
        "join": f"{COMMANDS}.uecda:join",
        "reproduce kou": f"{COMMANDS}.reproduce:kou",
    },
    client="closedhand.competitions.uecda.client:Client",
    rulebook="closedhand.games.daihinmin:rulebook",
    terms="closedhand.games.daihinmin:terms",
    faces={"*": "JOKER"},
    playouts="closedhand.agents.daihinmin.monte_carlo:playouts",
    pages=(
        "closedhand.games.daihinmin",
        "closedhand.games.daihinmin.planes",
        "closedhand.games.daihinmin.features",
        "closedhand.games.daihinmin.card_sets",
    ),
)
