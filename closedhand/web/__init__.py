"""The web page: play, watch, replay and analyse every game in a browser.

A browser gets only views and data derived from views; see `closedhand.web.serialization`.

For a play, the page (`web/src/table.tsx`) sends a request, `server` receives it, and `connection`
calls its function in `requests`. The function changes a `table` and reports to the `lobby`. The
lobby saves the table, calls the agents, and notifies the connections at the table. Each connection
pushes what its seat may see (`table_view`). Any function may refuse what a browser sends by an
`InputError`, whose text is then the answer.
"""
