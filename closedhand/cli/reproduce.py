"""The commands `reproduce all` and `reproduce learners`, and helpers of those that games add."""

import html
import inspect
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from closedhand.cli import common, groups
from closedhand.core.file_kinds import COMMENT, GENERATOR, PAGE, PICTURE, REPORT, FileKind, begun
from closedhand.core.files import write_atomically
from closedhand.core.registry import load

app = typer.Typer(cls=groups.Group, help="Reproduce published results.", no_args_is_help=True)

Out = Annotated[
    Path,
    typer.Option(
        help="Folder for the report and its results; those in it with other settings are replaced."
    ),
]
Only = Annotated[
    str | None,
    typer.Option(help="Sections to compute, separated by commas, which name the report's files."),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="A short run of some minutes, with wider intervals.")
]


def report_name(only: str | None) -> str:
    """Name a report's files: `report`, or the sections that it is limited to."""
    if only is None:
        return "report"
    return "-".join(dict.fromkeys(name.strip() for name in only.split(",")))


def computed(
    module: Any,
    out: Path,
    quick: bool,
    only: str | None,
    files: Mapping[str, FileKind],
    **given: Any,
) -> dict[str, Any]:
    """Compute a reproduction in parts, with a progress bar.

    `module` has `Plan`, a plan `QUICK`, and `compute(out, plan, progress)`. `files` are those to be
    written besides the report. `given` has further fields of the plan; None is the default.
    """
    chosen = {name: value for name, value in given.items() if value is not None}
    if only is not None:
        chosen["sections"] = tuple(name.strip() for name in only.split(","))
    plan = replace(module.QUICK if quick else module.Plan(), **chosen)
    claim_report(out, report_name(only), files)
    with common.interruptible(), common.progress_bar("parts", None) as update:
        return module.compute(out, plan, lambda name, number, total: update(number, total, name))


def claim_report(out: Path, name: str, others: Mapping[str, FileKind] = {}) -> None:
    """Create and claim the folder of a report and of other files."""
    common.make_folder(out, {f"{name}.md": REPORT, f"{name}.html": PAGE, **others})


def show_report(
    out: Path, text: str, results: dict[str, Any], as_json: bool, only: str | None = None
) -> None:
    """Save the report, as Markdown and as HTML, and print it, or print the results as JSON."""
    name = report_name(only)
    _write_report(out, text, text, name)
    if as_json:
        common.print_json(results)
    else:
        typer.echo(text)
        typer.echo(f"saved {out}/{name}.md and .html, and their results beside them")


def _write_report(out: Path, text: str, page: str, name: str) -> None:
    """Write the report `text` as Markdown, and `page`, also Markdown, as HTML."""
    write_atomically(out / f"{name}.md", f"{text.rstrip()}\n\n{COMMENT}\n")
    write_atomically(out / f"{name}.html", as_html(page, out))


TEMPLATE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
{generator}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto }}
table {{ border-collapse: collapse; display: block; overflow-x: auto }}
th, td {{ border: 1px solid #ccc; padding: 0.2rem 0.6rem; text-align: left }}
img {{ max-width: 100% }}
</style>
</head>
<body>
{body}</body>
</html>
"""


def as_html(text: str, folder: Path) -> str:
    """Convert a Markdown report to an HTML page with the pictures in `folder` that it names."""
    from markdown_it import MarkdownIt

    blocks = []
    for block in text.split("\n\n"):
        named = dict.fromkeys(re.findall(r"[\w-]+\.png", block))
        added = [each for each in named if f"]({each})" not in block and (folder / each).exists()]
        blocks += [block, *(f"![{each}]({each})" for each in added)]
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render("\n\n".join(blocks))
    title = text.partition("\n")[0].lstrip("# ")
    return TEMPLATE.format(generator=GENERATOR, title=html.escape(title), body=body)


def reproductions() -> dict[str, Callable[..., None]]:
    """Find the games' commands `reproduce NAME` that take out, quick and seed, by NAME."""
    commands = {name: load(ref) for name, ref in groups.commands_of_games("reproduce").items()}
    return {
        name: command
        for name, command in commands.items()
        if {"out", "quick", "seed"} <= inspect.signature(command).parameters.keys()
    }


@app.command("all")
def reproduce_all(
    quick: Quick = False, seed: common.Seed = 0, out: Path = Path("runs/all")
) -> None:
    """Run all reproductions, and write a page with links to their reports.

    With --quick each takes some minutes. Ctrl-C stops; the same command resumes. The page has the
    seconds of the last command, which are few where it found results of earlier ones.

    Example: closedhand reproduce all --quick

    Options:
        out: Folder for a folder of each reproduction.
    """
    claim_report(out, "index")
    lines = ["# All reproductions", "", "| report | seconds of the last command |", "|---|---|"]
    for name, command in reproductions().items():
        common.note(f"reproduce {name}")
        start = time.perf_counter()
        command(out=out / name, quick=quick, seed=seed)
        seconds = time.perf_counter() - start
        lines.append(f"| [{name}]({name}/report.html) | {seconds:,.0f} |")
    text = "\n".join(lines) + "\n"
    _write_report(out, text.replace("report.html", "report.md"), text, "index")
    typer.echo(text)


@app.command("learners")
def reproduce_learners(
    only: str | None = None,
    steps: common.NumberOrNone = None,
    seeds: common.Number = 1,
    quick: Quick = False,
    seed: common.Seed = 0,
    out: Path = Path("runs/learners"),
    as_json: common.Json = False,
) -> None:
    """Compare all learners in all games at a fixed budget of steps, with curves.

    Small games are evaluated exactly, others by duplicate points against the game's agents and by a
    trained responder. Ctrl-C stops; the same command resumes. Each cell (game, learner, seed) is a
    file: cells computed elsewhere can be copied into the folder. The table results.csv holds all.

    Example: closedhand reproduce learners --quick --only leduc/ppo

    Options:
        only: Rows to compute, separated by commas: games, learners, or GAME/LEARNER; none: only the
            report of the results in the folder.
        steps: Steps of a learner; if absent 1,000,000, or 2,000 with --quick.
        seeds: Number of seeds, --seed and the next ones.
        out: Folder with a file for each cell, and the report.
    """
    from closedhand.arena import learner_table, learners

    plan = learners.QUICK if quick else learners.Plan()
    plan = plan if steps is None else replace(plan, steps=steps)
    wanted = None if only is None else only.split(",")
    cells = [] if only == "none" else learners.choose(wanted, range(seed, seed + seeds))
    table = FileKind("a table of learners", begun(",".join(learner_table.COLUMNS) + "\n"))
    claim_report(out, "report", {learner_table.TABLE: table, "curves.png": PICTURE})
    learner_table.read(out)  # refuses other files now, not after hours
    with common.interruptible(), common.progress_bar("cells", len(cells)) as update:
        learners.compute(out, plan, cells, lambda name, done, total: update(done, total, name))
    results = learner_table.read(out)
    picture = None
    if results:
        learner_table.write(out / learner_table.TABLE, results)
        picture = common.save_picture(learner_table.plot, results, out / "curves.png")
    text = learner_table.report(results) + ("\n![curves](curves.png)\n" if picture else "")
    rows = [{**each._asdict(), "curve": each.curve.tolist()} for each in results]
    show_report(out, text, {"cells": rows}, as_json)
