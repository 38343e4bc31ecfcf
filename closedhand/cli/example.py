"""The command `example`: the examples of the manual, from the installed package."""

from pathlib import Path
from typing import Annotated

import typer

from closedhand.cli.common import Json, print_json
from closedhand.core.checks import InputError, shown
from closedhand.core.files import SHIPPED, write_atomically

PACKAGE = SHIPPED.parent
PLACES = (PACKAGE / "examples", PACKAGE.parent / "examples")
"""The folder of the examples in an installed package, and in a checkout."""
FOLDER = Path("examples")
"""Where an example is written, so that the commands of the manual are the same as in a checkout."""


def examples() -> dict[str, Path]:
    """Return the examples, files and folders, by name."""
    found = sorted(next(place for place in PLACES if place.is_dir()).iterdir())
    kept = [path for path in found if path.suffix == ".py" or path.is_dir()]
    return {path.stem: path for path in kept if path.name != "__pycache__"}


def example(name: Annotated[str | None, typer.Argument()] = None, json: Json = False) -> None:
    """Write an example of the manual into the folder examples/, or list all of them.

    Example: closedhand example kuhn-poker

    Options:
        name: An example; all of them are listed if absent.
    """
    known = examples()
    if name is None:
        print_json({"examples": list(known)}) if json else typer.echo("\n".join(known))
        return
    source = known.get(name.removesuffix(".py"))
    if source is None:
        raise InputError(f"no example is called {shown(name)}; there are {', '.join(known)}")
    target = FOLDER / source.name
    if target.exists():
        raise InputError(f"{target} is there already; move it away first")
    inside = sorted(source.rglob("*")) if source.is_dir() else [source]
    for path in inside:
        if path.is_file() and "__pycache__" not in path.parts:
            write_atomically(target / path.relative_to(source), path.read_bytes())
    print_json({"written": str(target)}) if json else typer.echo(f"{target} is written")
