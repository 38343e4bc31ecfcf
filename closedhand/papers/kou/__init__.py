"""The kou paper: Tables 1 to 6, Figures 1 and 2."""
