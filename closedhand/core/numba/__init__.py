"""Compile, cache, link and call kernels: the code that relies on Numba's private parts."""
