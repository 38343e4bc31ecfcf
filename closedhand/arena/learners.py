"""All learners in all games, at fixed budgets: the cells of a table.

A cell is a learner in a game under its default rules, with the same settings for all games
(`SETTINGS`), a budget of steps and a seed. The result of each cell is a file, from which
`closedhand.arena.learner_table` makes the table.

A step is a decision from which a deep learner learns, or a tabular algorithm's visit of a decision
node. A sweep of the tree visits every decision node once for each player. A sampled game counts as
the mean number of actions of random games; an iteration samples one game, or one for each player.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand.arena import exploit
from closedhand.arena.ladder import is_slow
from closedhand.core import batch
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Agent, make_agent
from closedhand.core.game import Game, InputError
from closedhand.core.machine import machine
from closedhand.core.parts import Notes, compute_parts
from closedhand.core.registry import GAMES, load, make_game, spec_of
from closedhand.core.run import Run
from closedhand.core.statistics import Estimate
from closedhand.learning.algorithms import OWN
from closedhand.learning.evaluation import judge
from closedhand.solvers import solving
from closedhand.solvers.strategy import evaluate, strategy_of
from closedhand.solvers.tree import build, check_size

EXACT, EXPLOITED = "exploitability", "exploited by"
"""Measures besides the points against agents: the exact exploitability, and the gain of a trained
responder (see `exploit`)."""
SETTINGS: dict[str, dict[str, Any]] = {
    "ppo": {"batch": 8192, "minibatch": 1024, "width": 256, "entropy": 0.02},
}
"""Settings of learners whose defaults are for longer training than `Plan.steps`."""
SAMPLED = 1000
"""Random games from which the mean number of actions is computed."""
LEARNING = 0.7
"""Share of learning in the progress of a deep learner's cell; training a responder is the rest."""


@dataclass(frozen=True)
class Plan:
    """Settings that all cells share."""

    steps: int = 10**6  # budget of a learner
    points: int = 10  # number of points of a curve
    curve_deals: int = 500  # deals for a point of the curve, each played at every side
    deals: int = 5000  # deals for the scores at the end
    responder_steps: int = 250_000  # budget of the responder to the learned agent


QUICK = Plan(2000, 2, 20, 50, 500)
"""Settings for cells of some seconds."""


class Cell(NamedTuple):
    """A cell of the table, for one seed."""

    game: str
    learner: str
    seed: int

    def name(self, plan: Plan) -> str:
        """Return the name of the cell's file, without its ending."""
        return f"{self.game}-{self.learner}-{plan.steps}-{self.seed}"


def is_small(game: Game) -> bool:
    """Return whether a game is small enough for exact evaluation."""
    with suppress(InputError):
        check_size(game)
        return True
    return False


def choose(only: Iterable[str] | None, seeds: Iterable[int]) -> list[Cell]:
    """List the cells of the games, learners, or pairs `GAME/LEARNER` in `only`; None: all.

    Tabular learners are for small games only.

    Raises:
        InputError: An entry of `only` names no game, learner or cell, or its game is too large.
    """
    wanted = None if only is None else {name.strip() for name in only}
    learners = (*OWN, *solving.ALGORITHMS)

    def names(game: str, learner: str) -> set[str]:
        called = (game, spec_of(game).command_name)
        return {learner, *called, *(f"{name}/{learner}" for name in called)}

    def check(pairs: list[tuple[str, str]], problem: str) -> None:
        known = {name for pair in pairs for name in names(*pair)}
        for name in sorted((wanted or set()) - known):
            raise InputError(f"no cell {name!r}: {problem}")

    every = f"name a game ({', '.join(GAMES)}), a learner ({', '.join(learners)}), or GAME/LEARNER"
    pairs = [(game, learner) for game in GAMES for learner in learners]
    check(pairs, every)
    # Only for the games chosen: finding out whether a game is small compiles kernels.
    pairs = [pair for pair in pairs if wanted is None or names(*pair) & wanted]
    small = {game for game, _ in pairs if is_small(make_game(game))}
    pairs = [(game, learner) for game, learner in pairs if learner in OWN or game in small]
    check(pairs, "that game is too large for this learner")
    return [Cell(*pair, seed) for pair in pairs for seed in seeds]


def compute(
    folder: Path, plan: Plan, cells: list[Cell], progress: Callable[[str, float, int], None]
) -> None:
    """Compute cells, except those that the folder holds with the same settings.

    The folder has a file for each cell, and the runs of cells in `runs`. `progress` gets the name
    of a cell, the number of cells done, fractions included, and the number of all cells.

    Raises:
        InputError: A result cannot be written, a file of another kind is in its place, or a library
            is not installed.
        KeyboardInterrupt: Interrupted; a later call resumes.
    """
    for number, cell in enumerate(cells):

        def advance(name: str, done: float, total: int, number: int = number) -> None:
            progress(name, number + done, len(cells))

        def part(notes: Notes, cell: Cell = cell) -> dict[str, Any]:
            kind = _deep if cell.learner in OWN else _tabular
            return kind(cell, plan, folder / "runs" / cell.name(plan), notes)

        options = dict(make_game(cell.game).options)
        settings = {**cell._asdict(), "options": options, **asdict(plan)}
        compute_parts({cell.name(plan): part}, folder, settings, advance)


def references(game: Game) -> list[str]:
    """List the agents against which learners are measured.

    They are `random`, the spec's adviser and its opponent, except slow ones. Curves use the last.
    """
    spec = spec_of(game.name)
    named = dict.fromkeys(filter(None, ("random", spec.adviser, spec.opponent)))
    return [name for name in named if not is_slow(game, name)]


def _deep(cell: Cell, plan: Plan, folder: Path, notes: Notes) -> dict[str, Any]:
    """Train a network, and measure it; in a large game also the gain of a responder."""
    from closedhand.learning import runs

    game = make_game(cell.game)
    cls = load(OWN[cell.learner])
    watching = {"expert": spec_of(game.name).opponent} if cell.learner == "imitation" else {}
    settings = cls.settings_type(**SETTINGS.get(cell.learner, {}))
    learner = cls(game, settings, cell.seed, **watching)
    notes.own(folder)
    name = str(AgentSpec("learned", {}, str(folder)))  # refuses some folders, before the training
    run = runs.begin(learner, folder)
    run.resume_if_kept()
    against = [] if is_small(game) else references(game)
    # A point is [decisions, seconds, mean, low, high]. Points after the checkpoint are dropped.
    kept = (notes.begun or {}).get("curve", [])
    curve = [point for point in kept if point[0] <= learner.decisions]
    spent = _processor_clock(notes)
    notes.keep(lambda: {"curve": curve, "processor_seconds": spent()})

    def progress() -> None:
        is_new = not curve or curve[-1][0] < learner.decisions
        if is_new and learner.decisions * plan.points >= (len(curve) + 1) * plan.steps:
            form, agent = learner.features.game, learner.agent()
            [estimate] = _measures(form, agent, against[-1:], plan.curve_deals).values()
            curve.append([learner.decisions, round(run.seconds, 3), *estimate])
        notes(LEARNING * min(1.0, learner.decisions / plan.steps))

    progress()  # a Ctrl-C may have come before the point of the checkpoint was measured
    _finish(run, plan.steps, progress)
    seconds = spent()
    # From here on the learner's time stays, however often its responder is interrupted.
    notes.keep(lambda: {"curve": curve, "processor_seconds": seconds})
    measures = _measures(game, make_agent(game, name, cell.seed), against, plan.deals)
    *_, shown = measures  # the measure of the curve comes last
    if against:
        measures[EXPLOITED] = _responded(game, name, cell, plan, folder, notes)
    return {
        "steps": learner.decisions,
        "games": learner.games,
        **_about(run, seconds),
        "measures": measures,
        "curve_of": shown,
        "curve": curve,
    }


def _measures(game: Game, agent: Agent, against: list[str], deals: int) -> dict[str, Estimate]:
    """Measure points in duplicate deals against agents; without any, exact exploitability."""
    if not against:
        found = evaluate(strategy_of(game, agent)).exploitability
        return {EXACT: Estimate(found, found, found)}
    return {f"v {name}": judge(game, agent, name, deals, 1).points for name in against}


def _responded(
    game: Game, name: str, cell: Cell, plan: Plan, folder: Path, notes: Notes
) -> Estimate:
    """Train a responder to the agent `name`, and measure its gain; see `exploit`."""
    from closedhand.learning import runs

    responder = exploit.responder(game, name, seed=cell.seed)
    run = runs.begin(responder, folder / "responder")
    run.resume_if_kept()

    def progress() -> None:
        notes(LEARNING + (1 - LEARNING) * min(1.0, responder.decisions / plan.responder_steps))

    _finish(run, plan.responder_steps, progress)
    return exploit.measure(responder, name, plan.deals, cell.seed).gain


def _tabular(cell: Cell, plan: Plan, folder: Path, notes: Notes) -> dict[str, Any]:
    """Run a tabular algorithm; as its estimates are exact, their intervals are points."""
    game = make_game(cell.game)
    each = steps_of_iteration(game, cell.learner)
    iterations = max(1, round(plan.steps / each))
    spent = _processor_clock(notes)
    notes.own(folder)
    notes.keep(lambda: {"processor_seconds": spent()})
    run = solving.Run(cell.learner, game, cell.seed, folder)
    run.resume_if_kept()
    run.advance(iterations, progress=lambda: notes(run.learner.iterations / iterations))
    if run.learner.iterations < iterations:
        raise KeyboardInterrupt
    curve = [
        [round(point["iterations"] * each), point["seconds"], *[point["exploitability"]] * 3]
        for point in run.history
    ]
    found = {"steps": round(iterations * each), "iterations": iterations, **_about(run, spent())}
    return {**found, "measures": {EXACT: curve[-1][2:]}, "curve_of": EXACT, "curve": curve}


def steps_of_iteration(game: Game, algorithm: str) -> float:
    """Return the number of steps of an iteration of a tabular algorithm."""
    unit = solving.ALGORITHMS[algorithm].unit
    if unit == solving.SWEEP:
        return float(game.num_players * (build(game).player >= 0).sum())
    dealt = batch.deal(game, range(SAMPLED))
    moves = batch.playouts(game, dealt, np.random.default_rng(0))["moves"]
    return float(moves.mean()) * (game.num_players if "each player" in unit else 1)


def _finish(run: Run[Any], steps: int, progress: Callable[[], object]) -> None:
    run.work(over=lambda: run.learner.decisions >= steps, progress=progress)
    if run.interrupted:
        raise KeyboardInterrupt


def _processor_clock(notes: Notes) -> Callable[[], float]:
    """Make a clock of a cell's processor time, including the time before interruptions."""
    before = (notes.begun or {}).get("processor_seconds", 0.0) - time.process_time()
    return lambda: round(before + time.process_time(), 2)


def _about(run: Run[Any], processor_seconds: float) -> dict[str, Any]:
    return {
        "seconds": round(run.seconds, 2),
        "processor_seconds": processor_seconds,
        "machine": machine("numpy", "torch"),
        "date": time.strftime("%Y-%m-%d"),
    }
