"""The Bid Module of Dou Dizhu: decides how much to bid for the role of landlord."""

from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)
