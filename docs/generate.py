"""Generate parts of the manual (`make pages`): pages of environments, code from files, notebooks.

The comment `<!-- From FILE: NAME -->` before a block of code fills the block with a function, class
or constant of the file. `FIRST to LAST` in place of NAME includes all definitions between these
two; without a name the block gets the whole file.
"""

import ast
import inspect
import json
import os
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# Nothing is played, so nothing is compiled.
os.environ["NUMBA_DISABLE_JIT"] = "1"

closedhand = import_module("closedhand")
ILLEGAL_REWARD = import_module("closedhand.envs.common").ILLEGAL_REWARD
DOCS = Path(__file__).parent
CODE = re.compile(r"<!-- From (\S+?)(?:: (\w+)(?: to (\w+))?)? -->\n```(\w+)\n.*?^```", re.M | re.S)
"""A comment that names code, and the block after it."""
NOTEBOOKS = {
    "first-agent": "Your first agent, in ten lines",
    "self-play": "Self-play with your own loop",
    "solve-leduc": "Solve Leduc",
}
"""Sections of the tutorials that are notebooks as well, by the file's name."""
SECTIONS = ("planes", "features", "substeps", "card_sets")
"""Modules whose docstrings become sections of the page of a game that has them."""
PYTHON = re.compile(r"^```python\n(.*?)^```\n", re.M | re.S)
RELATIVE = re.compile(r"\]\((?!https?:|#)")


def generated() -> dict[Path, str]:
    """The text, by path, of notebooks, generated pages and pages with code from files.

    Games of other packages have no pages.
    """
    own = {
        name: environment
        for name, environment in closedhand.GAMES.items()
        if str(environment.make).startswith("closedhand.")
    }
    folder = DOCS / "environments"
    found = {folder / f"{name}.md": environment_page(name, each) for name, each in own.items()}
    found[folder / "index.md"] = environment_index(own)
    for path in DOCS.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        if CODE.search(text):
            found[path] = CODE.sub(with_code, text)
    tutorials = (DOCS / "tutorials.md").read_text(encoding="utf-8")
    for name, title in NOTEBOOKS.items():
        found[DOCS / "notebooks" / f"{name}.ipynb"] = notebook(title, tutorials)
    return found


def notebook(title: str, page: str) -> str:
    """A section of a page as a Jupyter notebook: a cell for each paragraph of its Python code."""
    [section] = re.findall(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", page, re.M | re.S)
    cells: list[dict[str, Any]] = []
    for i, part in enumerate(PYTHON.split(f"# {title}\n{section}")):
        if i % 2:
            for paragraph in re.split(r"\n\n+(?=\S)", part.strip()):
                run = {"execution_count": None, "outputs": []}
                cells.append({"cell_type": "code", **run, "source": lines_of(paragraph)})
        elif part.strip():
            text = RELATIVE.sub("](../", part.strip())
            cells.append({"cell_type": "markdown", "source": lines_of(text)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    for cell in cells:
        cell["metadata"] = {}
    whole = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}
    return json.dumps(whole, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def lines_of(text: str) -> list[str]:
    """Lines in the form of notebooks: each but the last with its end."""
    return text.splitlines(keepends=True)


def with_code(match: re.Match[str]) -> str:
    """A comment and its block, with the code as it is in the file now."""
    file, first, last, language = match.groups()
    code = (DOCS / file).read_text(encoding="utf-8")
    if first:
        code = part_of(code, first, last or first)
    return f"{match[0].partition('```')[0]}```{language}\n{code.strip()}\n```"


def part_of(code: str, first: str, last: str) -> str:
    """Return a module's lines from definition `first` through `last`, with the text after it."""
    lines, starts = code.splitlines(), []
    for node in ast.parse(code).body:
        if not isinstance(node, ast.Expr):  # the text after a constant belongs to it
            decorated = getattr(node, "decorator_list", [])
            starts.append((names_of(node), min([node.lineno, *(d.lineno for d in decorated)]) - 1))
    ends = [*(start for _, start in starts[1:]), len(lines)]
    begin = next(start for names, start in starts if first in names)
    end = next(end for (names, _), end in zip(starts, ends, strict=True) if last in names)
    return "\n".join(lines[begin:end])


def names_of(node: ast.stmt) -> set[str]:
    """The names that a statement defines."""
    if isinstance(node, ast.Assign):
        return {each.id for each in node.targets if isinstance(each, ast.Name)}
    return {getattr(node, "name", "")}


def main() -> None:
    """Write the pages."""
    for folder in "environments", "notebooks":
        (DOCS / folder).mkdir(exist_ok=True)
    for path, text in generated().items():
        path.write_text(text, encoding="utf-8")


def rules_for_players(name: str, environment: Any) -> str:
    """The rules in words, as the page of `closedhand web` shows them; empty if there are none."""
    if environment.rulebook is None:
        return ""
    rulebook = import_module("closedhand.core.rulebook")
    return f"\n## For players\n\n{rulebook.as_markdown(rulebook.rules_in_words(name))}\n"


def environment_page(name: str, environment: Any) -> str:
    """How to make an environment, what it is like, and what its game's docstring says."""
    make = import_module("closedhand.core.registry").load(environment.make)
    game = closedhand.make_game(name)
    parallel = ""
    if environment.parallel_id:
        parallel = f'env = pettingzoo.make("parallel", "{environment.parallel_id}")\n'
    return f"""# {environment.title}

{table_picture(name, environment.title)}{facts_table(name, environment)}

```python
env = pettingzoo.make("aec", "{environment.aec_id}")
{parallel}env = gymnasium.make("{environment.gymnasium_id}")
envs = gymnasium.make_vec("{environment.gymnasium_id}", num_envs=1024, reward="seats")
```

The rules are in `{make.__module__}`.

{description(name, environment)}
{rules_for_players(name, environment)}
## Presets and spaces

{spaces_table(name, environment.option_table)}

In the dict of an observation `action_mask` [actions] says which actions are legal.
`observation="flat"` has all parts in one vector.

## Rewards

{rewards(game)}

## Action ids

{ids_table(game)}
"""


def description(name: str, environment: Any) -> str:
    """The docstrings of a game's package and modules, with tables of options and features."""
    package = environment.make.partition(":")[0].rpartition(".")[0]
    names = [package, *filter(find_spec, (f"{package}.{each}" for each in SECTIONS))]
    about, *others = (inspect.getdoc(import_module(each)) or "" for each in names)
    options = f"Options:\n\n{list_of(environment.option_table)}"
    game = closedhand.make_game(name)
    features = closedhand.make_game(name, **game.substep_options).feature_table
    more = f", {len(features)} in sub-steps" if len(features) > game.feature_size else ""
    title = f"The compact observation has {game.feature_size} numbers{more}, all int8:"
    return "\n\n".join([about, options, *others, title, table_of(features)])


def list_of(options: Any) -> str:
    """Options with their defaults, values and meanings."""
    lines = []
    for option in options:
        default = option.default
        written = json.dumps(default) if isinstance(default, str) else repr(default)
        meaning = f": {option.text}." if option.text else ""
        lines.append(f"- `{option.name}={written}` ({option.values}){meaning}")
    return "\n".join(lines)


def table_of(features: Any) -> str:
    """The groups of a compact observation, with the indices of their numbers."""
    lines = ["| numbers | names | values | contents |", "|---|---|---|---|"]
    for start, feature in zip(features.starts, features.features, strict=True):
        first, *others = feature.names
        where = f"{start}-{start + len(others)}" if others else f"{start}"
        names = f"`{first}` to `{others[-1]}`" if others else f"`{first}`"
        values = f"{feature.least} to {feature.most}"
        lines.append(f"| {where} | {names} | {values} | {feature.about} |")
    return "\n".join(lines)


def table_picture(name: str, title: str) -> str:
    """The picture of a table in play, if `pictures.py` draws one."""
    if not (DOCS / "pictures" / f"{name}.gif").exists():
        return ""
    return f"![A table of {title} in play](../pictures/{name}.gif)\n\n"


def facts_table(name: str, environment: Any) -> str:
    """What an environment is like, a row for each fact."""
    game = closedhand.make_game(name)
    fewest = closedhand.make_game(name, **game.substep_options)
    low, high = game.payoff_range
    actions = f"{game.num_actions:,}"
    if fewest.num_actions < game.num_actions:
        actions += f", {fewest.num_actions:,} in sub-steps"
    pace = "all act at the same time" if game.simultaneous else "one acts after the other"
    information = "imperfect: the hands of the others are hidden"
    if game.simultaneous:
        information += ", and what they do until all have acted"
    varies = game.payoff_sum is None
    sums = "zero-sum" if game.zero_sum else "general-sum" if varies else "constant-sum"
    facts = {
        "players": f"{game.num_players}; {pace}",
        "actions": actions,
        "observation": f"{parts_of(game)}; {game.feature_size} numbers with "
        '`observation="compact"`',
        "rewards": f"{low:,g} to {high:,g}, {sums}",
        "information": information,
        "ids": f"`{environment.aec_id}`, `{environment.gymnasium_id}`",
    }
    return "| | |\n|---|---|\n" + "\n".join(f"| {key} | {text} |" for key, text in facts.items())


def spaces_table(name: str, options: Any) -> str:
    """A table of `facts`: by default, for each choice of an option, for flags that change them."""
    usual = closedhand.make_game(name)
    rows = {"by default": facts(usual)}
    for option in options:
        values = option.choices or ((True, False) if isinstance(option.default, bool) else ())
        for value in values:
            try:
                found = facts(closedhand.make_game(name, **{option.name: value}))
            except closedhand.InputError:
                continue
            if found != rows["by default"] or (option.choices and value != option.default):
                rows[f"`{option.name}={value!r}`"] = found
    head = ("options", "actions", "observation, int8", "compact", "payoffs",
            "most actions in a game")  # fmt: skip
    lines = [head, ("---",) * len(head), *((text, *found) for text, found in rows.items())]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def facts(game: Any) -> tuple[str, ...]:
    """A game's number of actions, observations, range of payoffs, and length."""
    low, high = game.payoff_range
    return (
        f"{game.num_actions:,}",
        parts_of(game),
        str(game.feature_size),
        f"{low:,g} to {high:,g}",
        f"{game.max_moves:,}",
    )


def parts_of(game: Any) -> str:
    """The parts of a game's observation with their shapes."""
    return ", ".join(
        f"`{part}` [{', '.join(map(str, shape))}]" for part, shape in game.shapes.items()
    )


def rewards(game: Any) -> str:
    """When a game pays, in a sentence or two."""
    when = "at the end of each of its rounds" if game.rounds > 1 else "when it ends"
    if game.staged and game.rounds == 1:
        when += ", and with more rounds at the end of each"
    total = "add up to 0" if game.zero_sum else "do not add up to 0"
    sides = f" Sides are {', '.join(game.roles)}." if len(set(game.sides)) < len(game.sides) else ""
    low, high = game.payoff_range
    illegal = (
        "An illegal action has a meaning in the rules."
        if game.lenient
        else f"An illegal action ends the game with {ILLEGAL_REWARD:g} for who chose it; "
        "in the lean AEC env it is an error."
    )
    return (
        f"A game pays {when}, {low:,g} to {high:,g}: the payoffs of the {game.num_players} players "
        f"{total}, and rewards before that are 0.{sides} {illegal}"
    )


MOST_ROWS = 48


def ids_table(game: Any) -> str:
    """A table of action ids: ranges whose notations are equally long, else some ids."""
    texts = [game.text(action) for action in range(game.num_actions)]
    starts = [i for i in range(len(texts)) if i == 0 or len(texts[i]) != len(texts[i - 1])]
    if len(starts) > MOST_ROWS or len(starts) < 3 < len(texts):
        step = max(1, len(texts) // 12)
        chosen = sorted({*range(0, len(texts), step), len(texts) - 1})
        rows = [(f"{i:,}", f"`{texts[i]}`") for i in chosen]
        head = "| some ids | notation |"
    else:
        rows = []
        for start, end in zip(starts, [*starts[1:], len(texts)], strict=True):
            last = f" to {end - 1:,}" if end - 1 > start else ""
            text = f"`{texts[start]}`" + (f" to `{texts[end - 1]}`" if last else "")
            rows.append((f"{start:,}{last}", text))
        head = "| ids | notation |"
    return "\n".join([head, "|---|---|", *(f"| {ids} | {text} |" for ids, text in rows)])


def environment_index(environments: dict[str, Any]) -> str:
    """The gallery of all environments."""
    entries = "\n".join(
        f"## [{environment.title}]({name}.md)\n\n"
        f"{table_picture(name, environment.title)}{facts_table(name, environment)}\n"
        for name, environment in environments.items()
    )
    pages = "\n".join(environments)
    return f"""# Environments

Every game is an environment of PettingZoo and of Gymnasium. Its page has the rules, all options and
presets, the observations number by number, and the ids of the actions.

{entries}
```{{toctree}}
:hidden:

{pages}
```
"""


if __name__ == "__main__":
    main()
