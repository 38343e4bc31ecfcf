"""Dou Dizhu, China Competitive Poker: one landlord against two peasants.

There are 54 cards, and suits never matter: `3 4 5 6 7 8 9 T J Q K A 2` four times each, the small
joker `S` and the big joker `B`. The landlord holds 20 cards (17 and the three public ones), each
peasant 17. The landlord leads; the first player to run out of cards wins for its side. A follower
plays the same category and length with a higher rank, or a bomb, or the rocket, or passes. After
two passes the last player to have played leads again; a leader may not pass. Some plays have
**kickers**, single cards (solos) or pairs, beside their **main group**: in `3334` the 4 is a kicker
of 333. Rules, records and planes follow the DeepRocket paper ("A Solution to China Competitive
Poker Using Deep Learning"); the preset `deeprocket`, the default, has its plays.

The preset `rlcard` has exactly the plays of RLCard 1.2.0, `douzero` the moves of DouZero 1.1.0's
environment, and `openspiel` the plays of OpenSpiel 2.0.2's `dou_dizhu`. In `douzero` any solos may
be kickers, even both jokers or four of a rank. It has one id for every set of cards; DouZero lists
some sets twice. It also has DouZero's order of chains of trios with solos, in which a trio among
the kickers counts (`plays.set_standings_by_cards`). OpenSpiel's game differs from
`openspiel` in five points: its auction continues until two passes follow a bid; three opening
passes end its game without a score; it always doubles for spring (here `spring=True`); it lets a
bomb beat the rocket; and it lists no chain without kickers that starts on a rank held four times.

`botzone` has the plays, the auction and the spring of the platform Botzone. To the plays of
`deeprocket` it adds shuttles, two or more consecutive fours: alone, with two single cards or with
two pairs for each four. Both jokers may be kickers of one play. If nobody bids, seat 0 is the
landlord and the stake is 0. A shuttle is no bomb: bombs beat it, and it doubles nothing.
The agent `decompose` and the networks answer shuttles with bombs, but never play shuttles, nor do
searches over the plays that these rate highest. `botzone` has no sub-steps.

Two presets are small games with the plays of `deeprocket`. `mini` has four ranks and the jokers, 18
cards, as the small version of Whitehouse, Powley and Cowling ("Determinization and Information Set
Monte Carlo Tree Search for the Card Game Dou Di Zhu", 2011): `3 4 5 6` four times each, `S` and
`B`; hands of 5, and 3 public cards as in the whole game, so that the landlord holds 8. `tiny` is
small enough for exact best responses: the ten cards `33344455SB`, hands of 3, and one public card.
Action ids and planes are those of the whole game.

`two_players` is a game of two. The page "Rules as people play them" describes it, the auction by
calling and robbing, doubling and open hands, with their sources.
"""
