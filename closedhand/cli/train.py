"""The commands `train …`: one for each game with a trainer, and those that games add."""

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer

from closedhand.cli.common import (
    Options,
    Restart,
    Rules,
    bind,
    given_options,
    positive,
    seed_option,
    underscored,
)
from closedhand.cli.groups import Group, click_command
from closedhand.core.game import InputError
from closedhand.core.registry import GAMES, load, spec_of

# Slow imports are made inside the commands, so that --help is fast.


class Trainings(Group):
    """A command for every game that has trainers, and the training commands that games add."""

    verb = "train"

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands."""
        games = [spec.command_name for spec in GAMES.values() if spec.trainers]
        return [*games, *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of the given name.

        Raises:
            InputError: There is no such command.
        """
        spec = GAMES.get(underscored(cmd_name) or "")
        if spec is None or not spec.trainers:
            return super().get_command(ctx, cmd_name)
        help = f"Train an agent of {spec.title}: {', '.join(spec.trainers)}."
        return click_command(train_game, spec.command_name, help)


app = typer.Typer(
    cls=Trainings,
    help="Train an agent by playing a game, or a network on records of games.",
    no_args_is_help=True,
)


@app.callback()
def train() -> None:
    """Train an agent by playing a game, or a network on records of games."""


def train_game(
    context: typer.Context,
    out: Annotated[
        Path, typer.Option(help="Folder for the model; training resumes if it holds one.")
    ],
    minutes: Annotated[
        float,
        typer.Option(
            help="Minutes to train; added to those before when resumed.", callback=positive
        ),
    ] = 3.0,
    algorithm: Annotated[
        str | None, typer.Option(help="One of the game's algorithms; the first one if absent.")
    ] = None,
    opponents: Annotated[
        str | None,
        typer.Option(help="Agents to learn against, separated by commas."),
    ] = None,
    seed: Annotated[int, seed_option("Seed of everything random.")] = 0,
    restart: Restart = False,
    rules: Rules = None,
    option: Options = None,
) -> None:
    """Train an agent; Ctrl-C saves and stops."""
    game = bind(underscored(context.command.name) or "", rules, option)
    trainers = spec_of(game.name).trainers
    name = algorithm or next(iter(trainers))
    if name not in trainers:
        raise InputError(f"no algorithm {name!r} for {game.name}; there are {', '.join(trainers)}")
    learn = load(trainers[name])
    known = inspect.signature(learn).parameters
    more: dict[str, Any] = {}
    if "given" in known:
        more["given"] = given_options(game.name, rules, option)
    if "opponents" in known:
        more["opponents"] = opponents
    elif opponents is not None:
        raise InputError(f"{name} learns {game.name} in self-play: leave out --opponents")
    learn(game, name, 60 * minutes, seed, out, restart, **more)
