"""Wrappers around the envs: duplicate dealing, kicker sub-steps, Stable-Baselines3."""
