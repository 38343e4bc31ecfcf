"""The mutants of a module: its source with one small fault each.

Left out is what no test of behaviour can notice or any test would: docstrings, annotations,
decorators, the text of messages, and assignments to local names, without which nothing runs.
"""

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

NOT_BEHAVIOUR = {"annotation", "returns", "decorator_list", "type_params"}
"""Fields of nodes that are not entered."""

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}


@dataclass(frozen=True)
class Mutant:
    """A module with a fault.

    Attributes:
        module: Name of the module.
        function: Qualified name of the innermost function around the fault; empty outside of any.
        line: Line of the fault.
        number: Position among the module's mutants.
        before: Code that was replaced.
        after: Code that replaces it.
        nth: Position among the mutants of the function with the same code before and after.
    """

    module: str
    function: str
    line: int
    number: int
    before: str
    after: str
    nth: int = 0

    @property
    def key(self) -> tuple[str | int, ...]:
        """What identifies a mutant, also after its module has been edited elsewhere."""
        return self.module, self.function, self.before, self.after, self.nth


@dataclass
class _Site:
    """A node, where it hangs in the tree, and the function around it."""

    parent: ast.AST
    field: str
    index: int | None
    node: ast.AST
    function: str

    def replace(self, node: ast.AST) -> None:
        ast.copy_location(node, self.node)
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def mutants(module: str, source: str) -> list[Mutant]:
    """All mutants of a module, in the order of its source."""
    found: list[Mutant] = []
    alike: Counter[tuple[str | int, ...]] = Counter()
    for number, (site, node) in enumerate(_faults(ast.parse(source))):
        texts = _line(site.node), _line(node)
        mutant = Mutant(module, site.function, site.node.lineno, number, *texts)
        found.append(replace(mutant, nth=alike[mutant.key]))
        alike[mutant.key] += 1
    return found


def mutate(source: str, number: int) -> ast.Module:
    """The syntax tree of a module with the fault of its mutant of this number."""
    tree = ast.parse(source)
    for position, (site, node) in enumerate(_faults(tree)):
        if position == number:
            site.replace(node)
            return ast.fix_missing_locations(tree)
    raise IndexError(f"no mutant {number}")


def _line(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())


def _faults(tree: ast.Module) -> Iterator[tuple[_Site, ast.AST]]:
    for site in _sites(tree, "", ""):
        for node in _alternatives(site.node):
            yield site, node


def _sites(parent: ast.AST, prefix: str, function: str) -> Iterator[_Site]:
    """All nodes below a parent, but those that are not behaviour.

    Args:
        parent: The node.
        prefix: What stands before the qualified names of functions and classes defined here.
        function: Qualified name of the function around the parent.
    """
    for field, value in ast.iter_fields(parent):
        if field in NOT_BEHAVIOUR or isinstance(parent, ast.Raise | ast.Assert):
            continue
        for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(node, ast.AST) or isinstance(node, ast.JoinedStr):
                continue
            yield _Site(parent, field, index, node, function)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                name = prefix + node.name
                yield from _sites(node, f"{name}.<locals>.", name)
            elif isinstance(node, ast.ClassDef):
                yield from _sites(node, f"{prefix}{node.name}.", function)
            else:
                yield from _sites(node, prefix, function)


def _alternatives(node: ast.AST) -> Iterator[ast.AST]:
    """What a node is replaced by."""
    for operator in OPERATORS.values():
        yield from operator(node)


def _comparisons(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare):
        for i, operator in enumerate(node.ops):
            ops = [*node.ops[:i], COMPARED[type(operator)](), *node.ops[i + 1 :]]
            yield ast.Compare(node.left, ops, node.comparators)


def _signs(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            yield ast.BinOp(node.left, COMPUTED[type(node.op)](), node.right)
        case ast.AugAssign(op=ast.Add() | ast.Sub()):
            yield ast.AugAssign(node.target, COMPUTED[type(node.op)](), node.value)
        case ast.UnaryOp(op=ast.USub()):
            yield node.operand


def _operations(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp(op=ast.BitOr()) if _is_none(node.right):
            return
        case ast.BinOp() | ast.AugAssign() if isinstance(node.op, ast.Add | ast.Sub):
            return
        case ast.BinOp(op=operator) if type(operator) in COMPUTED:
            yield ast.BinOp(node.left, COMPUTED[type(operator)](), node.right)
        case ast.AugAssign(op=operator) if type(operator) in COMPUTED:
            yield ast.AugAssign(node.target, COMPUTED[type(operator)](), node.value)
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield ast.BoolOp(other, node.values)
        case ast.UnaryOp(op=ast.Not() | ast.Invert()):
            yield node.operand


def _constants(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=float()):
            yield ast.Constant(2 * node.value or 1.0)


def _one_off(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Constant(value=int()) if not isinstance(node.value, bool):
            yield ast.Constant(node.value + 1)
        case ast.Call(func=ast.Name(id="range"), args=[*rest, ast.expr() as last]) if not (
            isinstance(last, ast.Constant | ast.UnaryOp)
        ):
            shorter = ast.BinOp(last, ast.Sub(), ast.Constant(1))
            yield ast.Call(node.func, [*rest, shorter], node.keywords)


def _dropped(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Expr() if not isinstance(node.value, ast.Constant | ast.Yield | ast.YieldFrom):
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()
        case ast.AugAssign() | ast.Raise() | ast.Break() | ast.Continue():
            yield ast.Pass()


def _returned(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Return) and node.value and not isinstance(node.value, ast.Constant):
        yield ast.Return(ast.Constant(0))


def _swapped(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Call(args=[first, second, *rest]) if not (
            isinstance(first, ast.Starred)
            or isinstance(second, ast.Starred)
            or ast.dump(first) == ast.dump(second)
            # The order of what is compared, joined or checked changes nothing.
            or (isinstance(node.func, ast.Name) and node.func.id in UNORDERED)
        ):
            yield ast.Call(node.func, [second, first, *rest], node.keywords)


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


UNORDERED = {"max", "min", "print"}
"""Functions to which the order of arguments means nothing, or only what is shown."""
OPERATORS: dict[str, Callable[[ast.AST], Iterator[ast.AST]]] = {
    "comparison": _comparisons,
    "sign": _signs,
    "operation": _operations,
    "constant": _constants,
    "off by one": _one_off,
    "dropped statement": _dropped,
    "returned value": _returned,
    "swapped argument": _swapped,
}
"""Faults by kind: what a node is replaced by, a fault each."""
