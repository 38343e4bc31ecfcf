"""Sphinx configuration; the pages of modules are generated."""

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
exclude_patterns = ["_build", "_extra"]

# Headings may be linked to as `guide.md#self-play`.
myst_heading_anchors = 3

EXTRA = "_extra"
"""Folder of generated files that are copied as they are."""
(Path(__file__).parent / EXTRA).mkdir(exist_ok=True)  # Sphinx wants the folder before it is filled
html_extra_path = [EXTRA]

html_theme = "furo"
html_title = f"closedhand {version}"

# Docstrings write code as `name`; by this role it becomes a link if the name is documented.
default_role = "py:obj"
autodoc_default_options = {
    "members": True,
    "member-order": "bysource",
    "ignore-module-all": True,  # a name is documented where it is defined, and only there
}
autodoc_typehints_format = "short"
autodoc_mock_imports = ["ray.rllib"]  # RLlib needs a Python environment of its own
python_maximum_signature_line_length = 88
napoleon_google_docstring = True
napoleon_numpy_docstring = False
# As a list, so that `Attributes:` does not repeat fields that autodoc documents itself.
napoleon_use_ivar = True
napoleon_custom_sections = [("Options", "params_style")]  # of a command


ROOMS = ("core", "games", "envs", "wrappers", "search", "solvers", "learning", "agents", "bridges",
         "competitions", "arena", "papers", "web", "cli", "commands", "testing")  # fmt: skip
"""Subpackages, each with a page of all its modules."""


NAME = re.compile(r"closedhand(\.\w+)+")
"""A name of the package that a page writes as code."""
COMPILER = "closedhand.core.numba.gpu."
"""Modules that need the extra `gpu`, which the documentation is built without."""


def write_reference_pages(app: Any) -> None:
    """Write the page of each subpackage in `ROOMS`."""
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
    """Write the replays that pages embed, as HTML files that Sphinx copies unchanged."""
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


def link_names(app: Any, doctree: nodes.document) -> None:
    """Link the names of modules, classes and functions, which pages write as plain code."""
    docname = app.env.current_document.docname
    if docname.startswith(("reference/", "api/")):
        return
    for node in list(doctree.findall(nodes.literal)):
        if NAME.fullmatch(node.astext()) and not isinstance(node.parent, nodes.reference):
            link = addnodes.pending_xref(
                "", node.deepcopy(), refdomain="py", reftype="obj", refexplicit=True,
                reftarget=place_of(node.astext()), refdoc=docname,
            )  # fmt: skip
            node.replace_self(link)


def place_of(name: str) -> str:
    """Return the full name under which a name is documented: that in the module that defines it."""
    value = pkgutil.resolve_name(name)
    module, own = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    return f"{module}.{own}" if module and own else name


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
    """Keep napoleon from reading the words before a colon as the type of a value."""
    if what in ("attribute", "data", "property"):
        lines[:0] = ["..", ""]
    for number in [i for i, line in enumerate(lines) if line in ("Returns:", "Yields:")][::-1]:
        lines[number + 1 : number + 1] = ["    ..", ""]


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
"""Navigation of pages of source code, by depth of folders and arguments of `toctree`."""


def share_navigation(
    app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Make the navigation beside pages of source code once for each depth of folders.

    Only its relative path to the root differs. Making it for every page takes most of a build.
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
    app.connect("builder-inited", write_reference_pages)
    app.connect("builder-inited", write_replays)
    app.connect("autodoc-process-docstring", convert_tables)
    app.connect("autodoc-process-docstring", keep_colons, priority=400)  # before napoleon
    app.connect("autodoc-skip-member", skip_tuple_fields)
    app.connect("doctree-read", drop_long_values)
    app.connect("doctree-read", link_names)
