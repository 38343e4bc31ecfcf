"""Other libraries' games and agents here, ours in other libraries, and jobs on their clusters.

Each part needs its library, and is imported where it is used: `closedhand.bridges.open_spiel`,
`closedhand.bridges.rlcard`, `closedhand.bridges.cluster` (Ray). `closedhand.bridges.botzone` needs
none.
"""
