"""Tables of reports, as Markdown."""

from collections.abc import Iterable, Mapping
from typing import Any


def table(heads: Iterable[object], rows: Iterable[Iterable[object]]) -> list[str]:
    """Write a table as lines of Markdown, each cell by `str`."""
    heads = list(heads)
    head, *lines = [f"| {' | '.join(map(str, row))} |" for row in (heads, *rows)]
    return [head, "|---" * len(heads) + "|", *lines]


def cells(values: Mapping[str, Any], **forms: str) -> list[str]:
    """Format the values named in `forms`, in that order, each by the format under its name.

    Examples:
        >>> cells({"games": 20000, "seconds": 1.234}, seconds=".1f", games=",")
        ['1.2', '20,000']
    """
    return [format(values[name], form) for name, form in forms.items()]
