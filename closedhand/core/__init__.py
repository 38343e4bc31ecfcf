"""The definition of a game, and what all subpackages share: agents, records, long runs, checks.

The modules need NumPy and Numba; filelock to lock files, and numba-cuda to compile for GPUs.
"""
