"""The private functions and attributes of Numba that closedhand relies on, checked at import.

Numba may change them in any version. A version that lacks one of them is refused with one line.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportMissingTypeStubs=false
# Numba's internals have no types.

from collections.abc import Iterator
from importlib import import_module
from operator import attrgetter
from typing import Any

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

# Functions that are overridden or called, with all their positional parameters.
_FUNCTIONS = """
numba.core.base BaseContext.subtarget(self)
numba.core.base BaseContext.make_array(self, typ)
numba.core.base BaseContext.make_tuple(self, builder, typ, values)
numba.core.base BaseContext.mangler(self, name, types)
numba.core.caching FunctionCache._load_overload(self, sig, target_context)
numba.core.caching FunctionCache._save_overload(self, sig, data)
numba.core.caching FunctionCache.load_overload(self, sig, target_context)
numba.core.caching IndexDataCacheFile.__init__(self, cache_path, filename_base, source_stamp)
numba.core.caching IndexDataCacheFile.load(self, key)
numba.core.caching IndexDataCacheFile.save(self, key, data)
numba.core.caching IndexDataCacheFile._load_index(self)
numba.core.caching IndexDataCacheFile._save_index(self, overloads)
numba.core.caching IndexDataCacheFile._load_data(self, name)
numba.core.caching IndexDataCacheFile._save_data(self, name, data)
numba.core.caching IndexDataCacheFile._data_path(self, name)
numba.core.caching IndexDataCacheFile._dump(self, obj)
numba.core.cgutils alloca_once_value(builder, value, name, zfill)
numba.core.cgutils get_or_insert_function(module, fnty, name)
numba.core.codegen JITCodeLibrary.serialize_using_bitcode(self)
numba.core.codegen JITCodeLibrary.serialize_using_object_code(self)
numba.core.codegen JITCodeLibrary._get_module_for_linking(self)
numba.core.codegen JITCodeLibrary._optimize_final_module(self)
numba.core.codegen JITCodeLibrary._finalize_specific(self)
numba.core.codegen JITCPUCodegen._add_module(self, module)
numba.core.codegen JITCPUCodegen.set_env(self, env_name, env)
numba.core.compiler Compiler.compile_extra(self, func)
numba.core.compiler Compiler.define_pipelines(self)
numba.core.dispatcher Dispatcher.__init__(self, py_func, locals, targetoptions, pipeline_class)
numba.core.dispatcher Dispatcher.compile(self, sig)
numba.core.dispatcher Dispatcher.fold_argument_types(self, args, kws)
numba.core.dispatcher Dispatcher.get_call_template(self, args, kws)
numba.core.environment lookup_environment(env_name)
numba.core.funcdesc default_mangler(name, argtypes)
numba.core.imputils impl_ret_borrowed(ctx, builder, retty, ret)
numba.core.sigutils normalize_signature(sig)
numba.core.typing.templates _OverloadFunctionTemplate._build_impl(self, cache_key, args, kws)
numba.core.typing.templates Registry.register_global(self, val, typ)
numba.core.typed_passes NativeLowering.run_pass(self, state)
numba.np.arrayobj make_array(array_type)
"""

# Attributes of instances, with the function that sets or reads them. Finding the name in that
# function avoids making an instance.
_ATTRIBUTES = """
numba.core.caching FunctionCache.__init__ _impl _cache_path _cache_file locator filename_base
numba.core.caching IndexDataCacheFile.__init__ _index_path _source_stamp
numba.core.caching IndexDataCacheFile._save_index _open_for_write
numba.core.codegen CPUCodeLibrary.__init__ _shared_module
numba.core.codegen JITCPUCodegen.create_library _library_class
numba.core.codegen JITCodeLibrary._optimize_final_module _final_module
numba.core.cpu CPUContext.codegen _internal_codegen
numba.core.dispatcher Dispatcher.__init__ _cache targetoptions
numba.core.dispatcher _FunctionCompiler.__init__ py_func targetoptions pipeline_class
numba.core.types.containers NamedTuple.__init__ instance_class
numba.core.typing.templates _OverloadFunctionTemplate._build_impl context
numba.core.typing.templates _OverloadFunctionTemplate._build_impl _impl_cache _overload_func _strict
"""

# Values: options of a compilation, and attributes that are replaced or read without a call.
_VALUES = """
numba.core.codegen JITCPUCodegen._library_class
numba.core.codegen RuntimeLinker.PREFIX
numba.core.cpu CPUTargetOptions.forceinline
numba.core.cpu CPUTargetOptions.no_cfunc_wrapper
numba.core.cpu CPUTargetOptions.no_cpython_wrapper
numba.core.dispatcher Dispatcher._numba_type_
numba.core.typed_passes NativeLowering._name
numba.core.typed_passes NativeLowering.pass_id
"""


def missing() -> Iterator[str]:
    """Find the private names that are missing, or take other parameters, in this Numba."""
    for line in _FUNCTIONS.split("\n")[1:-1]:
        module, text = line.split(" ", 1)
        path, _, arguments = text.removesuffix(")").partition("(")
        code = getattr(_find(module, path), "__code__", None)
        names = arguments.split(", ")
        if code is None or list(code.co_varnames[: code.co_argcount]) != names:
            yield f"{module}.{text}"
    for line in _ATTRIBUTES.split("\n")[1:-1]:
        module, path, *names = line.split()
        code = getattr(_find(module, path), "__code__", None)
        used = () if code is None else code.co_names
        yield from (f"{module}.{path}: {name}" for name in names if name not in used)
    for line in _VALUES.split("\n")[1:-1]:
        module, path = line.split()
        if _find(module, path) is None:
            yield f"{module}.{path}"


def _find(module: str, path: str) -> Any:
    try:
        return attrgetter(path)(import_module(module))
    except (ImportError, AttributeError):
        return None


if parts := ", ".join(missing()):
    raise ImportError(f"{LACKING}: {parts}")
