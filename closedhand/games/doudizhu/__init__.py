"""Dou Dizhu, China Competitive Poker: one landlord against two peasants.

54 cards, suits never matter: `3 4 5 6 7 8 9 T J Q K A 2` four times each, the small joker `S` and
the big joker `B`. The landlord holds 20 cards (17 and the three public ones), each peasant 17; he
leads, and who plays out first wins for his side. A follower plays the same category and length
with a higher rank, or a bomb, or the rocket, or passes; after two passes the last player leads
again, and a leader may not pass. Rules, records and planes follow the DeepRocket paper ("A
Solution to China Competitive Poker Using Deep Learning").

The preset `rlcard` has exactly the plays of RLCard 1.2.0, `openspiel` those of OpenSpiel 2.0.2's
`dou_dizhu`. Not copied from the latter: its auction goes round until two passes follow a bid, three
opening passes end its game without a score, it always doubles for spring (here `spring=True`), lets
a bomb beat the rocket, and lists no bare chain that starts on a rank held four times.
"""

from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)
