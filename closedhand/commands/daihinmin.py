"""Commands of Daihinmin: the competition's protocol, the kou paper, and the trainers."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from closedhand.arena.results import microseconds, rounded
from closedhand.cli import common
from closedhand.cli.reproduce import Only, Out, Quick, computed, show_report
from closedhand.commands.self_play import fitting
from closedhand.competitions.uecda import HOST, MOST_WAITING, PORT
from closedhand.core.file_kinds import CHECKPOINT, PICTURE, FileKind, begun
from closedhand.core.game import Game, InputError
from closedhand.core.registry import make_game
from closedhand.core.statistics import Estimate, count_blocks, over_blocks

ROUNDS = 1000

Host = Annotated[str, typer.Option(help="Address of the server.")]


def _per_round(gains: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """Estimate points per round by player, with 95% intervals over blocks; [] without any round."""
    return [rounded(estimate) for estimate in over_blocks(np.array(gains))] if gains else []


def _sample(rounds: int) -> str:
    return f"95% intervals over {count_blocks(rounds)} blocks of rounds"


def serve(
    agents: str = "net",
    rounds: Annotated[
        int | None, typer.Option(min=1, show_default=f"{ROUNDS} or --config's")
    ] = None,
    seed: common.SeedOrNone = None,
    rules: common.Rules = None,
    option: common.Options = None,
    config: Path | None = None,
    host: Host = HOST,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, show_default=f"{PORT} or --config's")
    ] = None,
    timeout: common.Positive = 10.0,
    max_clients: common.Number = MOST_WAITING,
    fallback: str = "default",
    log: Path | None = None,
    as_json: common.Json = False,
) -> None:
    """Serve a match of clients and agents as a UECda server (protocol 20070).

    A client that is too slow or plays illegally passes. An agent replaces a client that has
    disconnected, or is too slow three times in a row. Ctrl-C ends the match; the log holds all
    rounds that were played.

    Example: closedhand serve daihinmin --agents net,kou,default,default,default

    Options:
        agents: One agent for all players, or five separated by commas; net stands for a client.
        rounds: Number of rounds of the match.
        seed: Seed of the deals and of the agents; by default random and secret.
        config: Configuration file of the official server (tndhms.cfg): its rules, rounds and port;
            other options have precedence.
        port: Port of the server.
        timeout: Time limit of a client's decision, in seconds.
        max_clients: Most connections that have not yet sent a client's name.
        fallback: Agent that replaces a client that has left.
        log: New file for the log of the match.
    """
    from closedhand.competitions.uecda.remote_players import Limits
    from closedhand.competitions.uecda.server import Server, read_config
    from closedhand.core.agent_spec import split_agents
    from closedhand.games.daihinmin.game import PRESETS

    read = read_config(config) if config else {}
    usual_rounds, usual_port = read.pop("rounds", ROUNDS), read.pop("port", PORT)
    given = common.given_options("daihinmin", rules, option)
    # A preset of the command line has precedence, too: what it sets is not taken from the file.
    preset = PRESETS.get(given.get("rules", ""), {})
    options = {key: value for key, value in read.items() if key not in preset} | given
    if "rounds" in options:
        raise InputError("--rounds is the number of rounds: leave out --option rounds=…")
    if log:
        common.CLAIMS.files(log)  # enough: the server refuses a file that is not empty
    seed = secrets.randbelow(common.MOST_SEED) if seed is None else seed
    server = Server(
        split_agents(agents),
        rounds or usual_rounds,
        seed,
        host,
        usual_port if port is None else port,
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
    """Print the result of a match, a `competitions.uecda.table.Result`."""
    means = _per_round(result.gains)
    times = [microseconds(*each) for each in zip(result.seconds, result.decisions, strict=True)]
    if as_json:
        more = {"per_round": means, "microseconds_per_decision": times}
        kept = {name: value for name, value in vars(result).items() if name != "gains"}
        common.print_json({"game": "daihinmin", "seed": seed, "options": options, **kept, **more})
        return
    rows = [
        (
            str(player), str(result.points[player]),
            *(Estimate(**means[player]).cells(".3f") if means else ("", "")),
            f"{times[player] or 0:.0f}", str(result.late[player]), str(result.illegal[player]),
            name, result.gone[player],
        )
        for player, name in enumerate(result.names)
    ]  # fmt: skip
    common.print_table(
        (">player", ">points", ">per round", ">95%", ">µs", ">late", ">illegal", "name",
         "lost its seat"),
        rows,
        f"daihinmin: {result.rounds} rounds, seed {seed}",
    )  # fmt: skip
    typer.echo(f"{_sample(result.rounds)}; µs per decision, with a client's connection")


def join(
    agent: str = "default",
    name: str | None = None,
    seed: common.Seed = 0,
    rules: common.Rules = None,
    option: common.Options = None,
    host: Host = HOST,
    port: Annotated[int, typer.Option(min=0, max=65535)] = PORT,
    as_json: common.Json = False,
) -> None:
    """Play with an agent as a client of a UECda server (protocol 20070).

    Give the rules and options that the server uses: the protocol does not transmit them.

    Example: closedhand join daihinmin --agent kou

    Options:
        agent: Agent that plays.
        name: Name of the client; the agent's if absent.
        seed: Seed of the agent.
        port: Port of the server.
    """
    from closedhand.competitions.uecda.client import Client
    from closedhand.games.daihinmin.state import CLASSES

    options = common.given_options("daihinmin", rules, option)
    player = Client(agent, host, port, name, seed, **options)
    with common.progress_bar("rounds", None) as update:
        result = player.play(update)
    counts = [result.places.count(place) for place in range(len(CLASSES))]
    means = _per_round([(len(CLASSES) - place,) for place in result.places])
    spent = microseconds(result.seconds, result.decisions)
    rounds = len(result.places)
    unknown = result.rounds - rounds
    if as_json:
        data = {"player": result.player, "rounds": rounds, "points": result.points}
        data |= {"places": counts, "unknown_places": unknown}
        data |= {"rejected": result.rejected, "complete": result.complete}
        data |= {"per_round": means[0] if means else None, "decisions": result.decisions}
        data |= {"seconds": result.seconds, "microseconds_per_decision": spent}
        common.print_json({"game": "daihinmin", "agent": agent, **data})
    else:
        mean = ", {} per round ({})".format(*Estimate(**means[0]).cells(".3f")) if means else ""
        typer.echo(f"player_{result.player}: {result.points} points in {rounds} rounds{mean}")
        typer.echo(", ".join(f"{n} x {what}" for n, what in zip(counts, CLASSES, strict=True)))
        typer.echo(f"{_sample(rounds)}; {spent or 0:.0f} µs per decision")
        if unknown:
            typer.echo(f"rounds without a known place, ended by passes: {unknown}")
    common.leave_if_interrupted(not result.complete, "the match was not played to its end")


def reproduce(
    out: Out = Path("runs/kou"),
    only: Only = None,
    quick: Quick = False,
    rounds: Annotated[int | None, typer.Option(min=100)] = None,
    search_rounds: Annotated[int | None, typer.Option(min=100)] = None,
    seed: common.Seed = 0,
    workers: common.Workers = None,
    as_json: common.Json = False,
) -> None:
    """Reproduce Tables 1 to 6 and Figures 1 and 2 of the paper on kou, UECda-2014's light champion.

    Sections are table-1 to table-6, sweep (over the threshold), and budget (strength of a search by
    its simulations). Takes more than an hour. With --quick leagues have 1,000 rounds, 100 if agents
    search, and Tables 3 to 6 are against `default` only. Ctrl-C stops; the same command resumes.

    Example: closedhand reproduce kou --only table-1 --quick

    Options:
        rounds: Rounds of each league, a multiple of 100; 10,000 if absent.
        search_rounds: Rounds of the leagues with agents that search, a multiple of 100; 900 if
            absent.
    """
    from closedhand.core.threads import cores
    from closedhand.papers.kou import report, reproduction

    results = computed(
        reproduction, out, quick, only, dict.fromkeys(report.PICTURES, PICTURE), rounds=rounds,
        search_rounds=search_rounds, seed=seed, workers=workers or cores(),
    )  # fmt: skip
    common.save_picture(report.pictures, results, out)
    show_report(out, report.report(results), results, as_json, only)


POLICY = "closedhand.agents.daihinmin.policy"

learn_playouts = fitting(f"{POLICY}.light_training:TASK", "monte-carlo:2000:")
learn_policy = fitting(f"{POLICY}.pattern_training:TASK", "policy:")


def tune_kou(
    game: Game,
    algorithm: str,
    seconds: float,
    seed: int,
    folder: Path,
    restart: bool,
    given: dict[str, Any],
) -> None:
    """Tune `kou` in duplicate rounds with random classes.

    `given` are the options that the command line states.
    """
    from closedhand.agents.daihinmin.kou import tuning
    from closedhand.games.daihinmin.game import league_options

    game = make_game(game.name, **league_options(given, 1, True))
    text = FileKind("the text of an agent", begun("kou["))
    common.make_folder(folder, {tuning.CHECKPOINT: CHECKPOINT, tuning.TEXT: text})
    run = tuning.begin(game, seed, folder)
    learner = run.learner

    def line_of(entry: dict[str, Any]) -> str:
        mean, low, high = entry["gain"]
        return f"{entry['change']} gains {mean:.3f} points a round ({low:.3f} to {high:.3f})"

    common.work_for(
        run, seconds, lambda: f"{learner.trials:,} trials", restart=restart, line_of=line_of
    )
    if learner.deals:
        typer.echo(
            f"saved {run.path} after {learner.trials:,} trials, {learner.accepted:,} of them "
            f"successes: play the best as the agent in {folder / tuning.TEXT}"
        )
        typer.echo(tuning.text_of(learner.numbers))
    common.leave_if_interrupted(run.interrupted, nothing=not learner.deals)
