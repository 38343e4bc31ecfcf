"""The commands `train …`: one for each game, and those that games add.

`train GAME` calls the trainer of the algorithm, from `EVERYWHERE` or `GameSpec.trainers`.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from closedhand.cli import common
from closedhand.cli.groups import Group, click_command, completed
from closedhand.core.game import InputError
from closedhand.core.options import Options, options_of
from closedhand.core.registry import GAMES, GameSpec, Ref, load, spec_of
from closedhand.core.threads import MOST_THREADS

EVERYWHERE: dict[str, Ref] = {
    "ppo": "closedhand.cli.learn:learn_on_devices",
    "dmc": "closedhand.cli.learn:learn_on_devices",
    "imitation": "closedhand.cli.learn:imitate",
    "maskable-ppo": "closedhand.cli.learn:learn",
}
"""Trainers of every game by algorithm."""
TASK = ("game", "algorithm", "seconds", "seed", "folder", "restart")
"""Parameters that every trainer takes first; further ones are options of the command."""


def trainers_of(spec: GameSpec) -> dict[str, Ref]:
    """Return the trainers of a game by algorithm: those of every game first, then its own."""
    return {**EVERYWHERE, **spec.trainers}


def options_of_trainer(spec: GameSpec, algorithm: str) -> Options:
    """Return the table of the options of a game's trainer."""
    return options_of(load(trainers_of(spec)[algorithm]), algorithm, skip=len(TASK))


class Trainings(Group):
    """A command for every game, and the training commands that games add."""

    def list_commands(self, ctx: Any) -> list[str]:
        """List the names of all commands."""
        games = [spec.command_name for spec in GAMES.values()]
        return [*games, *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a game, or a command that a game adds."""
        spec = GAMES.get(cmd_name.replace("-", "_"))
        if spec is None:
            return super().get_command(ctx, cmd_name)
        command = completed(click_command(train_game, spec.command_name, help_of(spec)))
        group_options(command, spec)
        return command


def help_of(spec: GameSpec) -> str:
    """Write the help of the command that trains agents of a game."""
    own = f" This game's own learners are {', '.join(spec.trainers)}." if spec.trainers else ""
    return (
        f"Train an agent of {spec.title}; Ctrl-C saves and stops, the same command resumes.\n\n"
        f"{', '.join(EVERYWHERE)} learn every game, and write a folder that the agent "
        f"learned:FOLDER plays.{own} `closedhand show settings LEARNER` lists what --set takes.\n\n"
        f"Example: closedhand train {spec.command_name} --steps 200000 --out runs/{spec.name}"
    )


def group_options(command: Any, spec: GameSpec) -> None:
    """Group a command's options by the learners that take them; hide options that none takes."""
    tables = {name: options_of_trainer(spec, name) for name in trainers_of(spec)}
    for parameter in command.params:
        if parameter.name in OF_LEARNERS:
            takers = [name for name, table in tables.items() if parameter.name in table]
            shown = EVERYWHERE if EVERYWHERE.keys() & takers else spec.trainers
            parameter.rich_help_panel = f"Options of {', '.join(shown)}"
            parameter.hidden = not takers
            if takers != list(shown):
                parameter.help += f" For {', '.join(takers)}."


app = typer.Typer(
    cls=Trainings,
    help="Train an agent by playing a game, or a network on records of games.",
    no_args_is_help=True,
)
app.callback()(lambda: None)


OF_LEARNERS = (
    "opponents", "against", "steps", "threads", "records", "expert", "device", "ray", "setting",
    "start",
)  # fmt: skip
"""Options that only some learners take."""


def train_game(
    context: typer.Context,
    out: common.PathOption,
    minutes: common.Minutes = 3.0,
    algorithm: str = "ppo",
    opponents: str | None = None,
    against: str | None = None,
    steps: common.NumberOrNone = None,
    threads: Annotated[int | None, typer.Option(min=1, max=MOST_THREADS)] = None,
    records: Path | None = None,
    expert: str | None = None,
    device: str | None = None,
    ray: common.Ray = None,
    setting: common.Settings = None,
    start: Annotated[Path | None, typer.Option("--from")] = None,
    seed: common.Seed = 0,
    restart: common.Restart = False,
    rules: common.Rules = None,
    option: common.Options = None,
) -> None:
    """Train an agent; the help of a game's command is that of `help_of`.

    Options:
        out: Folder for the model; training resumes if it holds one.
        minutes: Minutes to train, in addition to those before a resumption.
        algorithm: One of the learners.
        opponents: Opponents in training, separated by commas: agents, self, or pool for earlier
            copies of the learner; the default depends on the algorithm, mostly self.
        against: Agents of the evaluations in training, separated by commas.
        steps: Total number of decisions to learn from, instead of --minutes.
        threads: Threads of the learner; 1 if absent.
        records: Records to learn from, a file or a folder.
        expert: Agent whose moves to learn; without --records it plays.
        device: cpu, cuda, or auto: a GPU if the training can run on it; GPUs take other settings.
        start: File of a model to start from; it is not changed.
        seed: Seed of everything random.
    """
    values = locals()
    given = {name: values[name] for name in OF_LEARNERS if values[name] is not None}
    game = common.bind((context.command.name or "").replace("-", "_"), rules, option)
    spec = spec_of(game.name)
    if algorithm not in trainers_of(spec):
        known = ", ".join(trainers_of(spec))
        raise InputError(f"no algorithm {algorithm!r} for {game.name}; there are {known}")
    taken = options_of_trainer(spec, algorithm)
    for name in given:
        if name not in taken:
            word = next(each.opts[0] for each in context.command.params if each.name == name)
            raise InputError(f"{algorithm} of {game.name} has no such option: leave out {word}")
    if "given" in taken:  # the trainer needs the game's options as given, without defaults
        given["given"] = common.given_options(game.name, rules, option)
    trainer = load(trainers_of(spec)[algorithm])
    trainer(game, algorithm, 60 * minutes, seed, out, restart, **taken.read(given))
