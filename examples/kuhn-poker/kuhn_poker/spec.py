"""The spec of Kuhn poker, which closedhand reads; the game is imported only when it is made."""

from closedhand import GameSpec

SPEC = GameSpec(
    name="kuhn",
    title="Kuhn poker",
    make="kuhn_poker.game:make_game",
    contract=1,
    aec_id="kuhn/kuhn-v0",
    gymnasium_id="kuhn/Kuhn-v0",
    opponent="equilibrium",
    rulebook="kuhn_poker:rulebook",
)
