"""Sphinx configuration; the pages of environments and modules are generated."""

import os
import pkgutil
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes

# Kernels stay plain functions: autodoc sees their signatures, and nothing is compiled.
os.environ["NUMBA_DISABLE_JIT"] = "1"

closedhand = import_module("closedhand")

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
exclude_patterns = ["_build", "benchmarks-table.md"]

html_theme = "furo"
html_title = f"closedhand {version}"

# Docstrings say `name` for code, which then links wherever there is something to link to.
default_role = "py:obj"
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
napoleon_google_docstring = True
napoleon_numpy_docstring = False
# As a list, `Attributes:` does not describe a second time what autodoc finds in the class itself.
napoleon_use_ivar = True


ROOMS = ("core", "games", "envs", "wrappers", "search", "baselines", "arena", "papers", "cli",
         "commands", "testing")  # fmt: skip
"""The rooms of the package, each with a page of all its modules."""


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


def modules_of(package: Any) -> list[str]:
    """The names of a module and of all modules below it."""
    below = pkgutil.walk_packages(getattr(package, "__path__", []), f"{package.__name__}.")
    return [package.__name__, *(module.name for module in below)]


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


def environment_page(name: str, environment: Any) -> str:
    """How to make an environment, then what its game's docstring says."""
    make = import_module("closedhand.core.registry").load(environment.make)
    parallel = ""
    if environment.parallel_id:
        parallel = f'env = pettingzoo.make("parallel", "{environment.parallel_id}")\n'
    return f"""# {name}

```python
env = pettingzoo.make("aec", "{environment.aec_id}")
{parallel}env = gymnasium.make("{environment.gymnasium_id}")
envs = gymnasium.make_vec("{environment.gymnasium_id}", num_envs=1024, reward="seats")
```

The rules are in {{py:mod}}`{make.__module__}`.

{environment.doc}
"""


def environment_index(environments: dict[str, Any]) -> str:
    """The table of all environments."""
    rows = "\n".join(
        f"| [{name}]({name}.md) | `{environment.aec_id}` | `{environment.gymnasium_id}` |"
        for name, environment in environments.items()
    )
    pages = "\n".join(environments)
    return f"""# Environments

| | PettingZoo | Gymnasium |
|---|---|---|
{rows}

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


def setup(app: Any) -> None:
    """Connect the functions above."""
    app.connect("builder-inited", write_environment_pages)
    app.connect("builder-inited", write_reference_pages)
    app.connect("autodoc-process-docstring", convert_tables)
    app.connect("autodoc-process-docstring", keep_colons, priority=400)  # before napoleon
    app.connect("autodoc-skip-member", skip_tuple_fields)
    app.connect("doctree-read", drop_long_values)
