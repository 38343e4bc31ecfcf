"""`check_game`: all checks in their order, of a game as a whole and of states of random games."""

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np

from closedhand.core.checks import InputError, check_seed, shown, whole_number
from closedhand.core.contract import plain_function
from closedhand.core.game import Game
from closedhand.envs.observation_form import COMPACT, FORMS, PLANES
from closedhand.testing import contract, notation
from closedhand.testing.damage import check_damaged, check_save
from closedhand.testing.envs import ENVIRONMENTS, check_opponent
from closedhand.testing.expectations import expect, reporting, same
from closedhand.testing.hidden import check_knowledge, check_view_from
from closedhand.testing.processes import check_other_process, check_pickle
from closedhand.testing.walk import Walk, some

WHOLE_GAME: Mapping[str, Callable[[Game], None]] = {
    "fields": contract.check_fields,
    "state": contract.check_state,
    "alignment": contract.check_alignment,
    "rules": contract.check_rules,
    "flat": contract.check_forms,
    "text and parse": notation.check_actions,
    "pickle": check_pickle,
}
"""Checks of a game as a whole, by the name of the checked part."""

Checks = Mapping[str, Callable[[Walk], None]]
"""Checks of the present position of a `Walk`, by the part of the contract that they check."""

EVERY_STATE: Checks = {"player": contract.check_player, "legal": contract.check_legal}

AT_END: Checks = {
    "over": contract.check_end,
    "deal": contract.check_next_deal,
    "returns": contract.check_returns,
    "payoff": contract.check_payoff,
    "records": notation.check_records,
}

CLOSELY: Checks = {
    "valid": contract.check_valid,
    "is_legal": contract.check_all_legal,
    "illegal actions": contract.check_illegal,
    "observe": lambda walk: contract.check_form(walk, PLANES),
    "features": lambda walk: contract.check_form(walk, COMPACT),
    "text and parse": notation.check_text,
    "deal_text": notation.check_deal_text,
    "scene": notation.check_scene,
    "save and load": check_save,
}


def check_game(game: Game, games: int = 20, seed: int = 0, jit: bool = True) -> None:
    """Check that a game keeps the whole contract.

    Args:
        game: Game to check. `make_game` has to know it, since other processes make it again.
        games: Number of random games that are played.
        seed: Seed of the first deal; the next deals have the next seeds.
        jit: Whether to compare compiled kernels with plain Python: another process plays in the
            mode that this one does not use. If False, it plays in the same mode.

    Raises:
        closedhand.testing.ContractError: The game breaks the contract; the message names the place.
        InputError: `game` is not a `Game`, `games` is not a whole number of 1 or more, or `seed` is
            not one of 0 or more.
    """
    if not isinstance(game, Game):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"a Game is checked here, as make_game returns it, not {shown(game)}")
    whole_number(games, "the number of games", 1)
    check_seed(seed)
    one, seeds = f"seed {seed}", f"seeds {seed} to {seed + games - 1}"
    for part, check in WHOLE_GAME.items():
        with reporting(game, part):
            check(game)
    with reporting(game, "deal", one):
        contract.check_deals(game, games, seed)
    with reporting(game, "deals", one):
        deals = contract.check_all_deals(game, seed)
    courses = [check_course(game, number) for number in range(seed, seed + games)]
    changed, built = np.sum([look_closely(walk) for walk in courses], axis=0)
    with reporting(game, "redeal", seeds):
        expect(changed, "no state was ever dealt anew: `hide` has to blank what a player does "
                "not know, and `redeal` to draw it")  # fmt: skip
    with reporting(game, "redeal", one):
        contract.check_redeals(game, deals, seed)
        contract.check_later_redeals(game, deals, courses, seed)
    with reporting(game, "over", one):
        contract.check_unwilling(game, seed)
    with reporting(game, "view_from", seeds):
        offered = plain_function(game.rules, "view_from")[0] is not None
        expect(built or not offered, "no view was ever built from what a player knows")
    with reporting(game, "player", seeds):
        actors = {int(state.player) for walk in courses for state in walk.states[:-1]}
        idle = sorted(set(range(game.num_players)) - actors)
        expect(not idle, "seats {} never act", idle)  # an env of such a seat would wait for ever
    with reporting(game, "opponent"):
        check_opponent(game, seed)
    with reporting(game, "processes"):
        check_other_process(game, seed, jit)
    with reporting(game, "seats", one):
        contract.check_seats(game, seed)
    with reporting(game, "damaged states", one):
        check_damaged(game, seed)
    for (part, check), form in product(ENVIRONMENTS.items(), FORMS):
        with reporting(game, part, one):
            check(game, seed, form)


def look(walk: Walk, checks: Checks) -> None:
    """Make checks of a state, none of which may change it."""
    for part, check in checks.items():
        with reporting(walk.game, part, walk):
            before = walk.state.copy()
            check(walk)
            same(walk.game, before, walk.state, "looking at a state does not change it")


def check_course(game: Game, seed: int) -> Walk:
    """Play a random game to its end and check its states."""
    with reporting(game, "deal", f"seed {seed}"):
        walk = Walk(game, seed)
    with reporting(game, "returns", walk):
        expect(not game.returns(walk.state).any(),
                "a new game has paid {}: only what is earned is paid, and before the end only in "
                "staged games", game.returns(walk.state))  # fmt: skip
    while True:
        walk.states.append(walk.state.copy())
        look(walk, EVERY_STATE)
        if game.over(walk.state):
            break
        with reporting(game, "over", walk):
            expect(len(walk.actions) < game.max_moves,
                    "the game goes on after max_moves, {} actions", game.max_moves)  # fmt: skip
            expect(walk.state.moves < len(walk.state.history),
                    "the game goes on, but the field 'history' is full")  # fmt: skip
        play_one(walk)
    look(walk, AT_END)
    return walk


def play_one(walk: Walk) -> None:
    """Play a random action and check its effect."""
    game, before = walk.game, walk.state.copy()
    action = int(walk.rng.choice(game.legal(before)))
    walk.actions.append(action)
    with reporting(game, "play", walk):
        twin = before.copy()
        game.play(walk.state, action)
        game.play(twin, action)
        same(game, walk.state, twin, "the same action leads to the same state")
        made, state = int(before.moves), walk.state
        restarted = state.moves == 0 and made > 0  # a new round, or a redeal
        substep = state.moves == made and game.flat is not game
        if restarted or substep:
            return
        expect(state.moves == made + 1, "moves is {} after an action, not {}",
                made + 1, state.moves)  # fmt: skip
        past = game.history(state)
        expect((past[:made] == game.history(before)).all(), "an action changes the past")
        expect(game.flat is not game or past[made] == action,
                "'history' ends with the action, not with {}", past[made])  # fmt: skip


def look_closely(walk: Walk) -> tuple[int, int]:
    """Check some states closely; count redeals that changed a state, and views that were built."""
    game, whole = walk.game, walk.actions
    changed = built = 0
    for step in sorted(some(range(len(walk.states)), walk.rng)):
        walk.state, walk.actions = walk.states[step], whole[:step]
        look(walk, CLOSELY)
        for player in walk.players:
            changed += check_knowledge(walk, player)
        # One player is enough: `check_view_from` replays the actions of all.
        built += check_view_from(walk, int(walk.rng.integers(game.num_players)))
    return changed, built
