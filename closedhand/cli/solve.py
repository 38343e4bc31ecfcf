"""The command `solve`, which calls the solver named in a game's spec."""

from pathlib import Path
from typing import Annotated

import typer

from closedhand.cli.common import Json, Options, Rules, bind, positive, seed_option, underscored
from closedhand.core.game import InputError
from closedhand.core.registry import GAMES, load, spec_of

SETTINGS = {"ignore_unknown_options": True, "allow_extra_args": True}
"""Options that `solve` does not know are taken as options of the game."""
ITERATIONS = 10_000
"""Iterations of `solve`, if neither a time nor a NashConv to reach is given."""


def solve(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[GAME]", help="Game that has a solver.")
    ] = None,
    algorithm: Annotated[
        str,
        typer.Option(
            help="One of the game's algorithms, or several separated by commas; all: every solver."
        ),
    ] = "pcfr+",
    iterations: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"Iterations in all, resumed ones included; {ITERATIONS} without another limit.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(help="Time to work, resumed work included.", callback=positive),
    ] = None,
    until: Annotated[
        float | None, typer.Option(help="NashConv at which to stop.", callback=positive)
    ] = None,
    other_game: Annotated[
        str | None, typer.Option("--game", help="Another way to give GAME.", callback=underscored)
    ] = None,
    seed: Annotated[int, seed_option("Seed of sampling algorithms.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for strategies and results; one in runs/ if absent.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the runs that the folder holds.")
    ] = False,
    rules: Rules = None,
    option: Options = None,
    as_json: Json = False,
) -> None:
    """Solve a small game and show the value, best responses and NashConv, all exact.

    Options of the game may also be given by name: --pair card means --option pair=card. NashConv is
    the sum of what the players could gain by best responses; with two players, exploitability is
    half of it. The folder gets, for every algorithm, the strategy, the curve and the data that
    --resume needs, and a picture of NashConv against iterations and seconds. Without --resume a run
    starts from scratch and overwrites what the folder holds. Ctrl-C stops and keeps the strategy.
    The JSON is the result of the algorithm; for several algorithms it is the list "runs".
    """
    game, named = read_words(words or [])
    bound = bind(other_game or game or default_game(), rules, [*(option or []), *named])
    solver = spec_of(bound.name).solver
    if solver is None:
        raise InputError(
            f"{bound.name} has no solver; these games have one: {', '.join(solvable())}"
        )
    if iterations is None and seconds is None and until is None:
        iterations = ITERATIONS
    load(solver)(bound, algorithm, iterations, seconds, until, seed, out, resume, as_json)


def solvable() -> list[str]:
    """The games that have a solver."""
    return [spec.command_name for spec in GAMES.values() if spec.solver]


def default_game() -> str:
    """The game that `solve` takes if none is named."""
    for spec in GAMES.values():
        if "solve" in spec.default_for:
            return spec.name
    raise InputError(f"name the game to solve: {', '.join(solvable())}")


def read_words(words: list[str]) -> tuple[str | None, list[str]]:
    """The game that is named, and options of it as key=value.

    Args:
        words: Words of the command line that are not known, in order.

    Raises:
        InputError: There are two games, or an option without a value.

    Examples:
        >>> read_words(["--double-pair", "split", "uh-leduc", "--pair=card"])
        ('uh_leduc', ['double_pair=split', 'pair=card'])
    """
    game, options, rest = None, [], list(words)
    while rest:
        word = rest.pop(0)
        key, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("-"):
            if game is not None:
                raise InputError(f"name one game to solve, not {game} and {word}")
            game = underscored(word)
        elif word.startswith("--") and (equals or rest):
            options.append(f"{key.replace('-', '_')}={value if equals else rest.pop(0)}")
        else:
            raise InputError(f"no such option: {word}")
    return game, options
