"""Leduc poker: UH-Leduc, from a university course, and the standard game.

Two players, S and T, ante 1 chip each and hold one private card. There are two phases of betting;
S acts first in both. Between them a public card, the flop, is revealed. A player who folds loses
its bet. At a showdown a pair with the flop wins, then the stronger card. The winner wins the
opponent's bet; with equal hands nobody wins anything.

**UH-Leduc** (`uh_leduc`; C. F. Eick, COSC 4368, Spring 2020, group project) has 18 cards, three
each of SQ and HQ and two each of SA HA SK HK SJ HJ, with the order SA > HA > SK > HK > SQ > HQ >
SJ > HJ. A raise tops the larger bet by 3. A player who does not face a bet may raise; facing one,
only T may raise, once per phase. In phase 2 a player who has bet only the ante and faces no bet
must raise or fold. The course slides do not say if a pair needs equal ranks or equal cards, or what
decides between two pairs of the same rank: the options `pair` and `double_pair` choose.

**Standard Leduc** (`leduc`) has one card each of SK HK SQ HQ SJ HJ, and suits do not count. Raises
are 2 in phase 1 and 4 in phase 2, at most two per phase, by either player. It is OpenSpiel's
`leduc_poker`.

Payoffs are chips, from -13 to 13, and sum to 0.
"""
