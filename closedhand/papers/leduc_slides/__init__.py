"""Computations for the course slides on UH-Leduc: values, learning curves, the state graph."""
