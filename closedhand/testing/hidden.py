"""Checks of hidden information: views, redeals, and the knowledge of a player at a real table."""

from functools import partial

import numpy as np

from closedhand.core import contract
from closedhand.core.game import Game, InputError, State
from closedhand.core.views import written
from closedhand.testing.expectations import expect, refuses, reporting, same
from closedhand.testing.walk import Walk

MOST_DRAWS = 256
"""Most redeals that `check_draws` makes until one differs from its argument `other`."""


def check_knowledge(walk: Walk, player: int) -> bool:
    """Check that view, observation, key and legal actions of a player reveal nothing hidden.

    A redeal of the hidden cards must change none of them. Return whether it changed the state.
    """
    game, state = walk.game, walk.state
    with reporting(game, "hide", walk):
        view = game.view(state, player)
        same(game, view, game.view(view, player), f"the view of player_{player}'s view is itself")
        expect(view.player == state.player and view.moves == state.moves,
                "a view shows who is to act, and how many actions were made")  # fmt: skip
    with reporting(game, "redeal", walk):
        seed = int(walk.rng.integers(2**32))
        other, again = (_redealt(game, view, player, seed) for _ in range(2))
        same(game, other, again, "the same seed redeals the same state")
        same(game, game.view(other, player), view,
              f"player_{player} has the same view of a redealt state; `hide` leaks, or `redeal` "
              "does not keep to the view")  # fmt: skip
        expect(game.over(other) == game.over(state), "a redealt state ends at another time")
        why = game.valid(other)
        expect(why == "", "a redealt state is refused: {}", why)
        check_draws(walk, view, other, player)
        end = game.playout(other, walk.rng)
        expect(game.over(end), "a redealt state is played to its end")
    with reporting(game, "valid", walk):
        why = game.valid(view, player)
        expect(why == "", "the view of player_{} is refused: {}", player, why)
    for form, look in (("observe", game.observe), ("features", partial(_features, game))):
        with reporting(game, form, walk):
            seen = look(state, player)
            for name, one in (("a redealt state", other), ("the view", view)):
                for part, value in look(one, player).items():
                    expect((value == seen[part]).all(),
                            "{!r} leaks: it shows player_{} what it cannot know; it differs for {}",
                            part, player, name)  # fmt: skip
    with reporting(game, "key", walk):
        keys = {game.key(one, player) for one in (state, other, view)}
        expect(len(keys) == 1, "the key of player_{} depends on what it cannot know", player)
    if player == state.player and not game.over(state):
        with reporting(game, "legal", walk):
            for one in (other, view):
                expect(np.array_equal(game.legal(one), game.legal(state)),
                        "the actions of player_{} depend on what it cannot know",
                        player)  # fmt: skip
    return other.tobytes() != state.tobytes()


def _features(game: Game, state: State, player: int) -> dict[str, np.ndarray]:
    return dict(zip(game.feature_names, game.features(state, player), strict=True))


def check_draws(walk: Walk, view: State, other: State, player: int) -> None:
    """Check that redeals differ where several deals fit.

    The true state fits, and so does `other`, which `redeal` has drawn for the player's `view`.
    """
    if other.tobytes() == walk.state.tobytes():
        return
    for _ in range(MOST_DRAWS):
        again = _redealt(walk.game, view, player, int(walk.rng.integers(2**32)))
        if again.tobytes() != other.tobytes():
            return
    expect(False, "player_{} is dealt the same state by {} seeds, which is not the true one: "
            "redeal draws with its generator", player, MOST_DRAWS)  # fmt: skip


def _redealt(game: Game, view: State, player: int, seed: int) -> State:
    """Redeal without the checks of `Game.redeal`: they would blame the view for a bad redeal."""
    state = view.copy()
    contract.redeal(game.rules, state, player, np.random.default_rng(seed))
    return state


def check_view_from(walk: Walk, player: int) -> bool:
    """Check that `view_from` rebuilds a view from `knowledge`; return whether one was built.

    The knowledge comes from the view alone, so that it contains nothing hidden. Actions are given
    as ids or as texts.
    """
    game, state = walk.game, walk.state
    if contract.plain_function(game.rules, "view_from")[0] is None:
        return False
    with reporting(game, "view_from", walk):
        view = game.view(state, player)
        try:
            hand, actions, public = game.knowledge(view, player)
        except InputError:
            # `knowledge` refuses an incomplete play in sub-steps, and nothing else.
            expect(game.flat is not game, "knowledge of player_{} is refused", player)
            return False
        if len(walk.actions) % 2:
            actions = [written(game.flat, action) for action in actions]
        built = game.view_from(player, hand, actions, **public)
        same(game, built, view, f"what player_{player} knows gives the view of player_{player}")
        wrong = _illegal(game.flat, state) if player == state.player else None
        if wrong is not None:
            more = [*actions, wrong]
            refuses(lambda: game.view_from(player, hand, more, **public),
                    f"view_from with the illegal action {wrong}")  # fmt: skip
    return True


def _illegal(flat: Game, state: State) -> int | None:
    """Return an illegal whole play with an id below 1,000; None if there is none, or at the end."""
    if flat.over(state):
        return None
    others = np.setdiff1d(np.arange(min(flat.num_actions, 1_000)), flat.legal(state))
    return int(others[-1]) if len(others) else None
