"""What the commands `reproduce …`, which games add, share: options, progress bar and report."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from closedhand.cli.common import interruptible, make_folder, print_json, progress_bar

Out = Annotated[Path, typer.Option(help="Folder for the report and what it is made from.")]


def computed(
    out: Path, compute: Callable[[Callable[[str, float, int], None]], dict[str, Any]]
) -> dict[str, Any]:
    """The results of a computation in parts, under a progress bar."""
    make_folder(out)
    with interruptible(), progress_bar("parts", None) as update:
        return compute(lambda name, number, total: update(number, total, name))


def show_report(
    out: Path, text: str, results: dict[str, Any], as_json: bool, name: str = "report"
) -> None:
    """Save and print the report, or print the results as JSON."""
    from closedhand.core.files import write_atomically

    write_atomically(out / f"{name}.md", text)
    if as_json:
        print_json(results)
    else:
        typer.echo(text)
        typer.echo(f"saved {out}/{name}.md, and beside it the results that it is made from")
