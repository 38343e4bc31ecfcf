"""Spades for closedhand: four players, two sides, an auction, hidden hands and known voids."""
