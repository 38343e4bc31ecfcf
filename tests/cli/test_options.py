"""`--option` and `--seed` of every command, and the table that `show options` prints."""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import click
import pytest
import typer
from support_cli import run

from closedhand import GAMES, InputError
from closedhand.cli import app
from closedhand.cli.common import MOST_SEED

BAD_SEEDS = ("99999999999999999999", "-1", "1.5", "x", "9" * 5000, "", "nan")


def commands(group: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All commands that can be imported here, by their words."""
    context = click.Context(group, info_name=words[-1] if words else "closedhand")
    for name in group.list_commands(context):
        try:
            command = group.get_command(context, name)
        except InputError:
            continue  # it needs an extra that is not installed
        if hasattr(command, "list_commands"):
            yield from commands(command, (*words, name))
        else:
            yield (*words, name), command


def test_the_help_of_every_command_ends_with_an_example_that_it_takes() -> None:
    for words, command in commands(typer.main.get_command(app)):
        example = re.search(r"closedhand ([^`]*)\Z", command.help or "")
        assert example, words
        first, *rest = shlex.split(example[1])
        assert first == words[0]
        # Two commands may share a function, and so the example of one of them.
        command.make_context(words[-1], rest[1:] if len(words) > 1 else rest)


def with_seed() -> list[Any]:
    found = commands(typer.main.get_command(app))
    return [
        pytest.param(words, id="-".join(words))
        for words, command in found
        for parameter in command.params
        if parameter.name == "seed"
    ]


@pytest.mark.parametrize("words", with_seed())
def test_every_command_refuses_bad_seeds(words: tuple[str, ...]) -> None:
    for seed in BAD_SEEDS:
        result = run(*words, "--seed", seed)
        assert result.exit_code == 2 and "--seed" in result.output, seed


def test_many_commands_take_seeds() -> None:
    first = {each.values[0][0] for each in with_seed()}
    assert {"match", "play", "solve", "train", "records", "reproduce", "serve", "join"} <= first


@pytest.mark.parametrize("seed", [MOST_SEED, 2**32])
def test_the_largest_seeds_are_seeds(seed: int, in_empty_folder: None) -> None:
    words = ["match", "leduc", "--agents", "random,random", "--deals", "4", "--json", "--workers",
             "1", "--seed", str(seed)]  # fmt: skip
    result = run(*words)
    assert result.exit_code == 0 and json.loads(result.stdout)["seed"] == seed


@pytest.mark.parametrize("game", GAMES)
def test_the_options_of_every_game_are_shown(game: str) -> None:
    result = run("show", "options", game.replace("_", "-"), "--json")
    rows = json.loads(result.stdout)["options"]
    # Without those that tell the game from others of its family, which nobody can choose.
    names = [each.name for each in GAMES[game].option_table]
    assert [row["name"] for row in rows] == [n for n in names if n not in GAMES[game].options]
    assert result.exit_code == 0
    text = run("show", "options", game).stdout
    assert all(row["name"] in text for row in rows)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("spring=maybe", "spring is true or false, not 'maybe'"),
        ("spring=3", "spring is true or false, not '3'"),
        ("base=" + "9" * 5000, "base is a whole number from 1 to 99"),
        ("base=" + "[" * 100_000, "base is a whole number from 1 to 99"),
        ("name=doudizhu", "doudizhu has no option 'name'; it has rules, substeps"),
        ("=", "doudizhu has no option ''"),
        ("spring", "an option is key=value, not 'spring'"),
    ],
)
def test_bad_options_are_one_line(option: str, message: str) -> None:
    for words in (["match", "doudizhu", "--agents", "rule,rule"], ["play", "doudizhu"]):
        result = run(*words, "--option", option)
        assert result.exit_code == 2 and message in result.stderr
        assert result.stderr.count("\n") == 1 and len(result.stderr) < 300


def test_options_of_an_unnamed_game_are_those_of_some_game(tmp_path: Any) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("")
    assert run("records", "replay", str(path), "--option", "spring=no").exit_code == 0
    for key in ("game", "path", "file", "line", "rulez"):
        result = run("records", "replay", str(path), "--option", f"{key}=x")
        assert result.exit_code == 2 and f"no game has an option '{key}'" in result.stderr


@pytest.mark.parametrize("text", ["no", "false", "off", "0"])
def test_what_is_switched_off_is_off(text: str, in_empty_folder: None) -> None:
    words = ["match", "doudizhu", "--agents", "rule,random", "--deals", "2", "--json",
             "--workers", "1"]  # fmt: skip
    given = [f"--option={name}={text}" for name in ("spring", "bidding", "substeps")]
    plain, switched = (json.loads(run(*words, *more).stdout) for more in ([], given))
    assert plain["options"] == switched["options"]
    assert plain["pairs"][0]["results"] == switched["pairs"][0]["results"]
