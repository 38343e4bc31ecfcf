"""The agent `kou`: the heuristics of the champion of UECda-2014's light class."""
