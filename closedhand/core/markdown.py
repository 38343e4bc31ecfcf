"""Tables of reports, as Markdown."""

from collections.abc import Iterable


def table(heads: Iterable[object], rows: Iterable[Iterable[object]]) -> list[str]:
    """Write a table as lines of Markdown, each cell by `str`."""
    heads = list(heads)
    return [_row(heads), "|---" * len(heads) + "|", *map(_row, rows)]


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"
