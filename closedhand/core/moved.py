"""Old names: what was renamed since version 0.1.0 still works until 1.0, and warns.

`data/moved.json` is the one table of them. It gives the new place of a module (`package.module`),
of a name in a module (`package.module:name`), or of all names of a module that is now a package of
other content (`package.module:*`). Importing this module makes the old modules known to `import`;
modules that still exist and have old names define `__getattr__ = old_names(__name__)`.
"""

import json
import sys
import warnings
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_loader
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

MOVED: dict[str, str] = json.loads(
    (Path(__file__).parents[1] / "data" / "moved.json").read_text(encoding="utf-8")
)
"""The new place of everything that has moved, by the old one."""


def old_names(module: str) -> Any:
    """Make the `__getattr__` of a module: it finds the module's old names, each with a warning.

    Args:
        module: Name of the module.
    """

    def get(name: str) -> Any:
        new = MOVED.get(f"{module}:{name}") or _among_all(module, name)
        if new is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        place, _, path = new.partition(":")
        found = attrgetter(path)(import_module(place))
        _warn(f"{module}:{name}", new)
        return found

    return get


def _among_all(module: str, name: str) -> str | None:
    """The place of a name of a module whose names have all moved to another module."""
    place = MOVED.get(f"{module}:*", MOVED.get(module))
    # Dunder names, which every module is asked for, never moved; submodules come by `import`.
    if place is None or name.startswith("__") or _is_submodule(module, name):
        return None
    return f"{place}:{name}"


def _is_submodule(module: str, name: str) -> bool:
    package = hasattr(sys.modules[module], "__path__")
    return package and find_spec(f"{module}.{name}") is not None


def _warn(old: str, new: str) -> None:
    text = f"{old} is now {new}; the old name will go with 1.0".replace(":", ".")
    warnings.warn(text, DeprecationWarning, stacklevel=3)


def remake(make: Any, name: str, options: dict[str, Any]) -> Any:
    """Make a `Game` from a pickle of version 0.1.0, which holds these arguments."""
    return make(name, **options)


class _Finder(MetaPathFinder, Loader):
    """Imports the modules of the new names by their old names."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        return spec_from_loader(fullname, self) if fullname in MOVED else None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        _warn(name, MOVED[name])
        if any(old.startswith(f"{name}:") for old in MOVED):
            # Its names are in several places now.
            vars(module)["__getattr__"] = old_names(name)
        else:
            sys.modules[name] = import_module(MOVED[name])


# First in the list: the submodules of an old package are also in the folder of the new one, and
# must not be loaded a second time from there.
sys.meta_path.insert(0, _Finder())
