"""The agent `value-net`: action values by a small network, trained by self-play in kernels."""
