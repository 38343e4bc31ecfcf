"""What the page may ask for: at a table, in the study of a game, in the solver."""
