"""P. Hankin's blog post on near-optimal closed-hand Chinese Poker."""
