"""The commands `reproduce …`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from closedhand.cli.common import (
    Json,
    interruptible,
    make_folder,
    note,
    positive,
    print_json,
    progress_bar,
    save_picture,
)

app = typer.Typer(help="Published results, computed again.", no_args_is_help=True)


@app.command("deeprocket-match")
def deeprocket_match(as_json: Json = False) -> None:
    """Table 7 of the DeepRocket paper, its match with four amateurs, from the game records."""
    from closedhand.papers.deeprocket.reproduction import SIDES, deeprocket_match

    rows = deeprocket_match()
    totals = {
        name: [sum(getattr(row, name)[side] for row in rows) for side in range(len(SIDES))]
        for name in ("stated", "computed")
    }
    if as_json:
        print_json({"landlords": SIDES, "deals": [row._asdict() for row in rows], **totals})
        return
    table = Table(title="Scores as landlord: human and DeepRocket", title_justify="left")
    for name in ("deal", "human, paper", "replayed", "DeepRocket, paper", "replayed"):
        table.add_column(name, justify="right")
    table.add_column("")
    for row in rows:
        note = "completed" if row.completed else ""
        scores = (score for pair in zip(row.stated, row.computed, strict=True) for score in pair)
        table.add_row(str(row.number), *(f"{score:+g}" for score in scores), note)
    table.add_section()
    sums = (total for pair in zip(*totals.values(), strict=True) for total in pair)
    table.add_row("total", *(f"{total:+g}" for total in sums), "")
    Console().print(table)


@app.command()
def deeprocket(
    network: Annotated[
        str, typer.Option(help="Stands in for DeepRocket in the figures.")
    ] = "policy-net",
    best: Annotated[
        str, typer.Option(help="Stands in for MicroWe, the best program before it.")
    ] = "decompose",
    games: Annotated[int, typer.Option(min=1, help="Of an iteration of a pairing.")] = 5000,
    iterations: Annotated[int, typer.Option(min=1, help="Of each pairing.")] = 10,
    agents: Annotated[
        str | None,
        typer.Option(
            help="Of the positions and the ladder, with commas between; all if absent.",
        ),
    ] = None,
    ladder_deals: Annotated[
        int, typer.Option(min=1, help="Of a pair on the ladder, each in both roles.")
    ] = 10_000,
    slow_deals: Annotated[
        int, typer.Option(min=1, help="The same with an agent that searches.")
    ] = 200,
    only: Annotated[
        str | None, typer.Option(help="One section: figures, positions, training or ladder.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of deals and agents.")] = 0,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; all cores if absent.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for everything.")] = Path("runs/deeprocket"),
    as_json: Json = False,
) -> None:
    """Figures 3 and 4 of the DeepRocket paper, its two positions, and the ladder of agents.

    Takes hours. Ctrl-C stops; the same command goes on where it was. With --only the report is
    named after the section.
    """
    from closedhand.core.files import write_atomically
    from closedhand.core.threads import cores
    from closedhand.papers.deeprocket import reproduction

    plan = reproduction.Plan(
        network=network,
        best=best,
        games=games,
        iterations=iterations,
        agents=tuple(agents.split(",")) if agents else reproduction.AGENTS,
        ladder_deals=ladder_deals,
        slow_deals=slow_deals,
        seed=seed,
        workers=workers or cores(),
        sections=(only,) if only else tuple(reproduction.SECTIONS),
    )
    results = _computed(out, lambda tell: reproduction.compute(plan, out, tell))
    if "training" in results and not results["training"]:
        note("no curves of training: the package has no record of it")
    save_picture(reproduction.pictures, results, out)
    name = only or "report"
    write_atomically(out / f"{name}.json", json.dumps(results, indent=1) + "\n")
    _show(out, reproduction.report(results), results, as_json, name)


@app.command("chinese-poker")
def chinese_poker(
    out: Annotated[Path, typer.Option(help="Folder for everything.")] = Path("runs/chinese-poker"),
    hands: Annotated[
        int, typer.Option(min=100, help="Of the match, and to judge each strategy by.")
    ] = 10_000,
    pools: Annotated[
        int, typer.Option(min=1, help="On how many pools of opponents each is judged.")
    ] = 4,
    seed: Annotated[int, typer.Option(min=0, help="Of all deals.")] = 0,
    as_json: Json = False,
) -> None:
    """The blog's near-optimal Chinese Poker, and how far from optimal each strategy is.

    Takes about fifteen minutes. Ctrl-C stops; the same command goes on where it was.
    """
    from closedhand.papers.hankin import reproduction

    results = _computed(out, lambda tell: reproduction.compute(out, hands, pools, seed, tell))
    _show(
        out,
        reproduction.report(results),
        {**results, "judgements": reproduction.judgements(results)},
        as_json,
    )


@app.command()
def leduc(
    out: Annotated[Path, typer.Option(help="Folder for everything.")] = Path("runs/leduc"),
    seconds: Annotated[float, typer.Option(help="For each learner.", callback=positive)] = 120.0,
    seed: Annotated[int, typer.Option(min=0, help="Of everything random.")] = 0,
    as_json: Json = False,
) -> None:
    """UH-Leduc solved and learned: exact values, all algorithms, what each comes to.

    Takes about ten minutes. Ctrl-C stops; the same command goes on where it was.
    """
    from closedhand.papers.leduc_slides import reproduction

    results = _computed(out, lambda tell: reproduction.compute(out, seconds, seed, tell))
    save_picture(reproduction.pictures, results, out)
    _show(out, reproduction.report(results), results, as_json)


@app.command()
def kou(
    out: Annotated[Path, typer.Option(help="Folder for everything.")] = Path("runs/kou"),
    rounds: Annotated[
        int, typer.Option(min=100, help="Of each league, in matches of 100 rounds.")
    ] = 10_000,
    search_rounds: Annotated[
        int, typer.Option(min=100, help="Of the league against programs that search.")
    ] = 900,
    seed: Annotated[int, typer.Option(min=0, help="Of deals and agents.")] = 0,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; all cores if absent.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Tables 1 to 6 and Figures 1 and 2 of the paper about kou, Daihinmin's champion of 2014.

    Takes about an hour. Ctrl-C stops; the same command goes on where it was.
    """
    from closedhand.core.threads import cores
    from closedhand.papers.kou import reproduction

    results = _computed(
        out,
        lambda tell: reproduction.compute(
            out, rounds, search_rounds, seed, workers or cores(), tell
        ),
    )
    save_picture(reproduction.pictures, results, out)
    _show(out, reproduction.report(results), results, as_json)


def _computed(
    out: Path, compute: Callable[[Callable[[str, float, int], None]], dict[str, Any]]
) -> dict[str, Any]:
    """The results of a computation in parts, under a progress bar."""
    make_folder(out)
    with interruptible(), progress_bar("parts", None) as update:
        return compute(lambda name, number, total: update(number, total, name))


def _show(
    out: Path, text: str, results: dict[str, Any], as_json: bool, name: str = "report"
) -> None:
    """Save and print the report, or print the results as JSON."""
    from closedhand.core.files import write_atomically

    write_atomically(out / f"{name}.md", text)
    if as_json:
        print_json(results)
    else:
        typer.echo(text)
        typer.echo(f"saved {out}/{name}.md and what it is made from beside it")
