"""Our games for OpenSpiel's algorithms, its bots and policies at our tables, ours at its tables.

    from closedhand.bridges.open_spiel import AgentPolicy, open_spiel_game
    from open_spiel.python.algorithms import cfr, exploitability

    game = open_spiel_game("leduc")
    solver = cfr.CFRSolver(game)
    ...
    exploitability.exploitability(game, AgentPolicy(game, "equilibrium"))

`tables` has the other direction, small games of OpenSpiel as ours. Needs `open-spiel`, of the extra
`peers`.
"""

from closedhand.bridges.open_spiel.game import OpenSpielGame, OpenSpielState, open_spiel_game
from closedhand.bridges.open_spiel.players import AgentBot, AgentPolicy, BotAgent, PolicyAgent
from closedhand.bridges.open_spiel.tables import table_game, table_spec

__all__ = [
    "AgentBot",
    "AgentPolicy",
    "BotAgent",
    "OpenSpielGame",
    "OpenSpielState",
    "PolicyAgent",
    "open_spiel_game",
    "table_game",
    "table_spec",
]
