"""Draw the pictures of the front page and of the environments anew (`make pictures`).

Each game gets a PNG and a GIF of its table in play, as `rgb_array` draws it. The speeds are those
of `benchmarks.json`, the strengths those of the games' pages.
"""

import io
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand import make_agent, make_game
from closedhand.core.files import write_atomically
from closedhand.core.optional_imports import imported
from closedhand.envs.render import picture

HERE = Path(__file__).parent
FOLDER = HERE / "pictures"
SIZE = 640, 360
COLORS = 128
"""Colours of a table; so few make a small file and look the same."""
MOVING_SIZE, MOVING_COLORS = (480, 270), 64
FRAMES = 14
"""Frames of a GIF: several short games; of a long game the beginning and the end."""
FRAME, LAST_FRAME = 900, 2500
"""Milliseconds of a frame, and of one that shows the end of a game."""


class Moment(NamedTuple):
    """The table of a game in play.

    Attributes:
        agent: Agent of all seats.
        seed: Seed of the deal.
        moves: Number of actions before the picture.
        seat: Seat whose view it is; -1 for the open table.
    """

    agent: str
    seed: int
    moves: int
    seat: int


MOMENTS = {
    "doudizhu": Moment("greedy", 31, 5, 2),
    "daihinmin": Moment("default", 5, 3, 2),
    "uh_leduc": Moment("random", 4, 3, 0),
    "leduc": Moment("random", 6, 2, 0),
    "chinese_poker": Moment("separable", 11, 2, -1),
}

SPEEDS = {
    (
        "CFR+ on standard Leduc",
        "OpenSpiel's C++ `CFRPlusSolver`",
    ): "CFR+ on Leduc\nv OpenSpiel, C++",
    ("raw AEC env, flat, observation and mask", "RLCard `doudizhu`, `env.run()`"): (
        "Dou Dizhu env, PettingZoo\nv RLCard"
    ),
    (
        "Chinese Poker: hands dealt, set at random and scored, in a kernel",
        "a loop over `phevaluator`",
    ): "Chinese Poker hands\nv phevaluator",
    ("random games inside the kernels", "OpenSpiel `dou_dizhu`, no observation"): (
        "Dou Dizhu games\nv OpenSpiel, C++"
    ),
    ("raw AEC env, standard Leduc", "PettingZoo `leduc_holdem_v4`, raw"): (
        "Leduc env\nv PettingZoo's own"
    ),
}
"""Labels of the ratios of `benchmarks.json` that the picture shows, by (what, peer)."""


STRENGTHS = (
    ("Dou Dizhu: search:100ms v rule", "deeprocket", "91.0% (88.2 to 93.5)"),
    ("Dou Dizhu: decompose v rule", "deeprocket", "81.8% (81.3 to 82.2)"),
    ("Dou Dizhu: policy-net v rule", "deeprocket", "84.2% (83.8 to 84.7)"),
    ("Dou Dizhu: search:100ms v decompose", "deeprocket", "60.9% (59.3 to 62.5)"),
)
"""Win rates of duplicate matches that are shown: a label, the page with the figure, its text."""


def table(moment: Moment, name: str) -> bytes:
    """A game in play as PNG."""
    frames = frames_of(moment, name, moment.seed, SIZE)
    return _png(frames[moment.moves].quantize(COLORS))


def moving_table(moment: Moment, name: str) -> bytes:
    """Games from deal to end as GIF, all frames in the same colours."""
    pillow = imported("PIL.Image")
    frames, times, seed = [], [], moment.seed
    while len(frames) < FRAMES:
        more = frames_of(moment, name, seed, MOVING_SIZE)
        room = FRAMES - len(frames)
        shown = more if len(more) <= room else [*more[: room - 1], more[-1]]
        frames += shown
        times += [FRAME] * (len(shown) - 1) + [LAST_FRAME]
        seed += 1
    width, height = MOVING_SIZE
    strip = pillow.new("RGB", (width, height * len(frames)))
    for i, frame in enumerate(frames):
        strip.paste(frame, (0, i * height))
    palette = strip.quantize(MOVING_COLORS, dither=pillow.Dither.NONE)
    first, *others = [
        frame.quantize(palette=palette, dither=pillow.Dither.NONE) for frame in frames
    ]
    buffer = io.BytesIO()
    first.save(buffer, "gif", save_all=True, append_images=others, duration=times, loop=0)
    return buffer.getvalue()


def frames_of(moment: Moment, name: str, seed: int, size: tuple[int, int]) -> list[Any]:
    """A picture of every state of a game, in the view of `moment.seat`, or open if that is -1."""
    pillow = imported("PIL.Image")
    game = make_game(name)
    agent, state = make_agent(game, moment.agent, 1), game.deal(np.random.default_rng(seed))
    frames = []
    while True:
        seen = state if moment.seat < 0 else game.view(state, moment.seat)
        image = pillow.fromarray(picture(game.scene(seen)))
        frames.append(image.resize(size, pillow.Resampling.LANCZOS))
        if game.over(state):
            return frames
        game.play(state, agent.act(game.view(state, int(state["player"]))))


def _png(image: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "png", optimize=True)
    return buffer.getvalue()


def speeds() -> bytes:
    """How many times as fast as other libraries, as PNG."""
    from matplotlib.figure import Figure

    measured = json.loads((HERE / "benchmarks.json").read_text("utf-8"))["ratios"]
    ratios = {(row["what"], row["peer"]): row["ratio"]["median"] for row in measured}
    shown = sorted((ratios[key], label) for key, label in SPEEDS.items())
    figure = Figure((6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    values, labels = [value for value, _ in shown], [label for _, label in shown]
    bars = axes.barh(labels, values, color="#1a6b46")
    axes.bar_label(bars, [f"{value:.0f} times" for value in values], padding=4)
    axes.set_xscale("log")
    axes.set_xlim(1, 2.2 * max(values))
    axes.set_xticks([1, 10, 100], ["equal", "10", "100"])
    axes.set_title("Times as fast, same machine, same run", fontsize=11)
    return _plotted(figure)


def strengths() -> bytes:
    """Win rates with their intervals, as PNG."""
    from matplotlib.figure import Figure

    figure = Figure((6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    for i, (label, _, stated) in enumerate(reversed(STRENGTHS)):
        won, low, high = (float(number) for number in re.findall(r"[0-9.]+", stated))
        bars = axes.barh(label.replace(": ", "\n"), won, color="#1a6b46")
        axes.bar_label(bars, [f"{won:.0f} %"], padding=14)
        axes.plot((low, high), (i, i), color="#ffd15c", linewidth=3)
    axes.axvline(50, color="black", linewidth=1, linestyle=":")
    axes.set_xlim(0, 108)
    axes.set_xticks([0, 50, 100], ["0 %", "equal", "100 %"])
    axes.set_title("Games won in duplicate, both roles, with 95% intervals", fontsize=11)
    return _plotted(figure)


def _plotted(figure: Any) -> bytes:
    """A figure with one pair of axes as PNG."""
    figure.axes[0].spines[["top", "right"]].set_visible(False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100, metadata={"Software": None})
    return buffer.getvalue()


def main() -> None:
    """Draw all pictures."""
    FOLDER.mkdir(exist_ok=True)
    for name, moment in MOMENTS.items():
        write_atomically(FOLDER / f"{name}.png", table(moment, name))
        write_atomically(FOLDER / f"{name}.gif", moving_table(moment, name))
    write_atomically(FOLDER / "speeds.png", speeds())
    write_atomically(FOLDER / "strengths.png", strengths())


if __name__ == "__main__":
    main()
