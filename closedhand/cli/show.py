"""The command `show options`; all other commands `show …` are those of games."""

import typer
from rich.console import Console

from closedhand.cli.common import GameName, Json, new_table, print_json
from closedhand.core.registry import spec_of


def options(game: GameName, as_json: Json = False) -> None:
    """Show the options of a game: their names, defaults, values and meanings."""
    table = spec_of(game).option_table
    if as_json:
        rows = [
            {"name": each.name, "default": each.default, "values": each.values, "text": each.text}
            for each in table
        ]
        print_json({"game": game, "options": rows})
        return
    shown = new_table()
    for name in ("option", "default", "values", "meaning"):
        shown.add_column(name)
    for each in table:
        default = "none" if each.default is None else str(each.default).lower()
        shown.add_row(each.name, default, each.values, each.text)
    Console().print(shown)
    typer.echo("--option KEY=VALUE, or keyword arguments of make_game")
