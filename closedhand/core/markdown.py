"""Tables of reports, as Markdown."""

from collections.abc import Iterable


def table(heads: Iterable[object], rows: Iterable[Iterable[object]]) -> list[str]:
    """Write a table as lines of Markdown, each cell by `str`."""
    heads = list(heads)
    head, *lines = [f"| {' | '.join(map(str, cells))} |" for cells in (heads, *rows)]
    return [head, "|---" * len(heads) + "|", *lines]
