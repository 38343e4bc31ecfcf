"""What pictures of results show; whether they can be drawn at all is tested beside the results."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from closedhand import make_game
from closedhand.arena import ladder, league, match, plot, results

pytest.importorskip("matplotlib")

Draw = Callable[[Any, Path], None]


@pytest.fixture
def figure_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[Draw, Any], Any]:
    """A function that draws data and returns the figure in place of a file."""
    figures: list[Any] = []
    for module in (plot, ladder):
        monkeypatch.setattr(module, "save_figure", lambda figure, path: figures.append(figure))

    def draw(picture: Draw, data: Any) -> Any:
        picture(data, Path("unused.png"))
        return figures.pop()

    return draw


def curves_of(axis: Any) -> list[list[list[float]]]:
    """The coordinates of all lines: x, then y."""
    return [[list(line.get_xdata()), list(line.get_ydata())] for line in axis.lines]


def points_of(axis: Any) -> list[list[float]]:
    """The points with intervals, whose ends are lines too."""
    return [line.get_xydata()[0].tolist() for line in axis.lines if line.get_marker() == "o"]


def legend_of(axis: Any) -> list[str]:
    return [text.get_text() for text in axis.get_legend().get_texts()]


def test_a_league_shows_sums_and_means(figure_of: Callable[[Draw, Any], Any]) -> None:
    """Of a game without presets."""
    game = make_game("chinese_poker", players=3)
    data = league.summary(league.play(game, ("random", "random"), 4, 1))
    data["options"].pop("rules")
    lines, bars = figure_of(plot.plot_league, data).axes
    names = [result["agent"] for result in data["results"]]
    assert legend_of(lines) == names == [label.get_text() for label in bars.get_yticklabels()]
    points = np.reshape(data["points"], (4, 3))
    for i, (rounds, sums) in enumerate(curves_of(lines)):
        assert rounds == [0, 1, 2, 3, 4]
        assert sums == [points[:deals, i].sum() for deals in range(5)]
    means = [[result["points"]["mean"], i] for i, result in enumerate(data["results"])]
    assert points_of(bars) == means


def test_a_match_shows_the_points_of_both_agents_by_role(
    figure_of: Callable[[Draw, Any], Any],
) -> None:
    data = results.summary(match.play(make_game("doudizhu"), ["random"] * 3, 3, 1))
    axes = figure_of(plot.plot_match, data).axes
    for axis, pair in zip(axes, data["pairs"], strict=True):
        assert axis.get_title() == " v ".join(pair["agents"]) and legend_of(axis) == pair["agents"]
        means = [row["points"]["mean"] for row in pair["results"]]
        assert [bar.get_height() for bar in axis.patches] == means
        assert [text.get_text() for text in axis.texts] == [f"{mean:+.2f}" for mean in means]
        roles = [label.get_text() for label in axis.get_xticklabels()]
        assert roles == ["landlord", "peasants", "all"]


def test_many_pairs_of_a_match_stand_in_rows(figure_of: Callable[[Draw, Any], Any]) -> None:
    data = results.summary(match.play(make_game("leduc"), ["random"] * 2, 3, 1))
    data["pairs"] *= 10
    figure = figure_of(plot.plot_match, data)
    places = [axis.get_subplotspec() for axis in figure.axes]
    assert [(place.rowspan.start, place.colspan.start) for place in places] == [
        divmod(i, plot.COLUMNS) for i in range(10)
    ]
    assert figure.get_figwidth() == 4.8 * plot.COLUMNS


def test_solving_is_shown_by_iterations_and_by_seconds(
    figure_of: Callable[[Draw, Any], Any],
) -> None:
    """A logarithmic scale has no room for 0."""
    curve = [
        {"iterations": 10 * i, "seconds": seconds, "nash_conv": gap}
        for i, (seconds, gap) in enumerate([(0.0, 3.0), (0.0, 2.0), (4.0, 0.5), (5.0, 0.0)])
    ]
    runs = [
        {"game": "leduc", "options": {}, "algorithm": name, "curve": curve[part:]}
        for part, name in enumerate(("cfr", "cfr+"))
    ]
    figure = figure_of(plot.plot_curves, runs)
    left, right = figure.axes
    assert curves_of(left) == [[[10, 20], [2.0, 0.5]]] * 2
    assert curves_of(right) == [[[4.0], [0.5]]] * 2
    assert legend_of(right) == ["cfr", "cfr+"]
    assert left.get_subplotspec().rowspan == right.get_subplotspec().rowspan
    assert figure.get_figwidth() > figure.get_figheight()


def test_a_ladder_shows_strength_against_time(figure_of: Callable[[Draw, Any], Any]) -> None:
    rows = [
        {"agent": name, "elo": {"mean": elo, "low": elo - 5, "high": elo + 5},
         "microseconds_per_decision": time}
        for name, elo, time in (("a", 40.0, 1000.0), ("b", 10.0, 2.0), ("c", -50.0, None))
    ]  # fmt: skip
    data = {"game": "leduc", "agents": rows, "pairs": [{"deals": 20}, {"deals": 5}]}
    figure = figure_of(ladder.picture, data)
    [axis] = figure.axes
    assert points_of(axis) == [[1000.0, 40.0], [2.0, 10.0]]
    assert [text.get_text() for text in axis.texts] == ["a", "b"]
    assert axis.get_xscale() == "log"
    assert figure.get_suptitle() == "leduc, 5 or 20 deals a pair, each in both roles"
