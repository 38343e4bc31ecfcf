"""Search by simulation, for any `Game`."""
