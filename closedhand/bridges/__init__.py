"""Other libraries' games and agents at our tables, ours at theirs, and our jobs on their clusters.

Each part needs its library, and is imported where it is used: `closedhand.bridges.open_spiel`,
`closedhand.bridges.rlcard`, `closedhand.bridges.cluster` (Ray).
"""
