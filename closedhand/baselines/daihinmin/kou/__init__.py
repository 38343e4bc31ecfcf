"""The agents `kou` and `kou-tuned`: the heuristics of UECda-2014's light champion."""

from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)
