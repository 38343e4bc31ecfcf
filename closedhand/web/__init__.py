"""The web page: play, watch, replay and analyse every game in a browser.

A browser gets only data made from views, except where all hands are open; see
`closedhand.web.serialization`.

For a play, the page (`web/src/table.tsx`) sends a request, `server` receives it, and `connection`
calls the function for it in `requests`. The function changes a `table` and reports to the `lobby`.
The lobby saves the table, calls the agents, and notifies the connections at the table. Each
connection pushes what its seat may see (`serialization`). To *refuse* is to raise an `InputError`;
its text is then the answer.
"""
