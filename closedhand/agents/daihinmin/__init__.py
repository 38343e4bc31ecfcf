"""Agents for Daihinmin."""
