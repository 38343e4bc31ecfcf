"""The command `reproduce all`, and common parts of the commands `reproduce …` of games."""

import html
import inspect
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from closedhand.cli.common import Seed, interruptible, make_folder, note, print_json, progress_bar
from closedhand.core.file_kinds import COMMENT, GENERATOR, PAGE, PICTURE, REPORT, FileKind
from closedhand.core.files import write_atomically
from closedhand.core.parts import chosen_sections
from closedhand.core.registry import load

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


def plan_of(module: Any, quick: bool, only: str | None, **given: Any) -> Any:
    """Make the plan of a reproduction: `Plan` or `QUICK` of its module, and the fields given.

    `only` names some of its `SECTIONS`, separated by commas.
    """
    chosen = {name: value for name, value in given.items() if value is not None}
    if only is not None:
        wanted = (name.strip() for name in only.split(","))
        chosen["sections"] = chosen_sections(wanted, module.SECTIONS)
    return replace(module.QUICK if quick else module.Plan(), **chosen)


def report_name(only: str | None) -> str:
    """Name a report's files: `report`, or the sections that it is limited to."""
    return "report" if only is None else "-".join(name.strip() for name in only.split(","))


def report_files(only: str | None, pictures: Iterable[str] = ()) -> dict[str, FileKind]:
    """List the files of a report and its pictures, by their paths within its folder."""
    name = report_name(only)
    return {f"{name}.md": REPORT, f"{name}.html": PAGE, **dict.fromkeys(pictures, PICTURE)}


def computed(
    out: Path,
    files: Mapping[str, FileKind],
    compute: Callable[[Path, Any, Callable[[str, float, int], None]], dict[str, Any]],
    plan: Any,
) -> dict[str, Any]:
    """Compute a plan in parts, with a progress bar, into the folder `out`.

    `files` are others that will be written there. The last argument of `compute` is
    `progress(name, number, total)`.
    """
    make_folder(out, files)
    with interruptible(), progress_bar("parts", None) as update:
        return compute(out, plan, lambda name, number, total: update(number, total, name))


def show_report(
    out: Path, text: str, results: dict[str, Any], as_json: bool, only: str | None = None
) -> None:
    """Save the report, as Markdown and as HTML, and print it, or print the results as JSON."""
    name = report_name(only)
    _write_report(out, text, text, name)
    if as_json:
        print_json(results)
    else:
        typer.echo(text)
        typer.echo(f"saved {out}/{name}.md and .html, and their results beside them")


def _write_report(out: Path, text: str, page: str, name: str) -> None:
    """Write a report, and as a page the text `page`."""
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
    """Convert a report, Markdown, to a page that needs no network, with pictures of its folder."""
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
    """Find the commands `reproduce …` of games that have the common options, by name."""
    from closedhand.cli.groups import commands_of_games

    commands = {name: load(ref) for name, ref in commands_of_games("reproduce").items()}
    common = {"out", "quick", "seed"}
    return {
        name: command
        for name, command in commands.items()
        if common <= inspect.signature(command).parameters.keys()
    }


def reproduce_all(
    quick: Quick = False,
    seed: Seed = 0,
    out: Annotated[Path, typer.Option(help="Folder for a folder of each reproduction.")] = Path(
        "runs/all"
    ),
) -> None:
    """Run all reproductions, and write a page with links to their reports.

    With --quick each takes some minutes. Ctrl-C stops; the same command resumes.

    Example: closedhand reproduce all --quick
    """
    make_folder(out, {"index.md": REPORT, "index.html": PAGE})
    lines = ["# All reproductions", "", "| report | seconds |", "|---|---|"]
    for name, command in reproductions().items():
        note(f"reproduce {name}")
        start = time.perf_counter()
        command(out=out / name, quick=quick, seed=seed)
        seconds = time.perf_counter() - start
        lines.append(f"| [{name}]({name}/report.html) | {seconds:,.0f} |")
    text = "\n".join(lines) + "\n"
    _write_report(out, text.replace("report.html", "report.md"), text, "index")
    typer.echo(text)
