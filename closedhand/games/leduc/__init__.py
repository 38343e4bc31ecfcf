"""Leduc poker: UH-Leduc of a course on reinforcement learning, and the standard game.

Two players, S and T, ante 1 chip each and hold one private card; S acts first in both phases of
betting, between which a public card, the flop, is revealed. Who folds loses his bet. At a showdown
a pair with the flop wins, then the stronger card; the winner wins the other's bet, and with equal
hands nobody wins anything.

**UH-Leduc** (`uh_leduc`; C. F. Eick, COSC 4368, Spring 2020, group project) has 18 cards, three
each of SQ and HQ and two each of SA HA SK HK SJ HJ, with the order SA > HA > SK > HK > SQ > HQ >
SJ > HJ. A raise tops the larger bet by 3. Who has not to answer a bet may raise; of those who have
to, only T may raise, once in a phase. In phase 2 a player who has bet nothing but his ante cannot
check: he raises or folds. The slides do not say whether a pair is of ranks or of equal cards, nor
what decides between two pairs of one rank: `pair` and `double_pair` choose.

**Standard Leduc** (`leduc`) has one card each of SK HK SQ HQ SJ HJ, suits do not count; raises are
2 in phase 1 and 4 in phase 2, at most two in a phase by either player. It is the `leduc_poker` of
OpenSpiel.

Payoffs are chips: from -13 to 13, both together 0.
"""

from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)
