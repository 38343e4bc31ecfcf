"""Comparisons of agents: matches, leagues, ladders, with their results and pictures."""

from closedhand.arena import exploit, ladder, league, match, plot, results

__all__ = ["exploit", "ladder", "league", "match", "plot", "results"]
