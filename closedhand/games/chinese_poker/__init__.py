"""Closed-hand Chinese Poker: thirteen cards, set secretly as three poker hands.

Each of 2 to 4 players arranges 13 cards into a **back** and a **middle** of five cards and a
**front** of three, so that back >= middle >= front. Then all arranged hands, the **boards**, are
shown, and each pair of players compares theirs part by part. A part won scores 1 point, a tie
nothing, and the player who wins more parts scores 1 more (the 4-2 scoring of P. Hankin's blog post
"Near-optimal closed-hand Chinese Poker").

Hands rank as in poker, with A2345 the lowest straight and TJQKA the highest. The front can only be
a high card, a pair or trips. A front that matches the start of the middle (A-K-Q against A-K-Q-J-9)
is the weaker hand.

Options, all off by default:

- `rules="1-6"`: no extra point for the majority, but 3 for winning all three parts.
- `fouls=True`: boards out of order may be set. Such a board loses all three parts to every board
  that is in order; two fouls tie.
- `royalties=True`: every opponent pays for strong parts, regardless of who wins the part: 3 points
  for trips in the front; 2, 8 or 10 for a full house, quads or a straight flush in the middle; 4
  or 5 for quads or a straight flush in the back. A foul earns none.
- `naturals=True`: some hands win all three parts, however they are set. From low to high these are
  three flushes, three straights (aces high or low), six pairs (quads count as two) and the dragon
  (13 ranks). The higher natural wins, and equal ones tie. If either of two players has a natural,
  they pay each other no royalties.

The players act one after the other, and nobody learns anything before the last hand is set, so the
game is also a parallel environment. Payoffs are points and sum to 0.

There are 72,072 arrangements, one action each, and the action mask is as long. For learning, use
`substeps=True`: the back first, then the front, with 1,343 actions.
"""
