"""Comparisons of agents: matches, leagues, ladders, gains of responders; results, pictures."""

from closedhand.arena import exploit, ladder, league, match, plot, results

__all__ = ["exploit", "ladder", "league", "match", "plot", "results"]
