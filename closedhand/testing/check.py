"""`check_game`: all checks in their order."""

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np

from closedhand.core.checks import InputError, check_seed, shown, whole_number
from closedhand.core.contract import plain_function
from closedhand.core.game import Game
from closedhand.envs.observation_form import FORMS
from closedhand.testing import contract
from closedhand.testing.course import check_course, look_closely
from closedhand.testing.damage import check_damaged
from closedhand.testing.envs import ENVIRONMENTS, check_opponent
from closedhand.testing.expectations import expect, reporting
from closedhand.testing.notation import check_actions
from closedhand.testing.processes import check_other_process, check_pickle

WHOLE_GAME: Mapping[str, Callable[[Game], None]] = {
    "fields": contract.check_fields,
    "state": contract.check_state,
    "alignment": contract.check_alignment,
    "rules": contract.check_rules,
    "flat": contract.check_forms,
    "text and parse": check_actions,
    "pickle": check_pickle,
}
"""Checks of a game as a whole, by the name of the checked part."""


def check_game(game: Game, games: int = 20, seed: int = 0, jit: bool = True) -> None:
    """Check that a game keeps the whole contract.

    Args:
        game: Game to check. `make_game` has to know it, since other processes make it again.
        games: Number of random games that are played.
        seed: Seed of the first deal; the next deals have the next seeds.
        jit: Whether the other process, whose results have to be the same, plays in the other mode:
            plain Python if this one uses compiled kernels, and the reverse; else in the same mode.

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
