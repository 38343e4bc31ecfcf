"""How kernels are compiled, cached, linked and called: all that relies on Numba's private parts."""
