"""Conversion of Leduc between RLCard and this package.

RLCard's Leduc differs from the standard one:

- players post blinds of 1 and 2 in place of antes of 1;
- they may fold when nobody has bet;
- the second round is opened by the player who did not act last in the first.

Raises are the same: at most two a round, of 2 and then 4 chips. So each position of one game
corresponds to a position of the other with the same raises: the small blind's first call is our
check, and our bets are one chip less than RLCard's chips. Our seat 0 acts first in both rounds: it
is RLCard's small blind in the first and the opener in the second. The stakes differ, so the games
have different equilibria. RLCard pays in big blinds, two chips each.
"""

from typing import Any

import numpy as np

from closedhand.core.game import Game, State

ENV, TEXTS = "leduc-holdem", "actions"
OPTIONS: dict[str, Any] = {}
PRESETS = ("standard",)

CALL, RAISE, FOLD, CHECK = "call", "raise", "fold", "check"
SMALL_BLIND, ANTE = 1, 1


class Observation(np.ndarray):
    """Observation with the method `tostring`, which RLCard's CFR agent calls and NumPy removed."""

    tostring = np.ndarray.tobytes


def state_of(env: Any, game: Game, view: State) -> dict[str, Any]:
    """Build RLCard's state dict for the player to act, and set the actions recorded in `env`."""
    seat, moves = int(view["player"]), game.history(view).tolist()
    known = game.knowledge(view, seat)
    actions = [game.text(action) for action in moves]
    if actions[:1] == [CHECK]:
        actions[0] = CALL
    bets = game.rules.tables.nodes[view["node"]]["bets"]
    chips = [int(bet) + ANTE for bet in bets]
    if not moves:
        chips[seat] = SMALL_BLIND
    own = {game.text(action) for action in game.legal(view)} | {FOLD}  # RLCard always allows it
    if not moves:
        own = own - {CHECK} | {CALL}
    legal = [text for text in env.actions if text in own]
    raw = {
        "hand": known.hand,
        "public_card": known.public.get("flop"),
        "all_chips": chips,
        "my_chips": chips[seat],
        "legal_actions": legal,
        "current_player": seat,
        "self": seat,
    }
    env.action_recorder = [(i % 2, text) for i, text in enumerate(actions)]
    state = env._extract_state(raw)
    return {**state, "obs": state["obs"].view(Observation)}


def action_of(game: Game, view: State, text: str) -> int:
    """Return our id of the action with a text of RLCard, or -1 if it is not legal.

    Where nobody has bet, a call or a fold becomes a check.
    """
    legal = {game.text(action): int(action) for action in game.legal(view)}
    if CHECK in legal and text in (CALL, FOLD):
        text = CHECK
    return legal.get(text, -1)


def view_of(env: Any, game: Game, state: dict[str, Any]) -> State:
    """Build our view from the state dict of RLCard's environment."""
    raw, record = state["raw_obs"], state["action_record"]
    first, second = rounds(record)
    me = raw["current_player"]
    opener = second[0][0] if second else me
    small_blind = record[0][0] if record else me  # before any action, the player to act
    actions = [text for _, text in first]
    if actions[:1] == [CALL]:
        actions[0] = CHECK
    if raw["public_card"] is None:
        return game.view_from(int(me != small_blind), raw["hand"], actions)
    if opener != small_blind:  # our seat 0 is the big blind: drop or add a first check
        actions = actions[1:] if actions[0] == CHECK else [CHECK, *actions]
    actions += [text for _, text in second]
    return game.view_from(int(me != opener), raw["hand"], actions, flop=raw["public_card"])


def rounds(record: list[tuple[int, str]]) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Split RLCard's record of a game, pairs of player and action, into its two rounds."""
    quiet = 0  # actions from the last raise on: two end a round
    for i, (_, text) in enumerate(record):
        quiet = 1 if text == RAISE else quiet + 1
        if quiet == 2:
            return record[: i + 1], record[i + 1 :]
    return record, []


def text_of(game: Game, view: State, action: int) -> str:
    """Return RLCard's text of an action of ours; a first check is the small blind's call."""
    text = game.text(action)
    return CALL if text == CHECK and not view["moves"] else text
