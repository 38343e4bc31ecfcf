"""Servers and clients of competitions, a folder each."""
