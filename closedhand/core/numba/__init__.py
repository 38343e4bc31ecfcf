"""Compile, cache, link and call kernels: the code that relies on private names of Numba."""
