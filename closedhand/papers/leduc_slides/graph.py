"""A picture of the state graph of the course slides, with the probabilities of a strategy."""

from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand.arena.plot import drawn, new_figure
from closedhand.core.file_kinds import MARK
from closedhand.core.files import write_atomically
from closedhand.core.registry import make_game
from closedhand.games.leduc.plays import graph
from closedhand.papers.leduc_slides.probabilities import probabilities
from closedhand.solvers.strategy import Strategy

Place = tuple[float, float]

# All lengths are in inches: boxes, arrows and text keep their proportions.
WIDTH, HEIGHT = 16, 9
BOX = (1.16, 0.5)
END = (0.66, 0.25)
END_DOWN = 0.635
"""Vertical distance from a state down to its ends."""
END_ASIDE = {"fold": -0.48, "check": 0.48, "call": 0.48}
"""Horizontal offset of an end from its state by action, if the state has two ends."""
PORT = 0.17
"""Distance between two arrows on the same side of a box."""

# Columns follow the turns, rows the size of the bets.
PLACES = {
    "s1,1,1": (0.98, 4.05),
    "t1,4,1": (3.36, 5.4),
    "t1,1,1": (3.36, 2.7),
    "s1,4,7": (5.75, 6.69),
    "s1,1,4": (5.75, 3.835),
    "s2,7,7": (9.05, 6.69),
    "s2,4,4": (9.05, 3.92),
    "s2,1,1": (9.05, 1.84),
    "t2,10,7": (11.8, 7.38),
    "t2,7,7": (11.8, 5.995),
    "t2,7,4": (11.8, 4.61),
    "t2,4,4": (11.8, 3.225),
    "t2,4,1": (11.8, 1.84),
    "s2,10,13": (14.72, 7.38),
    "s2,7,10": (14.72, 5.3),
    "s2,4,7": (14.72, 2.53),
}

# The parts of the game, strips of the picture: left edge, right edge, colour.
BANDS = {
    "Phase 1": (0.2, 6.55, "#f3f5f8"),
    "The flop": (6.63, 8.07, "#e3efe6"),
    "Phase 2": (8.15, 15.8, "#f3f5f8"),
}
FLOP = 7.35
"""Horizontal position of the middle of the flop."""
BAND_BOTTOM, BAND_TOP = 0.66, 8.14

# Colours of Okabe and Ito, for colour-blind readers; every arrow is also labelled with its action.
ACTION_COLORS = {"fold": "#9a3d78", "check": "#00805c", "call": "#0068a8", "raise": "#c85200"}
TURNS = {"s": ("#93c1ee", "S acts"), "t": ("#ffb868", "T acts")}
ENDS = {
    "WL": ("#ffffff", "WLx: showdown for x"),
    "PS": ("#cfe3f7", "PSx: S wins x, T folds"),
    "PT": ("#ffdfb8", "PTx: T wins x, S folds"),
}
NEVER_COLOR, NEVER_INK = "#e6e6e6", "#767676"

NEVER = 1e-9
"""States of at most this probability are drawn as never reached; solvers rarely give exactly 0."""


def plot_graph(path: Path, strategy: Strategy | None = None) -> tuple[Path, Path]:
    """Draw the graph as SVG and PNG; return their paths.

    With a strategy, arrows show probabilities of actions, and boxes those of reaching the states.

    Raises:
        InputError: matplotlib is not installed, or the strategy is for another game than UH-Leduc.
    """
    game = strategy.game if strategy else make_game("uh_leduc")
    figure = new_figure(WIDTH, HEIGHT)
    figure.set_layout_engine("none")
    axis = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(0, HEIGHT))
    axis.set_axis_off()
    states, shares = probabilities(strategy) if strategy else ({}, {})
    _draw_frame(axis, strategy)
    edges = [
        _edge(state, action, to, shares.get((state, action)), states.get(state, 1.0) <= NEVER)
        for state, actions in graph(game.rules.tables).items()
        for action, to in actions.items()
    ]
    for edge in edges:
        (_draw_move if edge.to in PLACES else _draw_end)(axis, edge, edges)
    for state in PLACES:
        _draw_state(axis, state, states.get(state))
    svg, png = pictures_of(path)
    write_atomically(svg, _rendered(figure, "svg", Date=None, Title=MARK))
    write_atomically(png, _rendered(figure, "png", Software=MARK))
    return svg, png


def pictures_of(path: Path) -> tuple[Path, Path]:
    """Return the paths of the SVG and the PNG for a path with or without one of these suffixes."""
    stem = path.with_suffix("") if path.suffix in (".svg", ".png") else path
    return stem.parent / f"{stem.name}.svg", stem.parent / f"{stem.name}.png"


def _rendered(figure: Any, kind: str, **metadata: Any) -> bytes:
    """Render the figure to reproducible bytes; in SVG text stays text."""
    import matplotlib

    buffer = BytesIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "closedhand"}):
        figure.savefig(buffer, format=kind, dpi=120, metadata=metadata)
    return buffer.getvalue()


class Edge(NamedTuple):
    """An action at a state, drawn as an arrow to another state or an end."""

    state: str
    action: str
    to: str
    never: bool  # whether the state is never reached
    color: str
    width: float  # width of the line, in points
    label: str


def _edge(state: str, action: str, to: str, share: float | None, never: bool) -> Edge:
    """Make an edge; `share` is the probability of the action, None without a strategy."""
    if never:
        return Edge(state, action, to, never, NEVER_INK, 1.0, action)
    width = 2.0 if share is None else 0.8 + 5 * share
    label = action if share is None else f"{action} {_percent(share, 0)}"
    return Edge(state, action, to, never, ACTION_COLORS[action], width, label)


def _percent(share: float, digits: int) -> str:
    """Write a share in percent; tiny shares above `NEVER` as `<1%` or `<0.1%`, by `digits`."""
    least = 10.0 ** -(digits + 2)
    return f"<{least:.{digits}%}" if NEVER < share < least / 2 else f"{share:.{digits}%}"


def _draw_frame(axis: Any, strategy: Strategy | None) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, Rectangle

    title, subtitle = _titles(strategy)
    axis.text(0.2, 8.69, title, fontsize=18, weight="bold", va="center")
    axis.text(0.2, 8.34, subtitle, fontsize=11.5, color="#555555", va="center")
    for label, (left, right, color) in BANDS.items():
        size = right - left, BAND_TOP - BAND_BOTTOM
        axis.add_patch(Rectangle((left, BAND_BOTTOM), *size, facecolor=color, zorder=0))
        middle = (left + right) / 2
        _draw_text(axis, (middle, 7.9), label, fontsize=14, weight="bold")
        if label == "The flop":
            _draw_text(axis, (middle, 7.64), "is revealed", fontsize=12)
    lines = [
        Line2D([], [], color=color, linewidth=3, label=action)
        for action, color in ACTION_COLORS.items()
    ]
    boxes = {label: color for color, label in (*TURNS.values(), *ENDS.values())}
    boxes |= {"never reached": NEVER_COLOR} if strategy else {}
    patches = [Patch(facecolor=c, edgecolor="black", label=label) for label, c in boxes.items()]
    handles = [*patches[:2], *lines, *patches[2:]]
    axis.legend(
        handles=handles,
        loc="center",
        bbox_to_anchor=(0.5, 0.33 / HEIGHT),
        ncols=len(handles),
        fontsize=11,
        **{"frameon": False, "handlelength": 1.6, "handletextpad": 0.5, "columnspacing": 1.4},
    )


def _titles(strategy: Strategy | None) -> tuple[str, str]:
    if strategy is None:
        subtitle = "16 states (who acts and the phase, bet of S, bet of T), 36 actions, 11 ends"
        return "UH-Leduc: the state graph", subtitle
    maker = drawn(str(strategy.about.get("algorithm", "a strategy")))
    if iterations := strategy.about.get("iterations"):
        maker += f", {iterations:,} iterations"
    subtitle = "In a box: share of games that reach it. At an arrow: share of the action."
    return f"UH-Leduc, played by {maker}", subtitle


def _draw_move(axis: Any, edge: Edge, edges: list[Edge]) -> None:
    """Draw an arrow from the right side of a state's box to the left side of the next one."""
    (x, y), (to_x, to_y) = PLACES[edge.state], PLACES[edge.to]
    leaving = {e.to for e in edges if e.state == edge.state and e.to in PLACES}
    coming = {e.state for e in edges if e.to == edge.to}
    x, to_x = x + BOX[0] / 2, to_x - BOX[0] / 2
    y, to_y = y + _port(edge.to, leaving), to_y + _port(edge.state, coming)
    middle = FLOP if x < FLOP < to_x else (x + to_x) / 2
    # With its inner control points at this x, the curve crosses `middle` half-way.
    bend = (8 * middle - x - to_x) / 6
    _draw_arrow(axis, np.array([(x, y), (bend, y), (bend, to_y), (to_x, to_y)]), edge)
    tag = {"boxstyle": "round,pad=0.18", "facecolor": "white", "edgecolor": "none"}
    place = middle, (y + to_y) / 2
    _draw_text(axis, place, edge.label, fontsize=11.5, color=edge.color, bbox=tag)


def _port(other: str, others: set[str]) -> float:
    """Return the vertical offset, on a box's side, of the arrow to or from the box `other`."""
    order = sorted(others, key=lambda state: PLACES[state][1])
    return PORT * (order.index(other) - (len(order) - 1) / 2)


def _draw_end(axis: Any, edge: Edge, edges: list[Edge]) -> None:
    x, y = PLACES[edge.state]
    both = sum(e.state == edge.state and e.to not in PLACES for e in edges) > 1
    aside = END_ASIDE[edge.action] if both else 0.0
    end = x + aside, y - END_DOWN
    start = x + 0.45 * aside, y - 0.15  # behind the state's box, which hides the blunt tail
    _draw_arrow(axis, np.linspace(start, (end[0], end[1] + END[1] / 2), 4), edge)
    _draw_box(axis, end, END, ENDS[edge.to[:2]][0], edge.never)
    _draw_text(axis, end, edge.to, fontsize=11, color=_ink(edge.never))
    below = end[0], end[1] - END[1] / 2 - 0.11
    _draw_text(axis, below, edge.label, fontsize=10.5, color=edge.color)


def _ink(never: bool) -> str:
    return NEVER_INK if never else "black"


def _draw_box(axis: Any, center: Place, size: Place, color: Any, never: bool) -> None:
    """Draw a box, with round corners if it has `BOX`, the size of a state."""
    from matplotlib.patches import FancyBboxPatch

    corner = center[0] - size[0] / 2, center[1] - size[1] / 2
    box = FancyBboxPatch(corner, *size, zorder=5, linewidth=1.2)
    box.set_boxstyle("round", pad=0, rounding_size=0.09 if size == BOX else 0)
    box.set(facecolor=NEVER_COLOR if never else color, edgecolor=_ink(never))
    axis.add_patch(box)


def _draw_text(axis: Any, place: Place, text: str, **options: Any) -> None:
    axis.text(*place, text, ha="center", va="center_baseline", zorder=6, **options)


def _draw_arrow(axis: Any, curve: np.ndarray, edge: Edge) -> None:
    """Draw a cubic curve with an arrow head that fits the width of the line."""
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path as Curve

    ahead = (curve[3] - curve[2]) / np.linalg.norm(curve[3] - curve[2])
    across = np.array([-ahead[1], ahead[0]])
    base = curve[3] - (0.1 + 0.016 * edge.width) * ahead
    half = 0.045 + 0.0105 * edge.width
    # The line ends a little inside the arrow head, so that no gap shows.
    line = Curve([*curve[:3], base + 0.01 * ahead], [Curve.MOVETO, *[Curve.CURVE4] * 3])
    style = {"linewidth": edge.width, "linestyle": (0, (4, 3)) if edge.never else "-"}
    axis.add_patch(PathPatch(line, fill=False, edgecolor=edge.color, zorder=2, **style))
    head = [curve[3], base + half * across, base - half * across]
    axis.add_patch(Polygon(head, facecolor=edge.color, edgecolor="none", zorder=3))


def _draw_state(axis: Any, state: str, share: float | None) -> None:
    from matplotlib.colors import to_rgb

    x, y = PLACES[state]
    never = share is not None and share <= NEVER
    # More probable states have stronger colours; the square root keeps rare ones distinguishable.
    strength = 1.0 if share is None else 0.12 + 0.88 * min(share, 1) ** 0.5
    color = [1 - strength * (1 - channel) for channel in to_rgb(TURNS[state[0]][0])]
    _draw_box(axis, (x, y), BOX, color, never)
    ink = _ink(never)
    known = [] if share is None else ["never" if never else _percent(share, 1)]
    _draw_text(axis, (x, y + 0.1 * len(known)), state, fontsize=14, weight="bold", color=ink)
    for text in known:
        _draw_text(axis, (x, y - 0.125), text, fontsize=11.5, color=ink)
