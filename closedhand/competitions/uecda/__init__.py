"""A server and a client of protocol 20070, that of the UECda Daihinmin competition."""

HOST, PORT = "127.0.0.1", 42485
"""Default address of the official server."""
MOST_WAITING = 32
"""Most connections that have not sent a profile (a first table); one more displaces the oldest."""
