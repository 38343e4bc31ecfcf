"""Chinese Poker: how to set a hand, how much a best response gains, and how to learn it."""
