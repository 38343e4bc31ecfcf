"""The web page: play, watch, replay and analyse every game in a browser.

A browser gets only views and data derived from views; see `closedhand.web.serialization`.

A play takes this way: the page (`web/src/table.tsx`) sends a request, `server` receives it,
`connection` finds its function in `requests`, which changes a `table` and reports to the `lobby`.
The lobby saves the table, calls the agents, and notifies the connections at the table. Each of them
pushes what its seat may see (`table_view`). Any function may refuse what a browser sends by an
`InputError`, whose text is then the answer.
"""
