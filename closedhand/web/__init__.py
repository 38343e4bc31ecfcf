"""The table in a browser: every game played, watched, replayed and judged on one page.

A browser is sent views, and what follows from views; see `closedhand.web.serialization`.
"""
