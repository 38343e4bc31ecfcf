"""The web page: play, watch, replay and analyse every game in a browser.

A browser gets only views and data derived from views; see `closedhand.web.serialization`.
"""
