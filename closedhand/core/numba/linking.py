"""Kernels called by kernels: compiled once to LLVM code, and to machine code only in the caller.

Numba compiles every function to machine code with a wrapper for Python, even if only other compiled
functions call it, and optimises it once by itself and once more in each caller. Here each kernel is
compiled in two ways. As a *part*, which compiled functions call, it is only typed and lowered to
LLVM code. As a *whole*, which Python calls, it is linked with the parts that it calls, optimised
and compiled to machine code. This saves a third of the time of compiling a game.

A part that neither makes, stores nor returns a reference to an array does not count references: its
caller holds all arguments. Numba would increment and decrement the reference count of each by
atomic instructions, which take longer than most rules of a game.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false
# Numba's compiler, from which ours derives, has no types.

import gc
import hashlib
from collections.abc import Callable, Iterator
from functools import cache, update_wrapper
from types import FunctionType
from typing import Any, cast

from numba import types

from closedhand.core import interrupt
from closedhand.core.numba import private
from closedhand.core.numba.notices import announce_compilation


def _called_by_address(module: Any) -> Iterator[str]:
    """Find the functions of an LLVM module that are called by address: recursive ones."""
    for variable in module.global_variables:
        if variable.name.startswith(private.RuntimeLinker.PREFIX):
            yield variable.name.removeprefix(private.RuntimeLinker.PREFIX)


def is_closed(result: Any) -> bool:
    """Return whether code holds no address of this process, so that other processes can load it."""
    return not any(_called_by_address(result.library._final_module))


class _Library(private.JITCodeLibrary):
    """The LLVM code of a part, which is linked into wholes and never executed by itself."""

    serialize_using_object_code = cast(Any, private.JITCodeLibrary.serialize_using_bitcode)

    def _get_module_for_linking(self) -> Any:
        module = super()._get_module_for_linking()
        defined = {function.name for function in module.functions}
        for name in defined.intersection(_called_by_address(module)):
            # LLVM must keep the function even if it has inlined all other calls of it.
            module.get_function(name).linkage = "weak_odr"
        return module

    def _optimize_final_module(self) -> None:
        """Do nothing: the whole is optimised after linking."""

    def _finalize_specific(self) -> None:
        """Do nothing: there is no machine code."""


class _Codegen(private.JITCPUCodegen):
    """A generator of code for this processor; the code is not loaded into the process."""

    _library_class = _Library

    def _add_module(self, module: Any) -> None:
        """Do nothing: no code is executed."""

    def set_env(self, env_name: str, env: Any) -> None:
        """Do nothing: `_WholeCompiler` sets the environment."""


@cache
def context_of_parts(context: Any) -> Any:
    """Return a copy of Numba's target context with `_Codegen`; the two share all declarations."""
    return context.subtarget(_internal_codegen=_Codegen("closedhand.parts"), mangler=_short_name)


def _short_name(name: str, kinds: Any, *, abi_tags: Any = (), uid: Any = None) -> str:
    """Return a short name of a function in LLVM code: Numba's has two kilobytes for each record."""
    whole = private.default_mangler(name, kinds, abi_tags=abi_tags, uid=uid)
    short = private.default_mangler(name, (), abi_tags=abi_tags, uid=uid)
    return f"{short}{hashlib.sha256(whole.encode()).hexdigest()[:24]}"


_BORROWING = frozenset(
    ("build_tuple", "cast", "exhaust_iter", "getattr", "getitem", "getiter", "iternext",
     "pair_first", "pair_second", "phi", "static_getitem", "typed_getitem")
)  # fmt: skip
"""Expressions of Numba's IR whose value consists of operands, or of parts or views of them."""


def _only_borrows(state: Any) -> bool:
    """Return whether a typed function neither makes, stores nor returns a counted reference."""
    models, kinds = state.targetctx.data_model_manager, state.typemap

    def counted(variable: Any) -> bool:
        return models[kinds[variable.name]].contains_nrt_meminfo()

    def owns(statement: Any) -> bool:
        value = getattr(statement, "value", None)
        if isinstance(statement, private.ir.Assign):
            made = isinstance(value, private.ir.Expr) and value.op not in _BORROWING
            return made and counted(statement.target)
        return isinstance(value, private.ir.Var) and counted(value)  # stored or returned

    blocks = state.func_ir.blocks.values()
    return not (
        state.func_id.is_generator or any(owns(each) for block in blocks for each in block.body)
    )


@private.register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(private.NativeLowering):
    """Numba's lowering, without the counting of references where a function only borrows them."""

    _name = "closedhand_lowering"

    def run_pass(self, state: Any) -> Any:
        counting, library = state.targetctx, state.library
        if _only_borrows(state):
            state.targetctx = counting.subtarget(enable_nrt=False)
            try:
                return super().run_pass(state)
            except private.NumbaRuntimeError:
                # Some expressions allocate, such as `array[indices]`: lower again, with counting.
                state.library = library
            finally:
                state.targetctx = counting
        return super().run_pass(state)


class PartCompiler(private.Compiler):
    """Numba's compiler for parts."""

    def __init__(self, typing: Any, target: Any, *rest: Any) -> None:
        super().__init__(typing, context_of_parts(target), *rest)

    def define_pipelines(self) -> Any:
        """Return Numba's passes with `_Lowering` in place of its lowering."""
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes = [
                (_Lowering if each is private.NativeLowering else each, text)
                for each, text in pipeline.passes
            ]
            pipeline.finalize()
        return pipelines

    def compile_extra(self, func: Any) -> Any:
        """Compile a part that is not in the cache; announce the first compilation."""
        announce_compilation(func.__module__, self.state.args)
        return super().compile_extra(func)


def overload(function: Any) -> Callable[[Any], Any]:
    """Decorate a function that chooses the code of `function` by the types of a call's arguments.

    It is `numba.extending.overload` with implementations that are parts. If a kernel is chosen,
    calls of the function are calls of the kernel. Any other implementation is inlined into every
    caller: a call that only passes its arguments on would count references to the arrays.
    """
    options = {
        "nopython": True, "no_cpython_wrapper": True, "pipeline_class": PartCompiler,
        "forceinline": True,
    }  # fmt: skip

    def decorate(choose: Any) -> Any:
        base = private.make_overload_template(
            function, choose, options, strict=True, inline="never"
        )
        template = type(base.__name__, (_Choice, base), {})
        private.infer_global(function, types.Function(template))
        return choose

    return decorate


def _call_of(kernel: Any) -> Any:
    def call(*arguments: Any) -> Any:
        return kernel(*arguments)

    return call


class _Choice:
    """Mixin of Numba's template of an overloaded function: an implementation may be a kernel."""

    context: Any
    _impl_cache: Any
    _overload_func: Any
    _strict: bool

    def _build_impl(self, cache_key: Any, args: Any, kws: Any) -> Any:
        choose = self._overload_func
        found = choose(*args, **kws)
        # A kernel names its parameters as it likes; others must name them as `choose` does.
        self._strict = not isinstance(found, Whole)
        if isinstance(found, Whole):
            if isinstance(self.context, private.Context):
                self._impl_cache[cache_key] = found.part, args
                return found.part, args
            found = _call_of(found)  # on a GPU kernels have no parts
        # Numba would call `choose` again: replace it by a function that returns `found`.
        self._overload_func = update_wrapper(lambda *kinds, **named: found, choose)
        try:
            return cast(Any, super())._build_impl(cache_key, args, kws)
        finally:
            del self._overload_func


class _WholeCompiler(private.Compiler):
    """Numba's compiler for wholes.

    Code that prints or raises needs the environment of its function, an object of Numba, whose
    address is in a global variable of the LLVM module: this compiler sets it for all parts.
    """

    def compile_extra(self, func: Any) -> Any:
        announce_compilation(func.__module__, self.state.args)
        result = super().compile_extra(func)
        for variable in result.library._final_module.global_variables:
            environment = private.lookup_environment(variable.name)
            if environment is not None:
                result.library.codegen.set_env(variable.name, environment)
        return result


def _copy(function: Any) -> Any:
    """Copy a function: Numba refuses to compile one within itself, as a recursive `Whole` would."""
    copied = FunctionType(function.__code__, function.__globals__, closure=function.__closure__)
    copied.__defaults__, copied.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return update_wrapper(copied, function)


def _common(kind: Any) -> Any:
    """Return the type by which a part is compiled for an argument: int64 for all signed integers.

    Numba would compile `function(0)`, `function(1)` and `function(state.player)` separately.
    """
    kind = types.unliteral(kind)
    return types.int64 if kind in types.signed_domain else kind


class Part(private.CPUDispatcher):
    """A kernel as a part, which only compiled functions call."""

    def fold_argument_types(self, args: Any, kws: Any) -> Any:
        """Return signature and common types of arguments, by which recursive calls are found."""
        kinds = {name: _common(kind) for name, kind in dict(kws).items()}
        return super().fold_argument_types(tuple(map(_common, args)), kinds)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the callee of a call, compiled for the common types of its arguments."""
        kinds = {name: _common(kind) for name, kind in dict(kws).items()}
        return super().get_call_template(tuple(map(_common, args)), kinds)


class Whole(private.CPUDispatcher):
    """A kernel as a whole, which Python calls; compiled functions call its `part` instead."""

    def __init__(
        self, function: Callable[..., Any], locals: Any = None, options: Any = None
    ) -> None:
        # Numba passes all arguments when it unpickles a function.
        options = {**(options or {}), "nopython": True}
        locals = locals or {}  # Numba 0.61 refuses None
        super().__init__(function, locals, options, _WholeCompiler)
        of_part = {**options, "no_cpython_wrapper": True}
        self.part = Part(_copy(function), locals, of_part, PartCompiler)

    def compile(self, sig: Any) -> Any:
        """Load or compile the code for a signature; Ctrl-C acts after that.

        LLVM hands over its code in a callback: a Ctrl-C there would be lost, and the code with it.
        Garbage collection, which takes a tenth of the time of a compilation, is off meanwhile.
        """
        with interrupt.postponed():
            collects = gc.isenabled()
            gc.disable()
            try:
                return super().compile(sig)
            finally:
                if collects:
                    gc.enable()

    @property
    def _numba_type_(self) -> Any:
        return self.part._numba_type_
