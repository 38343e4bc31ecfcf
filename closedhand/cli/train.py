"""The commands `train …`: a game to learn in, or a network to train on records."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from closedhand.cli.common import Options, Rules, bind, given_options, positive, underscored
from closedhand.commands import chinese_poker, leduc, self_play
from closedhand.commands.doudizhu import bids, networks, ppo
from closedhand.core.game import InputError
from closedhand.core.registry import GAMES

# What takes long to import is imported inside the commands, so that --help comes at once.


LEARNING = {
    "chinese_poker": (chinese_poker.learn, "fitted"),
    "daihinmin": (self_play.learn, "playouts"),
}
"""How games are learned in self-play, and the usual algorithm; Leduc's are many."""


class Trainings(TyperGroup):
    """Commands whose names may be written with underscores, as games are."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name.

        Raises:
            InputError: There is none.
        """
        found = super().get_command(ctx, cmd_name.replace("_", "-"))
        if found is None:
            names = ", ".join(self.list_commands(ctx))
            raise InputError(f"no game {cmd_name!r} to train; there are {names}")
        return found


app = typer.Typer(
    cls=Trainings,
    help="Train an agent: in play of a game, or a network on records of games.",
    no_args_is_help=True,
)


def train_game(
    context: typer.Context,
    out: Annotated[Path, typer.Option(help="Folder for the model; resumed if it holds one.")],
    minutes: Annotated[
        float, typer.Option(help="How long; more of it when resumed.", callback=positive)
    ] = 3.0,
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="Dou Dizhu: ppo or decompose; Leduc: ppo, q-learning, mmd, mccfr and other "
            "solvers; Chinese Poker: fitted or blog; Daihinmin: playouts."
        ),
    ] = None,
    opponents: Annotated[
        str | None,
        typer.Option(help="Dou Dizhu: agents, with commas between; random,rule if absent."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of deals, opponents and network.")] = 0,
    restart: Annotated[bool, typer.Option("--restart", help="Do not resume.")] = False,
    rules: Rules = None,
    option: Options = None,
) -> None:
    """Train an agent, by default with MaskablePPO; Ctrl-C saves and stops.

    Dou Dizhu's plays against the named opponents, or tunes the weights of `decompose` in
    self-play; Leduc's plays against itself. Chinese Poker's is a table of chances to win, fitted in
    self-play, as are the weights of Daihinmin's playouts.
    """
    bound = bind(underscored(context.command.name) or "", rules, option)
    if bound.name != "doudizhu" or algorithm not in (None, "ppo"):
        if opponents is not None:
            raise InputError("it is learned in self-play: there are no opponents")
        usual = (self_play.learn if bound.name == "doudizhu" else leduc.learn, "ppo")
        learn, usual_algorithm = LEARNING.get(bound.name, usual)
        learn(bound, algorithm or usual_algorithm, 60 * minutes, seed, out, restart)
        return
    given = {key: bound.options[key] for key in given_options(rules, option)}
    given.pop("substeps", None)
    ppo.learn(bound, "ppo", 60 * minutes, seed, out, restart, opponents, **given)


for name in GAMES:
    app.command(name.replace("_", "-"))(train_game)
for name in ("policy-net", "kicker-net"):
    app.command(name)(networks.network)
app.command("self-play")(networks.self_play)
app.command("bids")(bids.bids)
app.command("bid-net")(bids.bid_net)
