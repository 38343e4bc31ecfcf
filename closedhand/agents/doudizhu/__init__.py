"""Agents for Dou Dizhu, and the training of the learned ones."""
