"""The state graph of the course slides as a picture, and how a strategy walks it."""

from collections import defaultdict
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand.arena.plot import new_figure
from closedhand.baselines.leduc.strategy import Strategy
from closedhand.baselines.leduc.tree import CHANCE, Tree, build, reach, to_sigma
from closedhand.games.game import Game, InputError
from closedhand.games.leduc.plays import ACTIONS, graph, name
from closedhand.games.leduc.records import Notation
from closedhand.games.records import write_atomically

# Where every state stands: columns follow the turns, rows the height of the bets.
PLACES = {
    "s1,1,1": (0, 4.2),
    "t1,4,1": (3, 6.2),
    "t1,1,1": (3, 2.2),
    "s1,4,7": (6, 7.4),
    "s1,1,4": (6, 3.6),
    "s2,7,7": (9.6, 7.4),
    "s2,4,4": (9.6, 3.6),
    "s2,1,1": (9.6, 0),
    "t2,10,7": (12.8, 8.6),
    "t2,7,7": (12.8, 6.4),
    "t2,7,4": (12.8, 4.4),
    "t2,4,4": (12.8, 2.2),
    "t2,4,1": (12.8, 0),
    "s2,10,13": (16, 8.6),
    "s2,7,10": (16, 5.4),
    "s2,4,7": (16, 1.1),
}
# Where the ends of a state lie under it: folds on the left, showdowns on the right.
END_PLACES = {"fold": (-0.72, -0.95), "check": (0.72, -0.95), "call": (0.72, -0.95)}
BANDS = {"phase 1": (-1.3, 7.55), "phase 2, the flop is revealed": (8.05, 17.3)}

# Colours that the colour-blind tell apart, and a line style for each action besides.
STYLES = {
    "fold": ("#5b5b5b", (0, (1, 1.2))),
    "check": ("#009e73", (0, (5, 2))),
    "call": ("#0072b2", "-"),
    "raise": ("#d55e00", "-"),
}
TURNS = {"s": ("#a9cdf0", "S acts"), "t": ("#ffc987", "T acts")}
ENDS = {
    "WL": ("#ffffff", "showdown"),
    "PS": ("#cfe3f7", "S wins, T folded"),
    "PT": ("#ffe0b8", "T wins, S folded"),
}
NEVER = "#e9e9e9"


class Walk(NamedTuple):
    """How a strategy walks the graph.

    Attributes:
        states: How likely a game comes to a state, by its name.
        edges: How likely its player takes an action there, by name and action; absent where the
            game never comes.
    """

    states: dict[str, float]
    edges: dict[tuple[str, str], float]


def walk(strategy: Strategy, card: str | None = None, flop: str | None = None) -> Walk:
    """How both players walk the graph when they follow a strategy, exactly.

    What a state of the slides leaves out (the betting, the cards) is averaged over, weighted with
    how likely it is.

    Args:
        strategy: The strategy.
        card: Given that the player to act holds this card.
        flop: Given this flop, in phase 2.

    Raises:
        InputError: There is no such card.
    """
    game = strategy.game
    notation = Notation(game.rules)
    tree = build(game)
    cards = slice(None) if card is None else [notation.card(card)]
    slots = np.arange(1, 1 + game.rules.tables.kinds)
    slots = slots if flop is None else np.array([1 + notation.card(flop)])
    sigma = to_sigma(tree, strategy)
    likely = _likely(tree, sigma)[:, cards]
    names = [name(node) for node in game.rules.tables.nodes[: game.rules.tables.number]]
    given = {1: tree.pays[0][:, cards].sum(), 2: tree.pays[slots][:, :, cards].sum()}
    states: dict[str, float] = defaultdict(float)
    edges: dict[tuple[str, str], float] = defaultdict(float)
    for n in np.flatnonzero(tree.player < CHANCE):
        if tree.slot[n] == 0 or tree.slot[n] in slots:
            state = names[tree.node[n]]
            phase = 2 if tree.slot[n] else 1
            states[state] += likely[n].sum() / given[phase]
            for child in range(tree.first[n], tree.first[n] + tree.children[n]):
                taken = (likely[n] * sigma[child, cards]).sum() / given[phase]
                edges[state, ACTIONS[tree.action[child]]] += taken
    shares = {edge: p / states[edge[0]] for edge, p in edges.items() if states[edge[0]] > 1e-9}
    return Walk(dict(states), shares)


def _likely(tree: Tree, sigma: np.ndarray) -> np.ndarray:
    """How likely a game comes to each decision, by the card of who acts, [nodes, LANES]."""
    reached = np.zeros((2, *sigma.shape))
    for player in range(2):
        reach(tree, sigma, player, reached[player])
    likely = np.zeros_like(sigma)
    for n in np.flatnonzero(tree.player < CHANCE):
        own = tree.player[n]
        likely[n] = reached[own, n] * (reached[1 - own, n] @ tree.pays[tree.slot[n]])
    return likely


def plot_graph(
    path: Path,
    game: Game,
    strategy: Strategy | None = None,
    card: str | None = None,
    flop: str | None = None,
) -> tuple[Path, Path]:
    """Draw the graph, coloured by a strategy if there is one.

    Args:
        path: Of the pictures, with or without .svg or .png.
        game: UH-Leduc.
        strategy: Widths of lines and percentages show how it walks.
        card: Given that the player to act holds this card.
        flop: Given this flop, in phase 2.

    Returns:
        The paths of both pictures.

    Raises:
        InputError: matplotlib is not installed, there is no such card, a card is given but no
            strategy, or the game is another one: the slides' states are those of UH-Leduc.
    """
    if game.name != "uh_leduc":
        raise InputError(f"the slides' graph is that of uh_leduc, not of {game.name}")
    notation = Notation(game.rules)
    for text in filter(None, (card, flop)):
        notation.card(text)
        if strategy is None:
            raise InputError(f"{text} says which part of a strategy to draw: name one")
    walked = walk(strategy, card, flop) if strategy else None
    figure = new_figure(16, 9)
    figure.set_layout_engine("none")
    axis = figure.add_axes((0, 0, 1, 1))
    axis.set_xlim(-1.5, 17.6)
    axis.set_ylim(-2.3, 10.4)
    axis.set_axis_off()
    _draw_frame(axis, _title(strategy, card, flop))
    for state, edges in graph(game.rules.tables).items():
        for action, following in edges.items():
            _draw_edge(axis, state, action, following, walked)
    for state in PLACES:
        _draw_state(axis, state, walked)
    stem = path.with_suffix("") if path.suffix in (".svg", ".png") else path
    svg, png = (stem.parent / f"{stem.name}{suffix}" for suffix in (".svg", ".png"))
    write_atomically(svg, _rendered(figure, "svg"))
    write_atomically(png, _rendered(figure, "png"))
    return svg, png


def _rendered(figure: Any, kind: str) -> bytes:
    """The same figure is the same bytes: no date, no random ids; SVG keeps its text as text."""
    import matplotlib

    buffer = BytesIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "closedhand"}):
        figure.savefig(
            buffer, format=kind, dpi=120, metadata={"Date": None} if kind == "svg" else {}
        )
    return buffer.getvalue()


def _title(strategy: Strategy | None, card: str | None, flop: str | None) -> str:
    if strategy is None:
        return "UH-Leduc: 16 states, 36 actions, 11 ends"
    about = strategy.about
    maker = f"{about.get('algorithm', 'a strategy')}"
    if about.get("iterations"):
        maker += f", {about['iterations']:,} iterations"
    given = [f"the player to act holds {card.upper()}"] if card else []
    given += [f"the flop is {flop.upper()}"] if flop else []
    return f"UH-Leduc, played by {maker}" + (f"; {', '.join(given)}" if given else "")


def _draw_frame(axis: Any, title: str) -> None:
    """The title, the phases and the legend."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, Rectangle

    axis.text(-1.3, 10.05, title, fontsize=17, weight="bold", va="center")
    for label, (left, right) in BANDS.items():
        axis.add_patch(
            Rectangle((left, -1.55), right - left, 11.2, facecolor="#f6f7f9", edgecolor="#d5d8dd")
        )
        axis.text(left + 0.2, 9.35, label, fontsize=13, color="#555555", va="center")
    handles: list[Any] = [
        Patch(facecolor=color, edgecolor="black", label=label) for color, label in TURNS.values()
    ]
    handles += [
        Line2D([], [], color=color, linestyle=line, linewidth=2.2, label=action)
        for action, (color, line) in STYLES.items()
    ]
    handles += [
        Patch(facecolor=color, edgecolor="#999999", label=f"{kind}x: {label}")
        for kind, (color, label) in ENDS.items()
    ]
    axis.legend(
        handles=handles, loc="lower center", ncols=len(handles), fontsize=10.5, frameon=False
    )


def _draw_edge(axis: Any, state: str, action: str, following: str, walked: Walk | None) -> None:
    """An arrow from a state to the next one, or to an end under it."""
    color, line = STYLES[action]
    ends = following not in PLACES
    start = np.array(PLACES[state], float)
    end = start + END_PLACES[action] if ends else np.array(PLACES[following], float)
    share = walked.edges.get((state, action)) if walked else 0.35
    never = share is None
    width = 0.8 + 4.5 * (share or 0)
    axis.annotate(
        "",
        end,
        start,
        arrowprops={
            "arrowstyle": "-|>",
            "mutation_scale": 10 if ends else 16,
            "color": "#c4c4c4" if never else color,
            "linestyle": line,
            "linewidth": width * (0.7 if ends else 1),
            "shrinkA": 22,
            "shrinkB": 11 if ends else 44,
        },
        zorder=2,
    )
    label = action if walked is None or never else f"{action} {share:.0%}"
    if ends:
        kind = following[:2]
        chance = "" if walked is None or never else f" {share:.0%}"
        axis.text(
            *end,
            following,
            fontsize=10.5,
            ha="center",
            va="center",
            zorder=5,
            bbox={
                "boxstyle": "square,pad=0.22",
                "facecolor": NEVER if never else ENDS[kind][0],
                "edgecolor": "#999999",
            },
        )
        place, label = end - np.array([0, 0.34]), action + chance
    else:
        place = start + 0.52 * (end - start)
    axis.text(
        *place,
        label,
        fontsize=9.5 if ends else 11,
        color="#9a9a9a" if never else color,
        ha="center",
        va="center",
        zorder=4,
        bbox={"boxstyle": "round,pad=0.12", "facecolor": "#f6f7f9", "edgecolor": "none"},
    )


def _draw_state(axis: Any, state: str, walked: Walk | None) -> None:
    """A box with the state's name, and how likely a game comes there."""
    share = walked.states.get(state, 0.0) if walked else 1.0
    never = walked is not None and share <= 1e-9
    label = state
    if walked is not None:
        label += "\nnever" if never else f"\n{share:.1%}"
    # The likelier, the stronger the colour; the square root keeps rare states apart.
    paleness = 1 - max(0.15, share**0.5)
    axis.text(
        *PLACES[state],
        label,
        fontsize=13 if walked is None else 12,
        weight="bold",
        color="#9a9a9a" if never else "black",
        ha="center",
        va="center",
        zorder=6,
        bbox={
            "boxstyle": "round,pad=0.4",
            "facecolor": NEVER if never else _paler(TURNS[state[0]][0], paleness),
            "edgecolor": "#9a9a9a" if never else "black",
            "linewidth": 1.2,
        },
    )


def _paler(color: str, share: float) -> tuple[float, ...]:
    """A colour mixed with a share of white."""
    from matplotlib.colors import to_rgb

    return tuple(channel + share * (1 - channel) for channel in to_rgb(color))
