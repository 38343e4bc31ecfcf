"""Wrappers around the envs: duplicate dealing, forced actions, sub-steps, Stable-Baselines3."""
