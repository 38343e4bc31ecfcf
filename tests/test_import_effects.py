"""Importing closedhand changes nothing in the process of its user but what it adds by name."""

import pytest
from support import run_program

STATE = """
import atexit, copyreg, decimal, faulthandler, gc, locale, logging, multiprocessing, os, random
import signal, socket, sys, tempfile, threading, warnings
import numpy as np
import numba, numba.core.event, numba.core.config
import gymnasium, pettingzoo

def foreign(names):
    return {name: id(value) for name, value in names.items() if "closedhand" not in str(name)}

def ours(key):
    return getattr(key, "__module__", "").startswith("closedhand")

def state():
    loggers = [logging.getLogger(), *(
        logger for name, logger in logging.root.manager.loggerDict.items()
        if isinstance(logger, logging.Logger)
    )]
    found = {
        "warnings": (list(warnings.filters), warnings.showwarning, warnings.formatwarning),
        "signals": [signal.getsignal(number) for number in signal.valid_signals()],
        "environment": dict(os.environ),
        "import": (sys.meta_path[:], sys.path[:], sys.path_hooks[:]),
        "hooks": (sys.excepthook, sys.unraisablehook, sys.displayhook, threading.excepthook),
        "tracing": (sys.gettrace(), sys.getprofile(), faulthandler.is_enabled()),
        "streams": [(s, s.errors, s.encoding) for s in (sys.stdin, sys.stdout, sys.stderr)],
        "loggers": [(log.name, log.level, log.handlers[:], log.filters[:]) for log in loggers
                    if log.level or log.handlers or log.filters],
        "logging": (logging.root.manager.disable, logging.getLoggerClass()),
        "numbers": (np.get_printoptions(), np.geterr(), str(decimal.getcontext())),
        "random": (random.getstate(), repr(np.random.get_state())),
        "limits": (sys.getrecursionlimit(), sys.getswitchinterval(), gc.get_threshold(),
                   gc.isenabled(), gc.get_freeze_count()),
        "exits": atexit._ncallbacks(),
        "threads": threading.active_count(),
        "processes": multiprocessing.get_start_method(allow_none=True),
        "pickling": {key: value for key, value in copyreg.dispatch_table.items() if not ours(key)},
        "numba": ({kind: list(listeners) for kind, listeners
                                            in numba.core.event._registered.items() if listeners},
                  {name: getattr(numba.config, name) for name in dir(numba.config)
                   if name.isupper()}),
        "places": (os.getcwd(), locale.setlocale(locale.LC_ALL), tempfile.tempdir,
                   socket.getdefaulttimeout()),
        "envs": (foreign(gymnasium.registry), foreign(pettingzoo.aec_registry),
                 foreign(pettingzoo.parallel_registry)),
    }
    torch = sys.modules.get("torch")
    if torch is not None:
        found["torch"] = (
            torch.get_num_threads(), torch.get_num_interop_threads(), torch.get_default_dtype(),
            torch.initial_seed(), torch.is_grad_enabled(), torch.get_float32_matmul_precision(),
            torch.are_deterministic_algorithms_enabled(), torch.backends.cudnn.benchmark,
        )
    return found

def changes(before, after):
    return {name: (before[name], after[name]) for name in before if before[name] != after[name]}
"""

PLAIN = (
    STATE
    + """
before = state()
import closedhand
print(changes(before, state()))
print("torch" in sys.modules)
"""
)

ALL = (
    STATE
    + """
import importlib, pkgutil
for name in ("torch", "lightning", "lightning.pytorch", "stable_baselines3", "sb3_contrib", "ray",
             "matplotlib.figure", "PIL.Image", "pyarrow.parquet", "scipy.sparse", "starlette",
             "uvicorn", "websockets", "rich.console", "typer", "safetensors.torch", "torchrl",
             "tianshou", "rlcard", "pyspiel", "torch.utils.tensorboard"):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        pass
import closedhand
before = state()
done = 0
for module in pkgutil.walk_packages(closedhand.__path__, "closedhand."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
            done += 1
        except ModuleNotFoundError as error:
            assert not error.name.startswith("closedhand"), error
print(changes(before, state()))
print(done > 200)
"""
)


def test_importing_the_package_changes_nothing_of_others() -> None:
    done = run_program(PLAIN)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "{}\nFalse\n"


@pytest.mark.slow
def test_importing_every_module_changes_nothing_of_others() -> None:
    done = run_program(ALL)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "{}\nTrue\n"
