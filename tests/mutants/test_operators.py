"""The mutants of a source: which there are, and that each is the source with one fault."""

import ast

import pytest
from mutants.explained import EXPLAINED, Explained, explanation
from mutants.named import NAMED, Fault
from mutants.operators import OPERATORS, mutants, mutate
from mutants.running import ROOT, source_path

SOURCE = '''
"""A module with 1 docstring."""

LIMIT: int = 3

class Box:
    def full(self, n: "int" = 2) -> "bool":
        """Whether 2 < 1."""
        self.seen += n
        if n < LIMIT and not self.open:
            raise ValueError(f"{n + 1} is not 2")
        def inner(x):
            return x - 1
        for i in range(n):
            inner(pow(n, i), step=-0.5)
        return inner(n) in (1, 1)
'''

EXPECTED = [
    ("", "3", "4"),
    ("Box.full", "2", "3"),
    ("Box.full", "self.seen += n", "self.seen -= n"),
    ("Box.full", "self.seen += n", "pass"),
    ("Box.full", "n < LIMIT and (not self.open)", "n < LIMIT or not self.open"),
    ("Box.full", "n < LIMIT", "n <= LIMIT"),
    ("Box.full", "not self.open", "self.open"),
    ("Box.full", "raise ValueError(f'{n + 1} is not 2')", "pass"),
    ("Box.full.<locals>.inner", "return x - 1", "return 0"),
    ("Box.full.<locals>.inner", "x - 1", "x + 1"),
    ("Box.full.<locals>.inner", "1", "2"),
    ("Box.full", "range(n)", "range(n - 1)"),
    ("Box.full", "inner(pow(n, i), step=-0.5)", "pass"),
    ("Box.full", "pow(n, i)", "pow(i, n)"),
    ("Box.full", "-0.5", "0.5"),
    ("Box.full", "0.5", "1.0"),
    ("Box.full", "return inner(n) in (1, 1)", "return 0"),
    ("Box.full", "inner(n) in (1, 1)", "inner(n) not in (1, 1)"),
    ("Box.full", "1", "2"),
    ("Box.full", "1", "2"),
]


def test_every_fault_is_listed_once() -> None:
    found = mutants("box", SOURCE)
    assert [(m.function, m.before, m.after) for m in found] == EXPECTED
    assert len({mutant.key for mutant in found}) == len(found)
    assert [mutant.number for mutant in found] == list(range(len(found)))


def test_every_kind_of_fault_is_among_them() -> None:
    nodes = list(ast.walk(ast.parse(SOURCE)))
    for name, operator in OPERATORS.items():
        assert [each for node in nodes for each in operator(node)], name


def test_a_mutant_differs_in_its_fault_alone() -> None:
    original = ast.unparse(ast.parse(SOURCE)).splitlines()
    for mutant in mutants("box", SOURCE):
        tree = mutate(SOURCE, mutant.number)
        compile(tree, "box.py", "exec")
        lines = ast.unparse(tree).splitlines()
        different = [(old, new) for old, new in zip(original, lines, strict=True) if old != new]
        assert len(different) == 1


@pytest.mark.parametrize("each", EXPLAINED, ids=lambda each: f"{each.module} {each.line}")
def test_what_is_explained_is_a_mutant(each: Explained) -> None:
    """An explanation ends with the line that it is about."""
    name = f"closedhand.{each.module}"
    source = source_path(name).read_text("utf-8")
    lines = source.splitlines()
    assert each in [explanation(mutant, lines) for mutant in mutants(name, source)]
    assert len([other for other in EXPLAINED if other[:5] == each[:5]]) == 1


@pytest.mark.parametrize("fault", NAMED, ids=lambda fault: f"{fault.module} {fault.after}")
def test_a_named_fault_has_its_place_and_test(fault: Fault) -> None:
    assert source_path(fault.module).read_text("utf-8").count(fault.before) == 1
    file, _, name = fault.test.partition("::")
    assert f"def {name.partition('[')[0]}(" in (ROOT / file).read_text("utf-8")
