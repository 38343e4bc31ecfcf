"""The command `judge`: the exact evaluation of an agent in a small game."""

from typing import Annotated, Any

import typer

from closedhand.cli import common
from closedhand.cli.solve import called, explained, judged_cells


def judge(
    game: common.GameName,
    agent: Annotated[str, typer.Argument(metavar="AGENT")],
    seed: common.Seed = 0,
    rules: common.Rules = None,
    option: common.Options = None,
    as_json: common.Json = False,
) -> None:
    """Evaluate an agent in a small game: value, best responses and NashConv, all exact.

    All seats play the agent, or all except one, which plays its best response. NashConv is the sum
    of the players' gains by best responses: 0 only for an equilibrium. If several seats play for
    one side, a further line gives an upper bound of the sum of their payoffs: that of a joint best
    response in which they see each other's cards.

    An agent without probabilities is asked once at every information set, and judged as if it
    always decided so: exactly if it is deterministic.

    Example: closedhand judge leduc random

    Options:
        agent: The agent.
        seed: Seed of the agent.
    """
    from closedhand.arena.results import role_names
    from closedhand.core.agents import make_agent
    from closedhand.solvers.evaluate import evaluate_rows
    from closedhand.solvers.strategy import shared_responses, strategy_of
    from closedhand.solvers.tree import build, tree_size

    bound = common.bind(game, rules, option)
    played = strategy_of(bound, make_agent(bound, agent, seed))
    tree = build(bound)
    result: dict[str, Any] = {
        "game": bound.name,
        "options": dict(bound.options),
        "agent": agent,
        **tree_size(tree),
        **evaluate_rows(tree, played.probabilities).summary(bound),
    }
    sides = dict(zip(sorted(set(bound.sides)), role_names(bound), strict=True))
    shared = {sides[side]: won for side, won in shared_responses(played).items()}
    result |= {"shared_information": shared} if shared else {}
    if as_json:
        common.print_json(result)
        return
    title = f"{called(result)}; {agent} at all seats; {bound.unit} a game"
    cells = judged_cells(result)
    headings = [f">{name}" for name in cells]
    common.print_table(headings, [[*cells.values()]], title, no_wrap=True)
    typer.echo(
        f"{result['information_sets']:,} information sets, {result['nodes']:,} histories; "
        + explained(result)
    )
    for name, won in shared.items():
        typer.echo(f"{name}, with shared information: at most {won:z.6f} in sum")
