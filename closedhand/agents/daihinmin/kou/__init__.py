"""The agent `kou`: the heuristics of UECda-2014's light champion."""
