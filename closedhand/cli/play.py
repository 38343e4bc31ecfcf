"""The commands `match` and `play`."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from closedhand.cli.common import (
    GameName,
    Json,
    Options,
    Rules,
    bind,
    claim_files,
    given_options,
    interruptible,
    leave_if_interrupted,
    new_table,
    note,
    print_json,
    progress_bar,
    save_picture,
    seed_option,
    slug,
)
from closedhand.core.game import Game, InputError

# Slow imports are made inside the commands, so that --help is fast.


NOTHING = "interrupted before any more deals were finished; nothing more is saved"


def match(
    game: GameName,
    agents: Annotated[
        str,
        typer.Option(
            help="Two or more agents, separated by commas; in a league one for each seat, "
            "the last one for all seats that are left."
        ),
    ],
    deals: Annotated[
        int | None,
        typer.Option(min=1, help="Number of deals, each played at every seating; 1000 if absent."),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(min=1, help="Number of rounds of a league; 1000 if absent."),
    ] = None,
    duplicate: Annotated[
        bool,
        typer.Option(
            "--duplicate",
            help="A league that replays each deal with the agents rotated through all seats.",
        ),
    ] = False,
    seed: Annotated[int, seed_option("Seed of the deals and of the agents.")] = 0,
    rules: Rules = None,
    option: Options = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of processes; all cores if absent, one with a search by the clock."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="JSON file for the results; the picture is saved beside it.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the match that the file holds.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Play a duplicate match, or a league, and show points with 95% intervals.

    In a match two agents at a time play every deal at every seating. In a league all agents sit at
    one table; some games are always played as leagues, and any game of three or more sides can be.
    If the rounds of a game carry over, a deal is a match of rounds, with --duplicate one round.

    Saves the results as JSON, in runs/ if --out names no file, and a picture of them beside it.
    """
    from closedhand.core.agent_spec import split_agents
    from closedhand.core.registry import spec_of

    given = [f"{key} {value}" for key, value in given_options(game, rules, option).items()]
    is_league = spec_of(game).league or rounds is not None or duplicate
    kind = ["league", *["duplicate"] * duplicate] if is_league else ["match"]
    path = out or Path("runs") / (slug(" ".join([*kind, game, *given, agents])) + ".json")
    names = split_agents(agents)
    claim_files(path, _picture_of(path))
    if is_league:
        options = given_options(game, rules, option)
        _league(
            game, options, names, deals, rounds, duplicate, seed, workers, path, resume, as_json
        )
    else:
        bound = bind(game, rules, option)
        _match(bound, names, deals or 1000, seed, workers, path, resume, as_json)


def _picture_of(path: Path) -> Path:
    """Path of the picture of the results in a file."""
    return path.parent / f"{path.stem}.png"


def _processes(game: Game, names: list[str], workers: int | None) -> int:
    """Number of processes: the number given, else 1 with a search by the clock, else all cores."""
    from closedhand.arena.match import is_clocked
    from closedhand.core.threads import cores

    return workers or (1 if is_clocked(game, names) else cores())


def _match(
    game: Game,
    names: list[str],
    deals: int,
    seed: int,
    workers: int | None,
    path: Path,
    resume: bool,
    as_json: bool,
) -> None:
    from closedhand.arena import match as arena, results
    from closedhand.arena.plot import plot_match

    number = _processes(game, names, workers)
    played = results.load(path, game, names, seed) if resume else None

    def save(match: arena.Match) -> None:
        results.save(path, results.summary(match))

    with interruptible(NOTHING), progress_bar("deals", deals) as update:
        result = arena.play(game, names, deals, seed, number, played, update, save)
    data = results.summary(result)
    _finish(data, path, plot_match, show_match, as_json)
    leave_if_interrupted(
        result.interrupted,
        f"interrupted after {result.deals} of {deals} deals; continue with --resume",
    )


def _league(
    name: str,
    options: dict[str, Any],
    names: list[str],
    deals: int | None,
    rounds: int | None,
    duplicate: bool,
    seed: int,
    workers: int | None,
    path: Path,
    resume: bool,
    as_json: bool,
) -> None:
    from closedhand.arena import league, results
    from closedhand.arena.plot import plot_league

    if deals is not None and (rounds is not None or not duplicate):
        raise InputError("a league takes --rounds, or with --duplicate --deals in their place")
    wanted = rounds or 1000
    game = league.bind(name, options, wanted, duplicate)
    share = league.rounds_per_deal(game, duplicate)
    deals = deals or math.ceil(wanted / share)
    seated = league.seat_all(game, names)
    number = _processes(game, names, workers)
    played = league.load(path, game, names, seed, duplicate) if resume else None
    if len(seated) > len(names):
        note(f"{names[-1]} takes {len(seated) - len(names) + 1} seats")
    if deals * share != (rounds or deals * share):
        note(f"playing {deals * share} rounds, in deals of {share}")

    def save(played: league.League) -> None:
        results.save(path, league.summary(played))

    with interruptible(NOTHING), progress_bar("rounds", deals * share) as update:
        result = league.play(
            game,
            names,
            deals,
            seed,
            duplicate,
            number,
            played,
            lambda done: update(done * share),
            save,
        )
    data = league.summary(result)
    _finish(data, path, plot_league, show_league, as_json)
    done = f"{result.deals * share} of {deals * share} rounds"
    leave_if_interrupted(result.interrupted, f"interrupted after {done}; continue with --resume")


def _finish(
    data: dict[str, Any],
    path: Path,
    plot: Callable[[Any, Path], None],
    show: Callable[[dict[str, Any]], None],
    as_json: bool,
) -> None:
    """Save results and a picture of them, and print them."""
    from closedhand.arena import results

    results.save(path, data)
    picture = save_picture(plot, data, _picture_of(path))
    if as_json:
        print_json(data)
    else:
        show(data)
        typer.echo(f"saved {path}" + (f" and {picture}" if picture else ""))


def play(
    game: GameName,
    agents: Annotated[
        str | None,
        typer.Option(
            help="One agent for all other seats, or one for each, separated by commas; "
            "a good one if absent."
        ),
    ] = None,
    seat: Annotated[int, typer.Option(help="Your seat.")] = 0,
    seed: Annotated[int | None, seed_option("Seed of the deal; random if absent.")] = None,
    deal: Annotated[str | None, typer.Option(help="Deal in the game's notation.")] = None,
    hint: Annotated[
        str | None, typer.Option(help="Agent that gives hints; the first agent if absent.")
    ] = None,
    rules: Rules = None,
    option: Options = None,
) -> None:
    """Play in the terminal against agents."""
    import numpy as np

    from closedhand.arena import play as table
    from closedhand.core.agent_spec import split_agents
    from closedhand.core.agents import make_agent
    from closedhand.core.registry import spec_of

    bound = bind(game, rules, option)
    if seed is None:
        seed = int(np.random.default_rng().integers(2**31))
    names = split_agents(agents or spec_of(bound.name).opponent)
    if len(names) == 1:
        names *= bound.num_players - 1
    others = [make_agent(bound, name, seed + i) for i, name in enumerate(names, 1)]
    adviser = make_agent(bound, hint or names[0], seed)
    session = table.Session(bound, table.start(bound, deal, seed), seat, others, adviser)
    typer.echo(f"{game} against {', '.join(names)}, --seed {seed}")
    table.run(session, input, typer.echo)


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
            f"{first} minus {second} on the same deals: {gap['mean']:+.3f} points per game "
            f"({gap['low']:+.3f} to {gap['high']:+.3f})"
        )
        times = zip((first, second), pair["microseconds_per_decision"], strict=True)
        console.print("; ".join(f"{name} {time} µs per decision" for name, time in times))


def show_league(data: dict[str, Any]) -> None:
    """Print the results of a league as tables."""
    from closedhand.arena.results import shortened

    console = Console()
    how = "each deal at all seats, " if data["duplicate"] else ""
    console.print(f"{data['game']}: {data['rounds']:,} rounds, {how}seed {data['seed']}")
    table = new_table()
    table.add_column("agent")
    for name in ("points", "95%", *_ordinals(len(data["results"])), "µs"):
        table.add_column(name, justify="right")
    for row in sorted(data["results"], key=lambda row: -row["points"]["mean"]):
        table.add_row(
            shortened(row["agent"]),
            f"{row['points']['mean']:.3f}",
            interval(row["points"]),
            *(f"{100 * share:.0f}%" for share in row["places"]),
            f"{row['microseconds_per_decision'] or 0:.1f}",
        )
    console.print(table)
    for gap in data["differences"]:
        first, second = map(shortened, gap["agents"])
        console.print(
            f"{first} minus {second}: {gap['mean']:+.3f} per round ({interval(gap, '+')})"
        )
    over = f"{data['blocks']} blocks of rounds" if data["blocks"] else f"{data['deals']} deals"
    console.print(f"points per round; intervals over {over}; µs per decision")


def interval(estimate: dict[str, Any], sign: str = "") -> str:
    """The interval of an estimate as text, or a hyphen if there is none."""
    if estimate["low"] is None:
        return "-"
    return f"{estimate['low']:{sign}.3f} to {estimate['high']:{sign}.3f}"


def _ordinals(number: int) -> list[str]:
    return [f"{i}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(i, 'th') }" for i in range(1, number + 1)]
