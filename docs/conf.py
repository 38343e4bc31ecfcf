"""Sphinx configuration; the pages of environments and modules are generated."""

import os
import pkgutil
import re
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes

# Kernels stay plain functions: autodoc sees their signatures, and nothing is compiled.
os.environ["NUMBA_DISABLE_JIT"] = "1"

closedhand = import_module("closedhand")
ILLEGAL_REWARD = import_module("closedhand.envs.common").ILLEGAL_REWARD

project = "closedhand"
author = "The closedhand authors"
project_copyright = f"%Y, {author}"
version = release = closedhand.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build", "_extra", "benchmarks-table.md", "learner-results"]

# Headings may be linked to as `guide.md#training`.
myst_heading_anchors = 3

EXTRA = "_extra"
"""Folder of generated files that are copied as they are."""
(Path(__file__).parent / EXTRA).mkdir(exist_ok=True)  # Sphinx asks before it is written to
html_extra_path = [EXTRA]

html_theme = "furo"
html_title = f"closedhand {version}"

# Docstrings say `name` for code, which then links wherever there is something to link to.
default_role = "py:obj"
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
autodoc_mock_imports = ["ray.rllib"]  # it has an environment of its own
python_maximum_signature_line_length = 88
napoleon_google_docstring = True
napoleon_numpy_docstring = False
# As a list, `Attributes:` does not describe a second time what autodoc finds in the class itself.
napoleon_use_ivar = True


ROOMS = ("core", "games", "envs", "wrappers", "search", "solvers", "learning", "agents", "bridges",
         "competitions", "arena", "papers", "web", "cli", "commands", "testing")  # fmt: skip
"""The rooms of the package, each with a page of all its modules."""


COMPILER = "closedhand.core.numba.gpu."
"""Modules that need the extra `gpu`, which the documentation is built without."""


def write_reference_pages(app: Any) -> None:
    """Write one page for each room of the package."""
    folder = Path(app.srcdir) / "reference"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for room in ROOMS:
        blocks = [
            f"## {module}\n\n```{{eval-rst}}\n.. automodule:: {module}\n```\n"
            for module in modules_of(import_module(f"closedhand.{room}"))
        ]
        (folder / f"{room}.md").write_text(f"# closedhand.{room}\n\n" + "\n".join(blocks))


def write_replays(app: Any) -> None:
    """Write the replays that pages embed: they lie beside the pages, and are no sources of any."""
    page, files, records_of = (
        import_module(f"closedhand.{name}") for name in ("web.page", "core.files", "core.records")
    )
    folder = Path(app.srcdir) / EXTRA / "replays"
    folder.mkdir(parents=True, exist_ok=True)
    records = list(records_of.read(files.SHIPPED / "deeprocket_match.jsonl"))
    text = page.page(records, "The match of DeepRocket")
    (folder / "deeprocket.html").write_text(text, encoding="utf-8")


def modules_of(package: Any) -> list[str]:
    """The names of a module and of all modules below it."""
    below = pkgutil.walk_packages(getattr(package, "__path__", []), f"{package.__name__}.")
    names = [package.__name__, *(module.name for module in below)]
    return [name for name in names if not name.startswith(COMPILER)]


def write_environment_pages(app: Any) -> None:
    """Write one page for each environment of the registry, their index, and Leduc's graph."""
    environments = closedhand.GAMES
    folder = Path(app.srcdir) / "environments"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, environment in environments.items():
        (folder / f"{name}.md").write_text(environment_page(name, environment), encoding="utf-8")
    (folder / "index.md").write_text(environment_index(environments), encoding="utf-8")
    draw = import_module("closedhand.papers.leduc_slides.graph").plot_graph
    draw(folder / "leduc-graph.svg", closedhand.make_game("uh_leduc"))


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

The rules are in {{py:mod}}`{make.__module__}`.

{environment.doc}
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


def table_picture(name: str, title: str) -> str:
    """The picture of a table in play, if `pictures.py` draws one."""
    if not (Path(__file__).parent / "pictures" / f"{name}.gif").exists():
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
    facts = {
        "players": f"{game.num_players}; {pace}",
        "actions": actions,
        "observation": f"{parts_of(game)}; {game.feature_size} numbers with "
        '`observation="compact"`',
        "rewards": f"{low:,g} to {high:,g}, {'zero-sum' if game.zero_sum else 'general-sum'}",
        "information": information,
        "ids": f"`{environment.aec_id}`, `{environment.gymnasium_id}`",
    }
    return "| | |\n|---|---|\n" + "\n".join(f"| {key} | {text} |" for key, text in facts.items())


def spaces_table(name: str, options: Any) -> str:
    """Actions, observations and payoffs: by default, of every preset, of options that matter."""
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
    """The ids of actions: ranges of those whose notation is equally long, or some of them."""
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


def convert_tables(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Turn the Markdown tables of a docstring, in place, into what reStructuredText knows."""
    converted: list[str] = []
    in_table = False
    for line in lines:
        if not line.startswith("|"):
            in_table = False
            converted.append(line)
            continue
        if not in_table:
            in_table = True
            converted += ["", ".. list-table::", "   :header-rows: 1", ""]
        if not set(line) <= set("|-: "):
            first, *others = (cell.strip() for cell in line.strip()[1:-1].split("|"))
            converted += [f"   * - {first}", *(f"     - {cell}" for cell in others)]
    lines[:] = converted


def keep_colons(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Keep napoleon from taking what stands before a colon for the type of a constant."""
    if what in ("attribute", "data", "property"):
        lines[:0] = ["..", ""]


def skip_tuple_fields(
    app: Any, what: str, name: str, obj: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out the fields of named tuples: all that autodoc finds to say is their number."""
    return True if type(obj).__name__ == "_tuplegetter" else None


def drop_long_values(app: Any, doctree: nodes.document) -> None:
    """Show the values of constants only where they are short, not those of tables and dtypes."""
    for node in list(doctree.findall(addnodes.desc_annotation)):
        text = node.astext()
        if text.startswith(" = ") and len(text) > 60:
            node.parent.remove(node)


def all_if_cut_short(app: Any, env: Any, *_: Any) -> list[str]:
    """The pages to read again: all if the last build ended before it wrote the search index."""
    return [] if (Path(app.outdir) / "searchindex.js").exists() else list(env.all_docs)


OPTION = re.compile(r"~?(?:typing\.)?Annotated\[(.+?), <typer\.models\.\w+ object at \w+>\]")
"""The annotation of a parameter of a command, whose help is no part of its type."""


def drop_options(
    app: Any, what: str, name: str, value: Any, options: Any, signature: str | None, returned: Any
) -> tuple[str | None, Any]:
    """Show the parameters of commands with their types alone."""
    return signature and OPTION.sub(r"\1", signature), returned


NAVIGATION: dict[tuple[Any, ...], str] = {}
"""Navigation of pages of source code, by depth of folders and how it is made."""


def share_navigation(
    app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Make the navigation beside pages of source code once for each depth of folders.

    It is the same there but for the way up to the root; made anew, it takes most of the build.
    """
    if pagename in app.env.all_docs or "toctree" not in context:
        return
    make = context["toctree"]

    def toctree(**how: Any) -> str:
        place = pagename.count("/"), *sorted(how.items())
        if place not in NAVIGATION:
            NAVIGATION[place] = make(**how)
        return NAVIGATION[place]

    context["toctree"] = toctree


def setup(app: Any) -> None:
    """Connect the functions above."""
    app.connect("autodoc-process-signature", drop_options)
    app.connect("html-page-context", share_navigation, priority=400)  # before the theme
    app.connect("env-get-outdated", all_if_cut_short)
    app.connect("builder-inited", write_environment_pages)
    app.connect("builder-inited", write_reference_pages)
    app.connect("builder-inited", write_replays)
    app.connect("autodoc-process-docstring", convert_tables)
    app.connect("autodoc-process-docstring", keep_colons, priority=400)  # before napoleon
    app.connect("autodoc-skip-member", skip_tuple_fields)
    app.connect("doctree-read", drop_long_values)
