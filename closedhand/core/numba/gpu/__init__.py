"""Kernels on a GPU: all that touches numba-cuda, which only they need."""
