"""What a measurement was made on."""

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from closedhand.core.threads import cores


def processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def machine(*packages: str) -> dict[str, str | int]:
    """Processor, cores, and the versions of Python and of those packages that are installed."""
    found: dict[str, str | int] = {
        "processor": processor(),
        "cores": cores(),
        "python": platform.python_version(),
    }
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
