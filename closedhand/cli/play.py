"""The command `play`: a game in the terminal."""

from contextlib import suppress

from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.theme import Theme

from closedhand.cli import common


def play(
    game: common.GameName,
    agents: str | None = None,
    seat: int = 0,
    seed: common.SeedOrNone = None,
    deal: str | None = None,
    hint: str | None = None,
    rules: common.Rules = None,
    option: common.Options = None,
) -> None:
    """Play in the terminal against agents, hand after hand.

    If only one action is legal, it is played at once. Type ? for hints, and help for the notation
    and other commands. NO_COLOR switches colours off.

    Example: closedhand play doudizhu --agents decompose

    Options:
        agents: One agent for all other seats, or one for each, separated by commas; by default the
            game's opponent.
        seat: Your seat, from 0.
        seed: Seed of the first deal and of the agents; random if absent. Each further hand adds 1.
        deal: First deal, in the game's notation; it replaces that of the seed.
        hint: Agent that gives hints; by default the game's adviser.
    """
    import numpy as np

    from closedhand.arena import play as table
    from closedhand.core.agent_spec import split_agents
    from closedhand.core.agents import make_adviser, make_agent
    from closedhand.core.records import start
    from closedhand.core.registry import spec_of

    bound = common.bind(game, rules, option)
    if seed is None:
        seed = int(np.random.default_rng().integers(2**31))
    names = split_agents(spec_of(bound.name).opponent if agents is None else agents)
    if len(names) == 1:
        names *= bound.num_players - 1
    others = [make_agent(bound, name, seed + i) for i, name in enumerate(names, 1)]
    adviser = make_agent(bound, hint, seed) if hint else make_adviser(bound, names[0], seed)
    show, score = paper().print, table.Score(bound.num_players)
    while True:
        session = table.Session(bound, start(bound, deal, seed), seat, others, adviser)
        show(f"{game} against {', '.join(names)}, --seed {seed}")
        if not table.Terminal(session, input, show, score).run() or not _again():
            return
        seed, deal = (seed + 1) % (common.MOST_SEED + 1), None


def paper() -> Console:
    """Make the console of a game, with red suits and the player to act highlighted."""
    return common.plain_console(
        highlighter=_Suits(),
        theme=Theme({"table.red": "bright_red", "table.turn": "bold yellow", "table.seat": "bold"}),
        soft_wrap=True,
    )


class _Suits(RegexHighlighter):
    base_style = "table."
    highlights = [r"(?P<red>[2-9TJQKA_][♥♦])", r"(?m)^(?P<turn>>)", r"(?P<seat>player_[0-9]+)"]


def _again() -> bool:
    answers = {"": True, "y": True, "yes": True, "n": False, "no": False, "quit": False}
    answer = "?"
    with suppress(EOFError, KeyboardInterrupt):
        while answer not in answers:
            answer = input("another hand? [Y/n] ").strip().lower()
    return answers.get(answer, False)
