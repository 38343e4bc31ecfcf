"""Other libraries' games and agents here, ours in other libraries, and jobs on a Ray cluster.

`open_spiel`, `rlcard` and `cluster` need a library each, and are imported where they are used.
"""
