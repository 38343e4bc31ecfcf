"""Daihinmin, the grand pauper: of five players, the first to be out of cards is the daifugo.

There are 53 cards: `3 4 5 6 7 8 9 T J Q K A 2`, low to high, in the suits c d h s, and one joker
`*`. The rules are those of UECda, the computer Daihinmin competition, with points in brackets:

- Three players get 11 cards, two get 10. The holder of 3d leads the first trick.
- A **play** is a single, a **group** of 2 to 5 cards of one rank, or a **kaidan**, 3 or more
  consecutive ranks of one suit. The joker stands for any missing card, in a kaidan also below the
  3 or above the 2. A play beats another of the same kind and number of cards if its lowest rank
  is above the other's highest.
- A lone joker beats every single and lifts the lock; only 3s beats it, which ends the trick.
- A player who **passes** is out of the trick. The **owner** of the trick, who made the last play,
  may play over its own cards. When everybody has passed, including the owner, the trick ends. The
  owner leads again, or the next player in case the owner is out of cards.
- **Eight-stop**: a play that covers an 8 ends the trick at once.
- **Revolution**: a group of 4 or more, or a kaidan of 5 or more, reverses the order of ranks until
  the end of the round; another one restores it.
- **Lock** (shibari): when a play has the same suits as the play it beats, only plays of exactly
  these suits may follow in this trick.
- The first player out is the **daifugo** (5), followed by the fugo (4), heimin (3), hinmin (2) and
  daihinmin (1). In the next round the daihinmin gives its best two cards to the daifugo, and the
  hinmin its best card to the fugo. Daifugo and fugo give back as many cards of their choice. They
  see their hands only after the payment, so they do not know which cards they got.
- 20 consecutive passes end a round; the players left are then ranked at random.

An episode is one round. With `rounds=n` it is a match of n rounds, in which classes carry over and
points are paid at the end of each round. Players keep their numbers when seats change.

With `players=n`, 3 to 6, all cards are dealt as evenly as possible. The first player out gets n
points, the next n - 1, and the last 1. Three players have neither fugo nor hinmin, and only daifugo
and daihinmin exchange cards; four have no heimin, and six have two.

With `jokers=2` there are 54 cards. Two jokers may stand in one group or kaidan; alone they are the
strongest pair, which nothing beats.

By default there are 2,421 plays and the pass; with three or four players, or two jokers, more plays
follow, with ids after the pass. In the exchange, the ids of singles name the cards to give; two
cards are chosen in ascending order.
"""
