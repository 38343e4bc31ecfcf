"""Libraries of the package's extras, which may not be installed: they are imported where used."""

from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from closedhand.core.game import InputError

MODULES = {
    "data": ("lightning", "pyarrow"),
    "dev": ("playwright",),
    "examples": ("tianshou", "torchrl"),
    "gpu": ("numba_cuda",),
    "learn": ("tensorboard",),
    "peers": ("open_spiel", "phevaluator", "pygame", "pyspiel", "rlcard"),
    "play": ("safetensors", "torch"),
    "plot": ("matplotlib",),
    "ray": ("ray",),
    "render": ("PIL",),
    "solve": ("scipy",),
    "train": ("sb3_contrib", "stable_baselines3"),
    "web": ("starlette", "uvicorn", "websockets"),
}
"""Modules that the package imports, by the smallest extra of `pyproject.toml` that has them."""
EXTRAS = {module: extra for extra, modules in MODULES.items() for module in modules}


def require(*modules: str) -> None:
    """Raise an `InputError` if a module is not installed; import none. Call it before long work."""
    for module in modules:
        try:
            is_there = find_spec(module) is not None
        except (ImportError, ValueError):  # ValueError: imported, but without a spec
            is_there = False
        if not is_there:
            raise InputError(_line(module))


@contextmanager
def needing(user: str | None = None) -> Generator[None]:
    """Name the extra to install if an import in the block fails.

    If a missing module is in no extra, the message says that `user`, such as an agent of another
    package, needs it. Without `user`, or if the module is the user's own, the error is unchanged.

    Raises:
        InputError: A module is missing, or too old to have what is imported from it.
    """
    try:
        yield
    except ImportError as error:
        top = (error.name or "").partition(".")[0]
        if top in EXTRAS:
            raise InputError(_line(top)) from None
        is_missing = isinstance(error, ModuleNotFoundError) and top
        if user is None or not is_missing or top == user.partition(".")[0]:
            raise
        raise InputError(f"no module {error.name}, which {user} needs") from None


def imported(module: str) -> Any:
    """Import a module, such as `PIL.Image`; an `InputError` names the extra if it is missing."""
    with needing():
        return import_module(module)


def _line(module: str) -> str:
    if module not in EXTRAS:
        return f"the module {module} is missing"
    extra = EXTRAS[module]
    line = f"the module {module} is missing or too old: pip install 'closedhand[{extra}]'"
    return f"{line} to play, 'closedhand[learn]' to train" if extra == "play" else line
