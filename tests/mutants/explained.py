"""Mutants that no test can notice, each with the reason.

They count as survivors in the score; the report shows them apart, with a second score without them.
"""

from collections.abc import Mapping
from typing import NamedTuple

from .operators import Mutant

REASONS: dict[str, str] = {
    "buffer": "the size of a buffer: a larger one serves as well, or the spare part is never read",
    "overwritten": "a value that is overwritten before it is read, or that is there already",
    "impossible": "a case that the rules, or a check before, leave out",
    "factor": "a common factor of weights that are only compared with each other",
    "compiled": "runs in compiled code only, which these tests do not call; the suite does",
}
"""Kinds of reasons, and what they say."""


class Explained(NamedTuple):
    """A mutant by what it changes.

    Attributes:
        module: Name of the module, within the package.
        function: Qualified name of the function, empty outside of any.
        line: Text of the changed line, without indentation.
        before: Code that was replaced.
        after: Code that replaces it.
        reason: Key of `REASONS`.
        detail: What makes it so here.
    """

    module: str
    function: str
    line: str
    before: str
    after: str
    reason: str
    detail: str


EXPLAINED: tuple[Explained, ...] = ()


def explanation(mutant: Mutant, lines: list[str]) -> Explained | None:
    """Why no test can notice a mutant, if that is known.

    Args:
        mutant: The mutant.
        lines: Lines of its module's source.
    """
    return BY_CHANGE.get(
        (
            mutant.module.partition(".")[2],
            mutant.function,
            lines[mutant.line - 1].strip(),
            mutant.before,
            mutant.after,
        )
    )


BY_CHANGE: Mapping[tuple[str, ...], Explained] = {each[:5]: each for each in EXPLAINED}
