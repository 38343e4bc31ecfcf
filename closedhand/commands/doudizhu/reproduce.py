"""The commands `reproduce deeprocket-match` and `reproduce deeprocket`."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from closedhand.cli.common import Json, Seed, Workers, note, print_json, save_picture
from closedhand.cli.reproduce import (
    Only,
    Out,
    Quick,
    computed,
    report_files,
    report_name,
    sections,
    show_report,
)
from closedhand.core.file_kinds import FileKind, object_within


def deeprocket_match(as_json: Json = False) -> None:
    """Reproduce Table 7 of the DeepRocket paper, its match with four amateurs, from the records."""
    from closedhand.papers.deeprocket.reproduction import match_table

    data = match_table()
    if as_json:
        print_json(data)
        return
    table = Table(title="Scores as landlord: human and DeepRocket", title_justify="left")
    for name in ("deal", "human, paper", "replayed", "DeepRocket, paper", "replayed"):
        table.add_column(name, justify="right")
    table.add_column("")
    for row in (*data["deals"], {"number": "total", "completed": 0, **data}):
        if row["number"] == "total":
            table.add_section()
        mark = "completed" if row["completed"] else ""
        pairs = zip(row["stated"], row["computed"], strict=True)
        table.add_row(str(row["number"]), *(f"{s:+g}" for pair in pairs for s in pair), mark)
    Console().print(table)


def deeprocket(
    network: Annotated[
        str, typer.Option(help="Agent that stands in for DeepRocket in the figures.")
    ] = "policy-net",
    best: Annotated[
        str,
        typer.Option(help="Agent that stands in for MicroWe, the best program before DeepRocket."),
    ] = "decompose",
    games: Annotated[
        int | None,
        typer.Option(min=1, help="Games per iteration of a pairing; 5,000 if absent."),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(min=1, help="Iterations of each pairing; 10 if absent.")
    ] = None,
    agents: Annotated[
        str | None,
        typer.Option(
            help="Agents of the positions and the ladder, separated by commas; all if absent.",
        ),
    ] = None,
    ladder_deals: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Deals of a pair on the ladder, each played in both roles; 10,000 if absent.",
        ),
    ] = None,
    slow_deals: Annotated[
        int, typer.Option(min=1, help="Deals of a pair with an agent that searches.")
    ] = 200,
    only: Only = None,
    quick: Quick = False,
    seed: Seed = 0,
    workers: Workers = None,
    out: Out = Path("runs/deeprocket"),
    as_json: Json = False,
) -> None:
    """Reproduce the DeepRocket paper: Table 7, Figures 3 and 4, two positions, a ladder of agents.

    Sections are match, figures, positions with inference, training and ladder. Takes hours; with
    --quick, few games and no agents that search, some minutes. Ctrl-C stops; the same command
    resumes.
    """
    from closedhand.core.agent_spec import split_agents
    from closedhand.core.files import write_atomically
    from closedhand.core.threads import cores
    from closedhand.papers.deeprocket import reproduction

    usual = reproduction.QUICK if quick else reproduction.Plan()
    plan = reproduction.Plan(
        network=network,
        best=best,
        games=games or usual.games,
        iterations=iterations or usual.iterations,
        agents=tuple(split_agents(agents)) if agents else usual.agents,
        ladder_deals=ladder_deals or usual.ladder_deals,
        slow_deals=slow_deals,
        accuracy_deals=usual.accuracy_deals,
        seed=seed,
        workers=workers or cores(),
        sections=sections(only, tuple(reproduction.SECTIONS), usual.sections),
    )
    name = report_name(only)
    data = FileKind("the data of a report", object_within(reproduction.SECTIONS))
    files = {f"{name}.json": data, **report_files(name, reproduction.PICTURES)}
    results = computed(out, files, lambda update: reproduction.compute(plan, out, update))
    if "training" in results and not results["training"]["histories"]:
        note("no training curves: the package has no record of the training")
    save_picture(reproduction.pictures, results, out)
    write_atomically(out / f"{name}.json", json.dumps(results, indent=1) + "\n")
    show_report(out, reproduction.report(results), results, as_json, name)
