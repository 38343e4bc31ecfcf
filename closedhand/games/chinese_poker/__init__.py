"""Closed-hand Chinese Poker: thirteen cards, set in secret as three poker hands.

Each of 2 to 4 players arranges 13 cards into a **back** and a **middle** of five cards and a
**front** of three, so that back >= middle >= front. Then all boards are shown and every two players
compare them part by part: a part won is 1 point, a tie nothing, and who wins more parts gets 1 more
(the 4-2 scoring of P. Hankin's blog post "Near-optimal closed-hand Chinese Poker").

Hands rank as in poker, with A2345 the lowest straight and TJQKA the highest; in the front there are
high cards, pairs and trips only. A front that a middle begins with (A-K-Q before A-K-Q-J-9) is the
weaker hand.

Options, all off by default:

- `rules="1-6"`: no point for the majority, but 3 for winning all three parts.
- `fouls=True`: boards out of order may be set. Such a board loses all three parts to every board
  that is in order; against another foul nothing is won.
- `royalties=True`: from every opponent, whoever wins the part, for trips in the front 3; for a full
  house, quads or a straight flush in the middle 2, 8 or 10; for quads or a straight flush in the
  back 4 or 5. A foul earns none.
- `naturals=True`: some hands win all three parts, however they are set: three flushes, three
  straights (aces high or low), six pairs (quads are two) and the dragon (13 ranks), in this order.
  The higher natural wins, equal ones tie, and no royalties are paid between the two players.

The players act one after the other and nobody learns anything before the last hand is set, so the
game is also a parallel environment. Payoffs are points; together they are 0.

An arrangement is one of 72,072 actions, and so long is the mask. For learning take `substeps=True`:
back, then front, 1,343 actions.
"""

from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)
