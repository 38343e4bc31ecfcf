"""What `make dist` built: its contents, and README's code in an environment that holds only it.

    python -m tests.distribution dist

Not a part of the test suite: it installs the dependencies of the wheel into a new environment.
"""

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterable
from email.parser import Parser
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
SOURCES = ("README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "pyproject.toml",
           "hatch_build.py", "Makefile", "constraints.txt", "docs/index.md",
           "tests/conftest.py")  # fmt: skip
"""Files of which a source distribution holds a copy."""
GENERATED = (".nbi", ".nbc", ".pyc")
UNWANTED = ("runs/", "research/")
"""Folders that no distribution holds: results, and the notebook."""


def files_of(*places: str) -> set[str]:
    """The files of the repository at some places, as git has them."""
    listed = subprocess.run(
        ["git", "ls-files", *places], cwd=REPOSITORY, check=True, capture_output=True, text=True
    )
    return set(listed.stdout.split())


def package_files() -> set[str]:
    """The files of the package."""
    return files_of("closedhand", "closedhand_command.py")


def missing_or_extra(found: Iterable[str], wanted: set[str]) -> str:
    """The differences between two sets of files; empty if there are none."""
    found = set(found)
    lines = [f"lacks {name}" for name in sorted(wanted - found)]
    return "\n".join(lines + [f"should not hold {name}" for name in sorted(found - wanted)])


def check_wheel(path: Path) -> None:
    """The wheel holds the package and nothing else, and says what it is.

    Raises:
        SystemExit: It does not.
    """
    with zipfile.ZipFile(path) as wheel:
        names = [name for name in wheel.namelist() if ".dist-info/" not in name]
        about = {name.partition("/")[2]: name for name in wheel.namelist() if name not in names}
        metadata = Parser().parsestr(wheel.read(about["METADATA"]).decode())
        points = wheel.read(about["entry_points.txt"]).decode()
    examples = {f"closedhand/{name}" for name in files_of("examples")}
    wrong = missing_or_extra(names, package_files() | examples)
    if wrong:
        sys.exit(f"{path}: {wrong}")
    classifiers = metadata.get_all("Classifier") or []
    for minor in (11, 12, 13):
        assert f"Programming Language :: Python :: 3.{minor}" in classifiers
    assert metadata["Requires-Python"] == ">=3.11"
    urls = metadata.get_all("Project-URL") or []
    home = os.environ.get("GITHUB_REPOSITORY")
    assert len(urls) == (4 if home else 0)
    assert all(f"github.com/{home}" in url for url in urls)
    description = metadata.get_payload()
    assert "# closedhand" in description
    relative = re.findall(r"\]\((?!https?:|#)[^)]*\)", description)
    if relative or ("https://raw.githubusercontent.com/" in description) != bool(home):
        sys.exit(f"{path}: links of the description that an index cannot show: {relative}")
    assert metadata["License-Expression"] == "Apache-2.0" and "licenses/LICENSE" in about
    assert {"play", "train", "render"} <= set(metadata.get_all("Provides-Extra") or [])
    assert "closedhand = closedhand_command:main" in points
    assert "[closedhand.games]" in points and "[closedhand.agents]" in points


def check_sdist(path: Path) -> None:
    """The source distribution holds the package, what builds and tests it, and no more.

    Raises:
        SystemExit: It does not.
    """
    with tarfile.open(path) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    package = {name for name in names if name.startswith(("closedhand/", "closedhand_command"))}
    wrong = missing_or_extra(package, package_files())
    lacking = [name for name in SOURCES if name not in names]
    unwanted = [name for name in names if name.endswith(GENERATED) or name.startswith(UNWANTED)]
    if wrong or lacking or unwanted:
        sys.exit(f"{path}: {wrong or lacking or unwanted}")


def try_out(wheel: Path) -> None:
    """Install the wheel into an empty environment, and run README's code there.

    Raises:
        CalledProcessError: Something failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        venv.create(place / "env", with_pip=True)
        python = next((place / "env").glob("[bS]*/python*"))
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}

        def run(*command: str) -> None:
            subprocess.run([python, *command], check=True, cwd=place, env=clean)

        pip = ("-m", "pip", "install", "--disable-pip-version-check", "-q")
        run(*pip, "-c", str(REPOSITORY / "constraints.txt"), str(wheel))
        command = "import closedhand_command; closedhand_command.main()"
        run("-c", command, "example", "kuhn-poker")
        run(*pip, "--no-deps", "./examples/kuhn-poker")
        run("-m", "pip", "check")
        script = place / "readme.py"
        script.write_text("\n".join(BLOCK.findall((REPOSITORY / "README.md").read_text("utf-8"))))
        run(str(script))
        run("-c", command, "--version")
        run("-c", command, "bench", "leduc", "--seconds", "0.1")
        run("-c", command, "match", "leduc", "--agents", "random,random", "--deals", "20",
            "--workers", "1")  # fmt: skip
        # The example game, a package of its own, is found and keeps the contract.
        run("-c", "from closedhand import make_game; from closedhand.testing import check_game; "
            "check_game(make_game('kuhn'))")  # fmt: skip


def main() -> None:
    """Check the files in a folder."""
    folder = Path(sys.argv[1]).resolve()
    [wheel], [sdist] = folder.glob("*.whl"), folder.glob("*.tar.gz")
    check_wheel(wheel)
    check_sdist(sdist)
    try_out(wheel)
    print(f"{wheel.name} and {sdist.name} hold what they should, and README's code runs")


if __name__ == "__main__":
    main()
