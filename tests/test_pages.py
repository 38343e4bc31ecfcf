"""The pages of the manual: what they say of files, and what they leave to the notebook."""

import hashlib
import pkgutil
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from closedhand.core.files import SHIPPED

ROOT = Path(__file__).parents[1]
GENERATED = ("benchmarks-table",)
PAGES = [each for each in sorted((ROOT / "docs").glob("*.md")) if each.stem not in GENERATED]
SOURCES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
SOURCES = [each for each in SOURCES if not {"_build", "reference"} & set(each.parts)]
MANUAL = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES]
WEIGHTS = re.compile(r"`(\w+\.(?:npz|safetensors))`\s\(`([0-9a-f]{12})…`\)")
"""A file of weights and the beginning of its SHA-256, as model cards state them."""


def test_model_cards_are_of_the_weights_that_ship() -> None:
    stated = {
        name: digest for page in PAGES for name, digest in WEIGHTS.findall(page.read_text("utf-8"))
    }
    assert len(stated) >= 6
    for name, digest in stated.items():
        assert hashlib.sha256((SHIPPED / name).read_bytes()).hexdigest().startswith(digest), name


@pytest.mark.parametrize("page", MANUAL, ids=lambda page: page.stem)
def test_pages_name_no_former_version(page: Path) -> None:
    assert not re.findall(r"\bversions? 0\.\d|\bsince 0\.\d", page.read_text("utf-8"))


def test_the_notebook_lists_its_pages() -> None:
    folder = ROOT / "research"
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", (folder / "README.md").read_text("utf-8")))
    assert listed == {page.name for page in folder.glob("*.md")} - {"README.md"}


def test_the_description_of_a_package_has_absolute_links(monkeypatch: pytest.MonkeyPatch) -> None:
    interface = SimpleNamespace(MetadataHookInterface=object)
    monkeypatch.setitem(sys.modules, "hatchling.metadata.plugin.interface", interface)
    description = runpy.run_path(str(ROOT / "hatch_build.py"))["description"]
    readme = (ROOT / "README.md").read_text("utf-8")
    for repository, pictures, links in (("a/b", 1, 20), (None, 0, 0)):
        text = description(readme, repository)
        assert not re.findall(r"\]\((?!https?:|#)", text)
        assert text.count("![") == text.count(
            "(https://raw.githubusercontent.com/a/b/main/docs/pic"
        )
        assert text.count("![") == pictures and text.count("/a/b/blob/main/") >= links
    assert (
        "](https://github.com/a/b/blob/main/docs/learners.md#training-on-records)"
        in description(readme, "a/b")
    )


def linked(page: Path) -> list[tuple[str, str]]:
    """The links and pictures of a page to files: text and target, without those in code."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S)
    text = re.sub(r"`[^`\n]*`", "code", text)
    return re.findall(r"\[([^\]]*)\]\((?!https?:)([^)\s]*)\)", text)


@pytest.mark.parametrize("page", SOURCES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_pages_read_well_as_sources(page: Path) -> None:
    """On a forge: every link has a text and a target, and roles are in the API pages alone."""
    for text, target in linked(page):
        assert text, target
        path, _, anchor = target.partition("#")
        place = page.parent / path if path else page
        assert place.exists(), f"{page.name}: {target}"
        if anchor:
            assert anchor in anchors(place), f"{page.name}: {target}"
    text = page.read_text("utf-8")
    if page.parent.name != "api":
        assert not re.findall(r"\{(?:py:\w+|doc|ref)\}`|^```\{(?!toctree)", text, re.M)
        for name in re.findall(r"`(closedhand(?:\.\w+)+)`", text):
            if not name.startswith("closedhand.wrappers.rllib"):  # an environment of its own
                pkgutil.resolve_name(name)


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page, as a forge makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


def test_generated_pages_are_those_of_their_generator() -> None:
    """`make pages` writes them; in a process of its own, as it switches compilation off."""
    program = (
        "import runpy, sys; found = runpy.run_path('docs/generate.py')['generated']();"
        "sys.exit(', '.join(str(p) for p, text in found.items()"
        " if not p.exists() or p.read_text('utf-8') != text) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"make pages: {done.stderr}"


def test_everything_that_ships_is_on_the_page_of_weights() -> None:
    page = (ROOT / "docs" / "weights.md").read_text("utf-8")
    for path in SHIPPED.iterdir():
        assert f"`{path.name}` (`{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}…`)" in page


def test_the_manual_is_short() -> None:
    """Words written by hand: without code, signs and what is generated."""
    words = 0
    for page in [ROOT / "README.md", *PAGES]:
        text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S)
        words += len(re.findall(r"\S*\w\S*", text))
    assert words <= 25_000
