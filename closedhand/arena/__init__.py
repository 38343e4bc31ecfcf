"""Comparisons of agents: matches, leagues, ladders, their results and pictures."""

from closedhand.arena import ladder, league, match, plot, results

__all__ = ["ladder", "league", "match", "plot", "results"]
