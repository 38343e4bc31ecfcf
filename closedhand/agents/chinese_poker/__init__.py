"""Agents for Chinese Poker: strategies to set a hand, best responses, and training."""
