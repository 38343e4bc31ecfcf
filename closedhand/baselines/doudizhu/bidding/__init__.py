"""The Bid Module of Dou Dizhu: who wants to be the landlord."""

from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)
