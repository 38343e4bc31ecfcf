"""Dou Dizhu, China Competitive Poker: one landlord against two peasants.

There are 54 cards, and suits never matter: `3 4 5 6 7 8 9 T J Q K A 2` four times each, the small
joker `S` and the big joker `B`. The landlord holds 20 cards (17 and the three public ones), each
peasant 17. The landlord leads; the first player to run out of cards wins for its side. A follower
plays the same category and length with a higher rank, or a bomb, or the rocket, or passes. After
two passes the last player to have played leads again; a leader may not pass. Rules, records and
planes follow the DeepRocket paper ("A Solution to China Competitive Poker Using Deep Learning").

The preset `rlcard` has exactly the plays of RLCard 1.2.0, and `openspiel` those of OpenSpiel
2.0.2's `dou_dizhu`. The following is not copied from OpenSpiel: its auction continues until two
passes follow a bid; three opening passes end its game without a score; it always doubles for spring
(here `spring=True`); it lets a bomb beat the rocket; and it lists no chain without kickers that
starts on a rank held four times.
"""

from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)
