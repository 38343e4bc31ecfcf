"""URLs in the metadata of a package: of the repository on GitHub whose workflow builds it."""

import os
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Urls(MetadataHookInterface):
    """Hatchling's hook: builds elsewhere name no URLs, as a fork or a private copy has others."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the dynamic field `urls`."""
        repository = os.environ.get("GITHUB_REPOSITORY")
        metadata["urls"] = urls(f"https://github.com/{repository}") if repository else {}


def urls(home: str) -> dict[str, str]:
    """What PyPI shows, by label."""
    return {
        "Homepage": home,
        "Documentation": f"{home}/blob/main/docs/index.md",
        "Changelog": f"{home}/blob/main/CHANGELOG.md",
        "Issues": f"{home}/issues",
    }
