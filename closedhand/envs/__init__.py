"""Thin adapters from a `Game` to PettingZoo and Gymnasium, written once for every game."""
