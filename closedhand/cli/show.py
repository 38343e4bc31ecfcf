"""The commands `show rules`, `show options` and `show settings`; games add others `show …`."""

from collections.abc import Iterable
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown

from closedhand.cli.common import GameName, Json, new_table, print_json
from closedhand.core.options import Option
from closedhand.core.registry import spec_of


def rules(
    game: GameName,
    language: Annotated[str, typer.Option(help="Language: en, zh or ja.")] = "en",
    as_json: Json = False,
) -> None:
    """Show the rules of a game in words, with examples of its plays."""
    from closedhand.core.rulebook import as_markdown, rules_in_words

    sections = rules_in_words(game, language)
    if as_json:
        print_json({"game": game, "sections": [section._asdict() for section in sections]})
    else:
        Console().print(Markdown(as_markdown(sections)))


def options(game: GameName, as_json: Json = False) -> None:
    """Show the options of a game: their names, defaults, values and meanings."""
    spec = spec_of(game)
    # An option that distinguishes the game from others of its family cannot be chosen.
    table = [each for each in spec.option_table if each.name not in spec.options]
    _show(table, {"game": game}, as_json)
    if not as_json:
        typer.echo("--option KEY=VALUE, or keyword arguments of make_game")


def settings(
    algorithm: Annotated[str, typer.Argument(help="A learner: ppo, dmc or imitation.")],
    gpu: Annotated[bool, typer.Option("--gpu", help="Those of learning on a GPU.")] = False,
    as_json: Json = False,
) -> None:
    """Show the settings of a learner: their names, defaults, values and meanings."""
    from closedhand.cli.learn import table_of

    _show(table_of(algorithm, gpu), {"algorithm": algorithm}, as_json)
    if not as_json:
        typer.echo("--set KEY=VALUE")


def _show(table: Iterable[Option], owner: dict[str, str], as_json: bool) -> None:
    """Print a table of options."""
    if as_json:
        rows = [
            {"name": each.name, "default": each.default, "values": each.values, "text": each.text}
            for each in table
        ]
        print_json({**owner, "options": rows})
        return
    shown = new_table()
    for name in ("option", "default", "values", "meaning"):
        shown.add_column(name)
    for each in table:
        default = "none" if each.default is None else str(each.default).lower()
        shown.add_row(each.name, default, each.values, each.text)
    Console().print(shown)
