"""The commands `show rules`, `show options` and `show settings`; games add further ones."""

from collections.abc import Iterable
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown

from closedhand.cli.common import GameName, Json, print_json, print_table
from closedhand.cli.groups import Group
from closedhand.core.options import Option
from closedhand.core.registry import spec_of

app = typer.Typer(
    cls=Group, help="Show rules, options, settings and pictures of games.", no_args_is_help=True
)


@app.command()
def rules(game: GameName, language: str = "en", as_json: Json = False) -> None:
    """Show the rules of a game in words, with examples of its plays.

    Example: closedhand show rules doudizhu

    Options:
        language: Language: en, zh or ja.
    """
    from closedhand.core.rulebook import as_markdown, rules_in_words

    sections = rules_in_words(game, language)
    if as_json:
        print_json({"game": game, "sections": [section._asdict() for section in sections]})
    else:
        Console().print(Markdown(as_markdown(sections)))


@app.command()
def options(game: GameName, as_json: Json = False) -> None:
    """Show the options of a game: their names, defaults, values and meanings.

    Example: closedhand show options doudizhu
    """
    spec = spec_of(game)
    # An option that distinguishes the game from others of its family cannot be chosen.
    table = [each for each in spec.option_table if each.name not in spec.options]
    hint = "--option KEY=VALUE, or keyword arguments of make_game"
    _show(table, {"game": game}, hint, as_json)


@app.command()
def settings(
    algorithm: Annotated[str, typer.Argument(metavar="LEARNER")],
    gpu: Annotated[bool, typer.Option("--gpu")] = False,
    as_json: Json = False,
) -> None:
    """Show the settings of a learner: their names, defaults, values and meanings.

    Example: closedhand show settings ppo

    Options:
        algorithm: A learner of `train GAME` that takes --set.
        gpu: Those of learning on a GPU.
    """
    from closedhand.cli.learn import settings_of

    _show(settings_of(algorithm, gpu), {"algorithm": algorithm}, "--set KEY=VALUE", as_json)


def _show(table: Iterable[Option], owner: dict[str, str], hint: str, as_json: bool) -> None:
    if as_json:
        names = ("name", "default", "values", "text")
        found = [{name: getattr(each, name) for name in names} for each in table]
        print_json({**owner, "options": found})
        return
    # None, the default of some options, is written in lower case like true and false.
    rows = [(each.name, str(each.default).lower(), each.values, each.text) for each in table]
    print_table(("option", "default", "values", "meaning"), rows)
    typer.echo(hint)
