"""Every agent answers every reachable position legally, also one that it would not reach itself.

A person who asks for a hint, or another agent at the same seat, may have chosen what came before:
the first card of an exchange, a main group whose kickers follow, a bid. So positions are those of
uniformly random play, in every game under every value of every option, and every agent that an
entry point names is asked for its action.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import VARIANTS, variant_id

from closedhand import GAMES, Game, InputError, make_agent, make_game
from closedhand.core.agents import act_batch, agent_names, traits_of
from closedhand.core.game import State

TEXTS: dict[str, tuple[str, ...]] = {
    "search": ("search:40",),
    "doudizhu.search": ("search[threads=1,worlds=4]:40",),
    "ismcts": ("ismcts:40",),
    "value-search": ("value-search[threads=1,worlds=4]:40",),
    "policy-search": ("policy-search[threads=1,worlds=4]:10",),
    "monte-carlo": ("monte-carlo:60",),
    "bids": ("bids:logic:greedy", "bids:net:greedy"),
    "equilibrium": ("equilibrium[iterations=20]",),
    "counter": ("counter[hands=5000]",),
    "rescored": ("rescored[hands=5000]",),
    "kou": (
        "kou",
        "kou:lock+,single",
        "kou[letter=1]",
        "kou[any_play=0,unwanted_lock=-1]:lock+",
        "kou[give_eight=999999999,give_three=-999999999,threshold=-999999999]",
        "kou[give_weakness=999999999,give_ace=999999999,give_king=999999999,reserve=0]",
    ),
}
"""Texts of the agents that need more than a name, or are worth asking in several forms."""

NEED_FILES = {
    "strategy": "the file of a strategy, which `written` writes",
    "learned": "a network, which `written_network` writes",
    "botzone": "the command of a bot: tests/bridges/test_botzone.py",
    "rlcard": "a model of RLCard for the game: tests/bridges/test_rlcard.py",
    "douzero": "networks of DouZero: tests/agents/doudizhu/test_douzero.py",
}

MEANT_ILLEGAL = {"default": "it submits the illegal kaidan of the competition's sample client"}
"""Agents that may choose an illegal action where that counts as a pass, save in an exchange."""

REFUSALS = (
    *("bidding", "needs", "pip install", "games of three", "no cards given"),
    *("games of five", "one joker", "without seven_give"),
)
"""What is said of games that an agent does not play."""

TO_THE_END = {"ismcts", "search"}
LONGEST = 100_000
"""Agents whose simulations play a game to its end, and the most moves that these tests wait for."""
POSITIONS = 150
SLOW = 200.0
"""Microseconds of a decision above which an agent is asked in few positions."""


def variants(name: str) -> Iterator[dict[str, Any]]:
    """The options to test a game with: each of its values once, and the usual combinations."""
    yield from (options for game, options in VARIANTS if game == name)
    table = GAMES[name].option_table
    for option in table:
        values = option.choices or ((True, False) if isinstance(option.default, bool) else ())
        for value in (*values, option.least, option.most):
            if value not in (None, option.default):
                yield {option.name: value}
                # With another option that changes play: in an exchange, in sub-steps.
                for other, its in (
                    ("classes", "random"),
                    ("substeps", True),
                    ("actions", "card_sets"),
                ):
                    if other in table and other != option.name:
                        yield {option.name: value, other: its}


def all_variants() -> Iterator[Any]:
    for name, spec in GAMES.items():
        seen = []
        for options in variants(name):
            complete = spec.option_table.complete({**spec.options, **options})
            if complete not in seen:
                seen.append(complete)
                yield pytest.param(name, options, id=variant_id((name, options)))


def reached(game: Game, seed: int, number: int) -> list[State]:
    """Positions of uniformly random play: the first of a few games, then some of all later ones."""
    rng = np.random.default_rng(seed)
    found: list[State] = []
    share = 1.0
    while len(found) < number:
        state = game.deal(rng)
        for _ in range(400):
            if game.over(state):
                break
            if rng.random() < share or state.moves < 4:
                found.append(state.copy())
            game.play(state, int(rng.choice(game.legal(state))))
        share = 0.25
    return found[:number]


def written(game: Game, folder: Path) -> Iterator[str]:
    """The text of an agent `strategy` that plays by a file, in a game that is small enough."""
    from support_strategies import uniform

    from closedhand.solvers.strategy import save

    with suppress(InputError):
        save(uniform(game), folder / "uniform.npz")
        yield f"strategy:{folder / 'uniform.npz'}"


def written_network(game: Game, folder: Path) -> str:
    """The text of an agent `learned` that plays by a network with its first weights."""
    from support_learners import write_untrained

    return f"learned:{write_untrained(folder, game)}"


def texts_of(game: Game, folder: Path) -> Iterator[str]:
    """The agents of a game that can be made here."""
    for name in agent_names(game.name):
        if name == "strategy":
            yield from written(game, folder)
        elif name == "learned":
            yield written_network(game, folder)
        elif name in TO_THE_END and game.max_moves > LONGEST:
            continue
        elif name not in NEED_FILES:
            yield from TEXTS.get(f"{game.name}.{name}", TEXTS.get(name, (name,)))


def is_fine(game: Game, agent: str, state: State, action: int) -> bool:
    """Whether an action is legal, or is one that is meant to be none."""
    if action in game.legal(state):
        return True
    meant = game.lenient and agent.partition("[")[0] in MEANT_ILLEGAL
    return meant and state.leader >= 0 and 0 <= action < game.num_actions


@pytest.mark.slow
@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize(("name", "options"), list(all_variants()))
def test_every_agent_answers_legally_wherever_it_is_asked(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    try:
        game = make_game(name, **options)
    except InputError as error:
        pytest.skip(str(error))  # options that exclude each other
    states = reached(game, 1, POSITIONS)
    views = np.array([game.view(state, int(state.player)) for state in states], game.dtype)
    asked = 0
    for text in texts_of(game, tmp_path):
        try:
            agent = make_agent(game, text, 1)
        except InputError as error:
            assert any(each in str(error) for each in REFUSALS), error
            continue
        cost = traits_of(game, text).microseconds
        number = POSITIONS if cost is not None and cost < SLOW else 12
        some = np.linspace(0, len(states) - 1, number).astype(int)
        together = act_batch(agent, views[some])
        alone = [agent.act(views[i]) for i in some[:: max(1, number // 12)]]
        for i, action in [
            *zip(some, together, strict=True),
            *zip(some[:: max(1, number // 12)], alone, strict=True),
        ]:
            legal = is_fine(game, agent.name, states[i], int(action))
            assert legal, f"{text} chooses {action}:\n{game.board(states[i])}"
        asked += 1
    assert asked >= 2
