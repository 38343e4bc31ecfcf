"""Compare agents by matches, leagues, ladders and trained responders; save and plot results."""

from closedhand.arena import exploit, ladder, league, match, plot, results

__all__ = ["exploit", "ladder", "league", "match", "plot", "results"]
