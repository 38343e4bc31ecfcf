"""Leduc: exact solving over the public tree, and learning judged by exact exploitability."""
