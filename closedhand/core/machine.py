"""The machine of a measurement: processor, cores and versions."""

import platform
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from closedhand.core.threads import cores


def processor() -> str:
    """Return the processor's name, else its architecture; empty if the system states neither."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def machine(*packages: str) -> dict[str, str | int]:
    """Return processor, number of cores, and versions of Python and of installed `packages`."""
    found: dict[str, str | int] = {
        "processor": processor(),
        "cores": cores(),
        "python": platform.python_version(),
    }
    for name in packages:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
