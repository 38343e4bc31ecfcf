"""Commands of single games, which the command line finds through their specs."""
