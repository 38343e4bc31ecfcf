"""The commands `train …`: one for each game with a trainer, and those that games add."""

from pathlib import Path
from typing import Annotated, Any

import typer

from closedhand.cli.common import (
    Options,
    Ray,
    Restart,
    Rules,
    bind,
    given_options,
    positive,
    seed_option,
    underscored,
)
from closedhand.cli.groups import Group, click_command, with_overwrite
from closedhand.core.game import InputError
from closedhand.core.options import options_of
from closedhand.core.registry import GAMES, GameSpec, Ref, load, spec_of
from closedhand.core.threads import MOST_THREADS

# Slow imports are made inside the commands, so that --help is fast.


EVERYWHERE: dict[str, Ref] = {
    "ppo": "closedhand.cli.learn:learn_on_devices",
    "dmc": "closedhand.cli.learn:learn_by_playing",
    "imitation": "closedhand.cli.learn:imitate",
    "maskable-ppo": "closedhand.cli.learn:learn",
}
"""Trainers of every game by algorithm."""


def trainers_of(spec: GameSpec) -> dict[str, Ref]:
    """Return the trainers of a game by algorithm: those of every game first, then its own."""
    return {**EVERYWHERE, **spec.trainers}


class Trainings(Group):
    """A command for every game, and the training commands that games add."""

    verb = "train"

    def list_commands(self, ctx: Any) -> list[str]:
        """List the names of all commands."""
        games = [spec.command_name for spec in GAMES.values()]
        return [*games, *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a name.

        Raises:
            InputError: There is no such command.
        """
        spec = GAMES.get(underscored(cmd_name) or "")
        if spec is None:
            return super().get_command(ctx, cmd_name)
        help = f"Train an agent of {spec.title}: {', '.join(trainers_of(spec))}."
        return with_overwrite(click_command(train_game, spec.command_name, help))


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
            help="Minutes to train, in addition to those before a resumption.", callback=positive
        ),
    ] = 3.0,
    algorithm: Annotated[str, typer.Option(help="One of the game's algorithms.")] = "ppo",
    opponents: Annotated[
        str | None,
        typer.Option(
            help="Opponents in training, separated by commas: agents, self, or pool for earlier "
            "copies of the learner; the default depends on the algorithm, mostly self."
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(help="Agents of the evaluations during training, separated by commas."),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(min=1, help="Total number of decisions to learn from, instead of --minutes."),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_THREADS, help="Threads of the learner; 1 if absent."),
    ] = None,
    records: Annotated[
        Path | None, typer.Option(help="Imitation: records to learn from, a file or a folder.")
    ] = None,
    expert: Annotated[
        str | None,
        typer.Option(help="Imitation: agent whose moves to learn; without --records it plays."),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            help="ppo: cpu, cuda, or auto for a GPU if there is one; its settings are others."
        ),
    ] = None,
    ray: Ray = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="A setting of the algorithm; may be repeated."
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option("--from", help="File of a model to start from; it is not changed."),
    ] = None,
    seed: Annotated[int, seed_option("Seed of everything random.")] = 0,
    restart: Restart = False,
    rules: Rules = None,
    option: Options = None,
) -> None:
    """Train an agent; Ctrl-C saves and stops.

    ppo, dmc, imitation and maskable-ppo learn every game, and write a folder that the agent
    learned:FOLDER plays; `closedhand show settings ALGORITHM` lists what --set takes for these.
    """
    game = bind(underscored(context.command.name) or "", rules, option)
    trainers = trainers_of(spec_of(game.name))
    if algorithm not in trainers:
        known = ", ".join(trainers)
        raise InputError(f"no algorithm {algorithm!r} for {game.name}; there are {known}")
    trainer = load(trainers[algorithm])
    # Every trainer takes these; its parameters after them are its options.
    task = (game, algorithm, 60 * minutes, seed, out, restart)
    taken = options_of(trainer, algorithm, skip=len(task))
    words = {"opponents": opponents, "against": against, "steps": steps, "threads": threads,
             "records": records, "expert": expert, "ray": ray, "setting": setting,
             "start": start, "device": device}  # fmt: skip
    if "given" in taken:
        words["given"] = given_options(game.name, rules, option)
    given = {name: value for name, value in words.items() if value is not None}
    for name in given:
        if name not in taken:
            word = next(each.opts[0] for each in context.command.params if each.name == name)
            raise InputError(f"{algorithm} of {game.name} takes none: leave out {word}")
    trainer(*task, **taken.read(given))
