"""Daihinmin, the grand pauper: five players, who is rid of his cards first is the daifugo.

53 cards: `3 4 5 6 7 8 9 T J Q K A 2`, low to high, in the suits c d h s, and one joker `*`. Rules
are those of UECda, the computer Daihinmin competition; numbers in brackets are points:

- Three players get 11 cards, two get 10. The holder of 3d leads the first trick.
- A **play** is a single, a **group** of 2 to 5 cards of one rank, or a **kaidan**, 3 or more
  consecutive ranks of one suit. The joker stands for any missing card, in a kaidan also below the
  3 or above the 2. It is beaten by a play of the same kind and number whose lowest rank is above
  its highest.
- A lone joker beats every single and lifts the lock; only 3s beats it, and ends the trick.
- Who **passes** is out of the trick. It ends when everybody has passed, its owner too, who may
  first play over his own cards. He leads again; if he is out, the next player does.
- **Eight-stop**: a play that covers an 8 ends the trick at once.
- **Revolution**: a group of 4 or more, or a kaidan of 5 or more, turns the order of ranks round
  until the end of the round.
- **Lock** (shibari): when a play has the same suits as the one that it beats, only plays of just
  these suits may follow in this trick.
- Who is out first is the **daifugo** (5), then come fugo (4), heimin (3), hinmin (2) and daihinmin
  (1). In the next round the daihinmin gives the daifugo his best two cards, the hinmin the fugo his
  best one, and gets as many of the winner's choice. The winners do not see which cards were paid.
- 20 passes on end end a round: those who are left are ranked at random.

An episode is one round; with `rounds=n` it is a match of n rounds, in which classes carry over,
and points are paid at the end of each. Its players keep their numbers when seats are changed.

There are 2,421 plays, and the pass. In the exchange the ids of singles name the cards to give; two
are chosen in ascending order.
"""

from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)
