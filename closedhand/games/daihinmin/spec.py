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
    league=True,
    league_options="closedhand.games.daihinmin.game:league_options",
    line_notation=r"[0-4]{5}\s*;",
    parse_record="closedhand.games.daihinmin.notation:parse_record",
    readers=(
        "closedhand.games.daihinmin.replaying:UECDA",
        "closedhand.games.daihinmin.uecda.recordings:TRAFFIC",
    ),
    trainers={"playouts": f"{COMMANDS}.playouts:learn"},
    commands={
        "serve": f"{COMMANDS}.uecda:serve",
        "join": f"{COMMANDS}.uecda:join",
        "reproduce kou": f"{COMMANDS}.reproduce:kou",
    },
    pages=(
        "closedhand.games.daihinmin",
        "closedhand.games.daihinmin.planes",
        "closedhand.games.daihinmin.compact",
    ),
)
