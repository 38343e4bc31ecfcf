"""Kernels on a GPU: the only code that uses numba-cuda."""
