"""OpenSpiel: our games for its algorithms, its bots and policies as agents, our agents as bots.

    from closedhand.bridges.open_spiel import AgentPolicy, open_spiel_game
    from open_spiel.python.algorithms import cfr, exploitability

    game = open_spiel_game("leduc")
    solver = cfr.CFRSolver(game)
    ...
    exploitability.exploitability(game, AgentPolicy(game, "equilibrium"))

`tables` converts small games of OpenSpiel to games of this package. The bridge needs `open-spiel`,
which is in the extra `peers`.
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
