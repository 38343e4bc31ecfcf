"""Reproductions of published results, one package for each document."""
