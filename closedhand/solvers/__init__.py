"""Any small game: its information tree, solvers, learners, and exact values of strategies."""
