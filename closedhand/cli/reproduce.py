"""What the commands `reproduce …`, which games add, share: options, progress bar and report."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from closedhand.cli.common import interruptible, make_folder, print_json, progress_bar
from closedhand.core.game import InputError

Out = Annotated[Path, typer.Option(help="Folder for the report and what it is made from.")]
Only = Annotated[
    str | None,
    typer.Option(help="The sections to compute, separated by commas; the report has their names."),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="A short run of some minutes, with wider intervals.")
]


def sections(only: str | None, known: Sequence[str], usual: Sequence[str]) -> tuple[str, ...]:
    """The sections that `--only` names, in the order of `known`.

    Args:
        only: The value of the option.
        known: All sections.
        usual: Sections without the option.

    Raises:
        InputError: There is no such section.
    """
    if only is None:
        return tuple(usual)
    wanted = [name.strip() for name in only.split(",")]
    for name in wanted:
        if name not in known:
            raise InputError(f"no section {name!r}; there are {', '.join(known)}")
    return tuple(name for name in known if name in wanted)


def report_name(only: str | None) -> str:
    """The name of a report's files: `report`, or the sections that it is limited to."""
    return "report" if only is None else "-".join(name.strip() for name in only.split(","))


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
