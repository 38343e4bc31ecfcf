"""URLs and the description in the metadata of a package, for the repository that builds it."""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)]*)\)")
"""A relative link of Markdown, or a picture: mark, text, target."""


class About(MetadataHookInterface):
    """Hatchling's hook: builds elsewhere name no URLs, as a fork or a private copy has others."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the dynamic fields `urls` and `readme`."""
        repository = os.environ.get("GITHUB_REPOSITORY")
        metadata["urls"] = urls(f"https://github.com/{repository}") if repository else {}
        readme = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = description(readme, repository)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def urls(home: str) -> dict[str, str]:
    """What PyPI shows, by label."""
    return {
        "Homepage": home,
        "Documentation": f"{home}/blob/main/docs/index.md",
        "Changelog": f"{home}/blob/main/CHANGELOG.md",
        "Issues": f"{home}/issues",
    }


def description(readme: str, repository: str | None) -> str:
    """Make the links and pictures of the README absolute, as a package index has no such files.

    Args:
        readme: The text.
        repository: Owner and name on GitHub; None: pictures go, links become their texts.
    """

    def absolute(match: re.Match[str]) -> str:
        mark, text, target = match.groups()
        if repository is None:
            return "" if mark else text
        home = "https://raw.githubusercontent.com" if mark else "https://github.com"
        place = f"{repository}/main" if mark else f"{repository}/blob/main"
        return f"{mark}[{text}]({home}/{place}/{target})"

    return LINK.sub(absolute, readme)
