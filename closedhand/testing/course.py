"""Random games with checks of every state, of the end, and further checks of some states."""

from closedhand.core.game import Game
from closedhand.envs.observation_form import COMPACT, PLANES
from closedhand.testing import contract
from closedhand.testing.damage import check_save
from closedhand.testing.expectations import expect, reporting, same
from closedhand.testing.hidden import check_knowledge, check_view_from
from closedhand.testing.notation import check_deal_text, check_records, check_scene, check_text
from closedhand.testing.walk import Checks, Walk, some

EVERY_STATE: Checks = {"player": contract.check_player, "legal": contract.check_legal}

AT_END: Checks = {
    "over": contract.check_end,
    "deal": contract.check_next_deal,
    "returns": contract.check_returns,
    "payoff": contract.check_payoff,
    "records": check_records,
}

CLOSELY: Checks = {
    "valid": contract.check_valid,
    "is_legal": contract.check_all_legal,
    "illegal actions": contract.check_illegal,
    "observe": lambda walk: contract.check_form(walk, PLANES),
    "features": lambda walk: contract.check_form(walk, COMPACT),
    "text and parse": check_text,
    "deal_text": check_deal_text,
    "scene": check_scene,
    "save and load": check_save,
}


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
    """Check some states in depth; count the redeals that changed a state, and the built views."""
    game, whole = walk.game, walk.actions
    changed = built = 0
    for step in sorted(some(range(len(walk.states)), walk.rng)):
        walk.state, walk.actions = walk.states[step], whole[:step]
        look(walk, CLOSELY)
        for player in walk.players:
            changed += check_knowledge(walk, player)
        # One player is enough: all actions are played again.
        built += check_view_from(walk, int(walk.rng.integers(game.num_players)))
    return changed, built
