"""The commands `serve` and `join`: Daihinmin over the competition's protocol."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from closedhand.cli import common
from closedhand.competitions.uecda import HOST, MOST_WAITING, PORT
from closedhand.core.game import InputError

PLACES = ("daifugo", "fugo", "heimin", "hinmin", "daihinmin")


def _per_round(gains: Sequence[Sequence[int]]) -> list[dict[str, float | None]]:
    """Estimate the points per round of each player, with 95% intervals over blocks, for JSON."""
    import numpy as np

    from closedhand.arena.results import rounded
    from closedhand.core.statistics import over_blocks

    return [rounded(estimate) for estimate in over_blocks(np.array(gains))] if gains else []


def _estimate(estimate: dict[str, float | None]) -> tuple[str, str]:
    """Write a mean and its interval."""
    from closedhand.arena.results import between

    return f"{estimate['mean']:.3f}", between(estimate, ".3f")


def _microseconds(seconds: float, decisions: int) -> float | None:
    """Compute the time per decision, rounded; None without decisions."""
    return round(1e6 * seconds / decisions, 3) if decisions else None


def _sample(rounds: int) -> str:
    """Describe the sample of the intervals."""
    from closedhand.core.statistics import count_blocks

    return f"95% intervals over {count_blocks(rounds)} blocks of rounds"


ROUNDS = 1000

Host = Annotated[str, typer.Option(help="Address of the server.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port of the server.")]
Rounds = Annotated[
    int | None,
    typer.Option(
        min=1, help="Number of rounds of the match.", show_default=f"{ROUNDS} or --config's"
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        help="Configuration file of the official server (tndhms.cfg): its rules, rounds and port; "
        "other options have precedence."
    ),
]
PortOrFile = Annotated[
    int | None,
    typer.Option(
        min=0, max=65535, help="Port of the server.", show_default=f"{PORT} or --config's"
    ),
]


Timeout = Annotated[
    float,
    typer.Option(help="Time limit of a client's decision, in seconds.", callback=common.positive),
]


def serve(
    agents: Annotated[
        str,
        typer.Option(
            help="One agent for all players, or five separated by commas; net stands for a client."
        ),
    ] = "net",
    rounds: Rounds = None,
    seed: Annotated[
        int | None,
        common.seed_option("Seed of the deals and of the agents; by default random and secret."),
    ] = None,
    rules: common.Rules = None,
    option: common.Options = None,
    config: Config = None,
    host: Host = HOST,
    port: PortOrFile = None,
    timeout: Timeout = 10.0,
    max_clients: Annotated[
        int, typer.Option(min=1, help="Most connections that have not yet sent a client's name.")
    ] = MOST_WAITING,
    fallback: Annotated[
        str, typer.Option(help="Agent that replaces a client that has left.")
    ] = "default",
    log: Annotated[Path | None, typer.Option(help="New file for the log of the match.")] = None,
    as_json: common.Json = False,
) -> None:
    """Serve a match of clients and agents as a UECda server (protocol 20070).

    A client that is too slow or plays illegally passes. An agent replaces a client that has
    disconnected, or is too slow three times in a row. Ctrl-C ends the match; the log holds all
    rounds that were played.

    Example: closedhand serve daihinmin --agents net,kou,default,default,default
    """
    from closedhand.competitions.uecda import config as files
    from closedhand.competitions.uecda.remote_players import Limits
    from closedhand.competitions.uecda.server import Server
    from closedhand.core.agent_spec import split_agents
    from closedhand.games.daihinmin.game import PRESETS

    read = files.read(config) if config else files.Config({})
    given = common.given_options("daihinmin", rules, option)
    # A preset of the command line has precedence, too: what it sets is not taken from the file.
    preset = PRESETS.get(given.get("rules", ""), {})
    options = {key: value for key, value in read.options.items() if key not in preset} | given
    if "rounds" in options:
        raise InputError("--rounds is the number of rounds: leave out --option rounds=…")
    if log:
        common.CLAIMS.files(log)  # only a new one: a log is never written over
    seed = secrets.randbelow(common.MOST_SEED) if seed is None else seed
    server = Server(
        split_agents(agents),
        rounds or read.rounds or ROUNDS,
        seed,
        host,
        next((each for each in (port, read.port) if each is not None), PORT),
        Limits(seconds=timeout, most_waiting=max_clients),
        fallback=fallback,
        log=log,
        note=common.note,
        **options,
    )
    where = ":".join(map(str, server.address))
    if server.clients:
        common.note(f"listening at {where}; waiting for clients: {server.clients}")
    early = common.interruptible("interrupted before all clients had connected")
    with early, common.progress_bar("rounds", server.rounds) as update:
        result = server.run(update)
    _show(result, options, seed, as_json)
    if log and not as_json:
        typer.echo(f"saved {log}")
    done = f"interrupted after {result.rounds} of {server.rounds} rounds"
    common.leave_if_interrupted(result.interrupted, done)


def _show(result: Any, options: dict[str, Any], seed: int, as_json: bool) -> None:
    """Print the result of a match."""
    means = _per_round(result.gains)
    times = [_microseconds(*each) for each in zip(result.seconds, result.decisions, strict=True)]
    if as_json:
        more = {"per_round": means, "microseconds_per_decision": times}
        kept = {name: value for name, value in vars(result).items() if name != "gains"}
        common.print_json({"game": "daihinmin", "seed": seed, "options": options, **kept, **more})
        return
    rows = []
    for player, name in enumerate(result.names):
        counted = (result.points, result.late, result.illegal)
        points, late, illegal = (str(each[player]) for each in counted)
        mean = _estimate(means[player]) if means else ("", "")
        spent = f"{times[player] or 0:.0f}"
        rows.append((str(player), points, *mean, spent, late, illegal, name, result.gone[player]))
    common.print_table(
        (">player", ">points", ">per round", ">95%", ">µs", ">late", ">illegal", "name",
         "lost its seat"),
        rows,
        f"daihinmin: {result.rounds} rounds, seed {seed}",
    )  # fmt: skip
    typer.echo(f"{_sample(result.rounds)}; µs per decision, with a client's connection")


def join(
    agent: Annotated[str, typer.Option(help="Agent that plays.")] = "default",
    name: Annotated[
        str | None, typer.Option(help="Name of the client; the agent's if absent.")
    ] = None,
    seed: Annotated[int, common.seed_option("Seed of the agent.")] = 0,
    rules: common.Rules = None,
    option: common.Options = None,
    host: Host = HOST,
    port: Port = PORT,
    as_json: common.Json = False,
) -> None:
    """Play with an agent as a client of a UECda server (protocol 20070).

    Give the rules and options that the server uses: the protocol does not transmit them.

    Example: closedhand join daihinmin --agent kou
    """
    from closedhand.competitions.uecda.client import Client

    options = common.given_options("daihinmin", rules, option)
    player = Client(agent, host, port, name, seed, **options)
    with common.progress_bar("rounds", None) as update:
        result = player.play(update)
    counts = [result.places.count(place) for place in range(len(PLACES))]
    means = _per_round([(len(PLACES) - place,) for place in result.places])
    spent = _microseconds(result.seconds, result.decisions)
    if as_json:
        data = {"player": result.player, "rounds": len(result.places), "points": result.points}
        data |= {"places": counts, "rejected": result.rejected, "complete": result.complete}
        data |= {"per_round": means[0] if means else None, "decisions": result.decisions}
        data |= {"seconds": result.seconds, "microseconds_per_decision": spent}
        common.print_json({"game": "daihinmin", "agent": agent, **data})
    else:
        rounds = len(result.places)
        mean = ", {} per round ({})".format(*_estimate(means[0])) if means else ""
        typer.echo(f"player_{result.player}: {result.points} points in {rounds} rounds{mean}")
        typer.echo(", ".join(f"{n} x {what}" for n, what in zip(counts, PLACES, strict=True)))
        typer.echo(f"{_sample(rounds)}; {spent or 0:.0f} µs per decision")
    common.leave_if_interrupted(not result.complete, "the match was not played to its end")
