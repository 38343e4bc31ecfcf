"""The command `botzone doudizhu`."""

import sys
from typing import Annotated

import typer

from closedhand.cli.common import Options, Rules, Seed, bind


def botzone(
    agent: Annotated[str, typer.Argument(help="Agent that plays.")] = "decompose",
    keep_running: Annotated[
        bool,
        typer.Option(
            "--keep-running", help="Stay alive after an answer, and get later requests alone."
        ),
    ] = False,
    rules: Rules = "botzone",
    option: Options = None,
    seed: Seed = 0,
) -> None:
    """Play with an agent as a bot of Botzone's game FightTheLandlord2.

    The bot reads a line of JSON with all requests so far, and prints a line with its response. For
    FightTheLandlord, which has no auction, add --option bidding=false.

    Example: closedhand botzone doudizhu decompose
    """
    from closedhand.bridges.botzone import Bot, serve

    serve(Bot(bind("doudizhu", rules, option), agent, seed), sys.stdin, sys.stdout, keep_running)
