"""The DeepRocket paper: Table 7, Figures 3 and 4, positions, inference and accuracy."""
