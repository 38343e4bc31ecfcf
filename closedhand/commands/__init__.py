"""Commands of single games, named in the games' specs."""
