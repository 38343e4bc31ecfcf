"""The agent `value-net`: action values by a small network, trained in self-play by kernels."""
