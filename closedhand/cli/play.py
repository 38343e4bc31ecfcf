"""The commands `match`, `play` and `train`."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from closedhand.cli import chinese_poker, leduc
from closedhand.cli.common import (
    INTERRUPTED,
    GameName,
    Json,
    Options,
    Rules,
    bind,
    given_options,
    make_folder,
    new_table,
    note,
    positive,
    print_json,
    progress_bar,
    save_picture,
    slug,
)
from closedhand.games.game import InputError

# What takes long to import is imported inside the commands, so that --help comes at once.


def match(
    game: GameName,
    agents: Annotated[str, typer.Option(help="Two or more agents, with commas between.")],
    deals: Annotated[
        int, typer.Option(min=1, help="Deals; each is played at every seating.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Of deals and agents.")] = 0,
    rules: Rules = None,
    option: Options = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; all cores if absent.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="JSON file for the results; the picture lies beside it.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the match that the file holds.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Play a duplicate match and show points and win rates by role, with 95% intervals.

    Saves the results as JSON, in runs/ if --out names no file, and a picture of them beside it.
    """
    from closedhand.arena import match as arena, results
    from closedhand.arena.plot import plot_match
    from closedhand.baselines.threads import cores

    bound = bind(game, rules, option)
    names = agents.split(",")
    given = [f"{key} {value}" for key, value in given_options(rules, option).items()]
    path = out or Path("runs") / (slug(" ".join(["match", game, *given, agents])) + ".json")
    make_folder(path.parent)
    played = results.load(path, bound, names, seed) if resume else None
    try:
        with progress_bar("deals", deals) as update:
            result = arena.play(bound, names, deals, seed, workers or cores(), played, update)
    except KeyboardInterrupt:
        note("interrupted before any deals were finished; nothing is saved")
        raise typer.Exit(INTERRUPTED) from None
    data = results.summary(result)
    results.save(path, data)
    picture = save_picture(plot_match, data, path.with_suffix(".png"))
    if as_json:
        print_json(data)
    else:
        show_match(data)
        typer.echo(f"saved {path}" + (f" and {picture}" if picture else ""))
    if result.interrupted:
        note(f"interrupted after {result.deals} of {deals} deals; go on with --resume")
        raise typer.Exit(INTERRUPTED)


def play(
    game: GameName,
    agents: Annotated[
        str | None,
        typer.Option(
            help="One agent for all other seats, or one for each, with commas; "
            "a good one if absent."
        ),
    ] = None,
    seat: Annotated[int, typer.Option(help="Yours.")] = 0,
    seed: Annotated[int | None, typer.Option(min=0, help="Shuffles; random if absent.")] = None,
    deal: Annotated[str | None, typer.Option(help="A deal in the game's notation.")] = None,
    hint: Annotated[
        str | None, typer.Option(help="Gives the hints; the first agent if absent.")
    ] = None,
    rules: Rules = None,
    option: Options = None,
) -> None:
    """Play in the terminal against agents."""
    import numpy as np

    from closedhand.arena import play as table
    from closedhand.games.agents import make_agent

    bound = bind(game, rules, option)
    if seed is None:
        seed = int(np.random.default_rng().integers(2**31))
    names = (agents or table.OPPONENTS[bound.name]).split(",")
    if len(names) == 1:
        names *= bound.num_players - 1
    others = [make_agent(bound, name, seed + i) for i, name in enumerate(names, 1)]
    adviser = make_agent(bound, hint or names[0], seed)
    session = table.Session(bound, table.start(bound, deal, seed), seat, others, adviser)
    typer.echo(f"{game} against {', '.join(names)}, --seed {seed}")
    table.run(session, input, typer.echo)


def train(
    game: GameName,
    out: Annotated[Path, typer.Option(help="Folder for the model; resumed if it holds one.")],
    minutes: Annotated[
        float, typer.Option(help="How long; more of it when resumed.", callback=positive)
    ] = 3.0,
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="ppo; for Leduc also q-learning, mmd, mccfr and other solvers; for Chinese Poker "
            "fitted or blog."
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

    Dou Dizhu's plays against the named opponents, Leduc's against itself. Chinese Poker's is a
    table of chances to win, fitted in self-play.
    """
    bound = bind(game, rules, option)
    if bound.name != "doudizhu":
        if opponents is not None:
            raise InputError(f"{bound.name} is learned in self-play: there are no opponents")
        learn = chinese_poker.learn if bound.name == "chinese_poker" else leduc.learn
        usual = "fitted" if bound.name == "chinese_poker" else "ppo"
        learn(bound, algorithm or usual, 60 * minutes, seed, out, restart)
        return
    if algorithm not in (None, "ppo"):
        raise InputError(f"no algorithm {algorithm!r} for {bound.name}; there is ppo")
    try:
        from closedhand.baselines.doudizhu import ppo
    except ModuleNotFoundError as error:
        raise InputError(f"no module {error.name}: pip install 'closedhand[train]'") from None
    given = {key: bound.options[key] for key in given_options(rules, option)}
    given.pop("substeps", None)
    against = (opponents or "random,rule").split(",")
    path = ppo.train(out, minutes, against, seed=seed, restart=restart, **given)
    typer.echo(f"saved {path}: play it as the agent ppo:{path}")


def show_match(data: dict[str, Any]) -> None:
    """Print match results as tables."""
    from closedhand.arena.results import shortened

    console = Console()
    for pair in data["pairs"]:
        first, second = map(shortened, pair["agents"])
        title = f"{data['game']}: {first} v {second}, {data['deals']} deals, seed {data['seed']}"
        table = new_table(title)
        for name in ("agent", "role"):
            table.add_column(name)
        for name in ("win rate", "95%", "points", "95%"):
            table.add_column(name, justify="right")
        for row in pair["results"]:
            wins, points = row["win_rate"], row["points"]
            table.add_row(
                shortened(row["agent"]),
                row["role"],
                f"{wins['mean']:.3f}",
                f"{wins['low']:.3f} to {wins['high']:.3f}",
                f"{points['mean']:+.3f}",
                f"{points['low']:+.3f} to {points['high']:+.3f}",
            )
        console.print(table)
        gap = pair["difference"]["all"]
        console.print(
            f"{first} less {second} on the same deals: {gap['mean']:+.3f} points a game "
            f"({gap['low']:+.3f} to {gap['high']:+.3f})"
        )
        times = zip((first, second), pair["microseconds_per_decision"], strict=True)
        console.print("; ".join(f"{name} {time} µs a decision" for name, time in times))
