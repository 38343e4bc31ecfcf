"""The commands `serve` and `join`: Daihinmin over the competition's protocol."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from closedhand.cli.common import (
    INTERRUPTED,
    Json,
    Options,
    Rules,
    Seed,
    claim_files,
    given_options,
    new_table,
    note,
    positive,
    print_json,
    progress_bar,
    seed_option,
)

PLACES = ("daifugo", "fugo", "heimin", "hinmin", "daihinmin")


Host = Annotated[str, typer.Option(help="Address of the server.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port of the server.")]
HOST, PORT = "127.0.0.1", 42485
MOST_WAITING = 32
"""As in `guests`, which is imported only when a match is served."""


def serve(
    agents: Annotated[
        str,
        typer.Option(
            help="One agent for all players, or five separated by commas; net stands for a client."
        ),
    ] = "net",
    rounds: Annotated[int, typer.Option(min=1, help="Number of rounds of the match.")] = 1000,
    seed: Seed = 0,
    rules: Rules = None,
    option: Options = None,
    host: Host = HOST,
    port: Port = PORT,
    timeout: Annotated[
        float,
        typer.Option(help="Time limit of a client's decision, in seconds.", callback=positive),
    ] = 10.0,
    max_clients: Annotated[
        int,
        typer.Option(min=1, help="Connections that may wait without having said who they are."),
    ] = MOST_WAITING,
    fallback: Annotated[
        str, typer.Option(help="Agent that replaces a client that has left.")
    ] = "default",
    log: Annotated[Path | None, typer.Option(help="New file for the log of the match.")] = None,
    as_json: Json = False,
) -> None:
    """Play a match of clients and agents as a UECda server (protocol 20070).

    A client that is too slow or plays illegally passes; one that has disconnected, or is too slow
    three times in a row, loses its seat to an agent. Ctrl-C ends the match; the log holds all
    rounds that were played.
    """
    from closedhand.core.agent_spec import split_agents
    from closedhand.games.daihinmin.uecda.server import Server

    options = given_options("daihinmin", rules, option)
    if log:
        claim_files(log)
    server = Server(
        split_agents(agents),
        rounds,
        seed,
        host,
        port,
        seconds=timeout,
        most_waiting=max_clients,
        fallback=fallback,
        log=log,
        note=note,
        **options,
    )
    where = ":".join(map(str, server.address))
    if server.clients:
        note(f"listening at {where}; waiting for clients: {server.clients}")
    try:
        with progress_bar("rounds", rounds) as update:
            result = server.run(update)
    except KeyboardInterrupt:
        note("interrupted before all clients had connected")
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        print_json({"game": "daihinmin", "seed": seed, "options": options, **vars(result)})
    else:
        table = new_table(f"daihinmin: {result.rounds} rounds, seed {seed}")
        for name in ("player", "name", "points", "per round", "late", "illegal", "lost its seat"):
            table.add_column(name, justify="left" if name in ("name", "lost its seat") else "right")
        for player, name in enumerate(result.names):
            points = result.points[player]
            mean = f"{points / result.rounds:.3f}" if result.rounds else ""
            counts = (str(result.late[player]), str(result.illegal[player]))
            table.add_row(str(player), name, str(points), mean, *counts, result.gone[player])
        Console().print(table)
        if log:
            typer.echo(f"saved {log}")
    if result.interrupted:
        note(f"interrupted after {result.rounds} of {rounds} rounds")
        raise typer.Exit(INTERRUPTED)


def join(
    agent: Annotated[str, typer.Option(help="Agent that plays.")] = "default",
    name: Annotated[
        str | None, typer.Option(help="Name of the client; the agent's if absent.")
    ] = None,
    seed: Annotated[int, seed_option("Seed of the agent.")] = 0,
    rules: Rules = None,
    option: Options = None,
    host: Host = HOST,
    port: Port = PORT,
    as_json: Json = False,
) -> None:
    """Let an agent play as a client of a UECda server (protocol 20070).

    Give the rules and options that the server uses: the protocol does not transmit them.
    """
    from closedhand.games.daihinmin.uecda.client import Client

    options = given_options("daihinmin", rules, option)
    player = Client(agent, host, port, name, seed, **options)
    with progress_bar("rounds", None) as update:
        result = player.play(update)
    counts = [result.places.count(place) for place in range(len(PLACES))]
    if as_json:
        data = {"player": result.player, "rounds": len(result.places), "points": result.points}
        data |= {"places": counts, "rejected": result.rejected, "complete": result.complete}
        print_json({"game": "daihinmin", "agent": agent, **data})
    else:
        rounds = len(result.places)
        mean = f", {result.points / rounds:.3f} per round" if rounds else ""
        typer.echo(f"player_{result.player}: {result.points} points in {rounds} rounds{mean}")
        typer.echo(", ".join(f"{n} x {what}" for n, what in zip(counts, PLACES, strict=True)))
    if not result.complete:
        note("the match was not played to its end")
        raise typer.Exit(INTERRUPTED)
