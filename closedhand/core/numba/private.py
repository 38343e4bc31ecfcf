"""The private functions and attributes of Numba that closedhand relies on, checked at import.

Numba may change them in any version. A version that lacks one of them is refused with one line.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportMissingTypeStubs=false
# Numba's internals have no types.

from collections.abc import Iterator
from itertools import chain
from pkgutil import resolve_name
from types import FunctionType

import numba

VERSIONS = "numba>=0.61,<0.69"
"""The versions of Numba for which the tests pass, as in `pyproject.toml`."""
LACKING = f"closedhand needs {VERSIONS}; Numba {numba.__version__} lacks what it builds on"

try:
    from numba.core import cgutils as cgutils, imputils as imputils, ir as ir, sigutils as sigutils
    from numba.core.caching import (
        FunctionCache as FunctionCache,
        IndexDataCacheFile as IndexDataCacheFile,
    )
    from numba.core.codegen import (
        JITCodeLibrary as JITCodeLibrary,
        JITCPUCodegen as JITCPUCodegen,
        RuntimeLinker as RuntimeLinker,
    )
    from numba.core.compiler import Compiler as Compiler
    from numba.core.compiler_machinery import register_pass as register_pass
    from numba.core.dispatcher import Dispatcher as Dispatcher
    from numba.core.environment import lookup_environment as lookup_environment
    from numba.core.errors import NumbaRuntimeError as NumbaRuntimeError
    from numba.core.funcdesc import default_mangler as default_mangler
    from numba.core.registry import CPUDispatcher as CPUDispatcher
    from numba.core.typed_passes import NativeLowering as NativeLowering
    from numba.core.typing.context import Context as Context
    from numba.core.typing.templates import (
        infer_global as infer_global,
        make_overload_template as make_overload_template,
    )
    from numba.np.arrayobj import make_array as make_array
except ImportError as error:
    raise ImportError(f"{LACKING}: {error}") from error

# Each line is a module or class, then names in it that are called, read, overridden or replaced.
# An attribute that only objects have counts as known if a method of their class uses it.
_NAMES = """
numba.core.base.BaseContext make_array make_tuple mangler subtarget
numba.core.caching.FunctionCache _load_overload _save_overload load_overload
numba.core.caching.FunctionCache _cache_file _cache_path _impl filename_base locator
numba.core.caching.IndexDataCacheFile _data_path _dump _index_path _open_for_write _source_stamp
numba.core.caching.IndexDataCacheFile _load_data _load_index _save_data _save_index load save
numba.core.cgutils alloca_once_value for_range_slice get_or_insert_function
numba.core.codegen.JITCodeLibrary _finalize_specific _get_module_for_linking _optimize_final_module
numba.core.codegen.JITCodeLibrary serialize_using_bitcode serialize_using_object_code
numba.core.codegen.JITCodeLibrary _final_module _shared_module
numba.core.codegen.JITCPUCodegen _add_module _library_class set_env
numba.core.codegen.RuntimeLinker PREFIX
numba.core.compiler.Compiler compile_extra define_pipelines
numba.core.cpu.CPUContext _internal_codegen
numba.core.cpu.CPUTargetOptions forceinline no_cfunc_wrapper no_cpython_wrapper
numba.core.dispatcher.Dispatcher _numba_type_ compile fold_argument_types get_call_template
numba.core.dispatcher.Dispatcher _cache py_func targetoptions
numba.core.imputils impl_ret_borrowed
numba.core.ir Assign Expr Var
numba.core.sigutils normalize_signature
numba.core.typed_passes.NativeLowering _name pass_id run_pass
numba.core.types.containers.NamedTuple instance_class
numba.core.typing.templates._OverloadFunctionTemplate _build_impl _impl_cache _overload_func
numba.core.typing.templates._OverloadFunctionTemplate _strict context
"""


def missing() -> Iterator[str]:
    """Yield the names of `_NAMES` that this Numba lacks, after their module or class and a dot."""
    for line in _NAMES.strip().split("\n"):
        place, *names = line.split()
        known = _names_in(place)
        yield from (f"{place}.{name}" for name in names if name not in known)


def _names_in(place: str) -> set[str]:
    """Return the names in a module or class, and those that the methods of the class use."""
    try:
        owner = resolve_name(place)
    except (ImportError, AttributeError):
        return set()
    members = chain.from_iterable(vars(each).values() for each in getattr(owner, "__mro__", ()))
    codes = (each.__code__ for each in members if isinstance(each, FunctionType))
    return {*dir(owner), *chain.from_iterable(code.co_names for code in codes)}


if parts := ", ".join(missing()):
    raise ImportError(f"{LACKING}: {parts}")
