"""The agents `kou` and `kou-tuned`: the heuristics of UECda-2014's light champion."""
