"""The pages of the manual: what they say of files, and what they leave to the notebook."""

import hashlib
import re
from pathlib import Path

import pytest

from closedhand.core.files import SHIPPED

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
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
