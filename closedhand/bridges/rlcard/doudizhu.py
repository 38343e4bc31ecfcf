"""Conversion of Dou Dizhu between RLCard and this package.

- RLCard has no auction, and its landlord is always seat 0: its seats are ours counted from the
  landlord.
- Its jokers are B (small) and R (big), ours S and B.
- Its rules are our preset `rlcard`. In a game of our preset `deeprocket`, which has fewer plays,
  RLCard's agents may choose only plays of that preset.
"""

from typing import Any

import numpy as np

from closedhand.core.checks import InputError
from closedhand.core.game import Game, State
from closedhand.games.doudizhu.counts import unpack
from closedhand.games.doudizhu.state import SEATS

ENV, TEXTS = "doudizhu", "_ID_2_ACTION"
OPTIONS = {"rules": "rlcard"}
PRESETS = ("rlcard", "deeprocket")

THEIRS, OURS = str.maketrans("SB", "BR"), str.maketrans("BR", "SB")
PASS = "pass"


def text_of(game: Game, view: State, action: int) -> str:
    """Return RLCard's text of an action of ours: its cards in rank order, or the pass."""
    plays = game.rules.plays
    return PASS if action == plays.number - 1 else _cards(plays.need[action])


def _cards(packed: Any) -> str:
    return unpack(packed).translate(THEIRS)


def state_of(env: Any, game: Game, view: State) -> dict[str, Any]:
    """Build RLCard's state dict for the player who has to play; set the state of `env`."""
    landlord, legal = int(view["landlord"]), game.legal(view).tolist()
    if landlord < 0 or legal[-1] >= game.rules.plays.number:
        raise InputError(
            "RLCard has no auction, no doubling and no open hand: in games with bidding, "
            "bids:logic:AGENT speaks for an agent"
        )
    seats = [(landlord + k) % SEATS for k in range(SEATS)]  # ours, in RLCard's order
    own = seats.index(int(view["player"]))
    actions = game.history(view)[int(view["words"]) :].tolist()  # without the auction
    trace = [(i % SEATS, text_of(game, view, action)) for i, action in enumerate(actions)]
    public, played = unpack(view["public"]), [unpack(view["played"][seat]) for seat in seats]
    # RLCard drops all public cards of a rank once the landlord has played a card of it.
    seen = "".join(card for card in public if card not in played[0])
    hand = view["hands"][view["player"]]
    others = np.uint64(game.rules.options.deck) - hand - view["played"].sum(dtype=np.uint64)
    raw = {
        "seen_cards": seen.translate(THEIRS),
        "landlord": 0,
        "trace": trace,
        "played_cards": [cards.translate(THEIRS) for cards in played],
        "self": own,
        "current_hand": _cards(hand),
        "others_hand": _cards(others),
        "num_cards_left": [int(view["left"][seat]) for seat in seats],
        "actions": [text_of(game, view, action) for action in legal],
    }
    env.game.state = raw
    env.action_recorder = trace
    return env._extract_state(raw)


def action_of(game: Game, view: State, text: str) -> int:
    """Return our id of the legal action with a text of RLCard, -1 if there is none."""
    legal = game.legal(view).tolist()
    return next((action for action in legal if text_of(game, view, action) == text), -1)


def view_of(env: Any, game: Game, state: dict[str, Any]) -> State:
    """Build our view from the state dict of RLCard's environment."""
    from rlcard.games.doudizhu.utils import cards2str

    raw = state["raw_obs"]
    # RLCard's state omits public cards once they are played; all players have seen them.
    public = cards2str(env.game.round.dealer.deck[-3:])
    actions = ["PASS" if text == PASS else text.translate(OURS) for _, text in raw["trace"]]
    hand = raw["current_hand"].translate(OURS)
    return game.view_from(raw["self"], hand, actions, public=public.translate(OURS))
