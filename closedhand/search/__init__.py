"""Search in any `Game`: by simulation and, in positions without hidden cards, exactly."""

from closedhand.search import exact
from closedhand.search.alpha_beta import LOST, UNKNOWN, WON, solve
from closedhand.search.budget import read_budget
from closedhand.search.ismcts import ISMCTS
from closedhand.search.monte_carlo import MonteCarlo
from closedhand.search.paired import PairedSearch
from closedhand.search.particles import Particles
from closedhand.search.playout import Uniform, playouts
from closedhand.search.ranking import Ranked, Simulation, rank, simulation_of

__all__ = [
    "ISMCTS",
    "LOST",
    "UNKNOWN",
    "WON",
    "MonteCarlo",
    "PairedSearch",
    "Particles",
    "Ranked",
    "Simulation",
    "Uniform",
    "exact",
    "playouts",
    "rank",
    "read_budget",
    "simulation_of",
    "solve",
]
