"""Leduc: exact solving over the public tree, and learning evaluated by exact exploitability."""
