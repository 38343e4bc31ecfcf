"""The commands `show` and `reproduce` of Leduc."""

from pathlib import Path

import typer

from closedhand.cli import common
from closedhand.cli.reproduce import Only, Out, Quick, computed, show_report
from closedhand.core.file_kinds import DRAWING, PICTURE
from closedhand.core.game import InputError


def graph(
    out: Path = Path("leduc-graph.svg"), strategy: Path | None = None, state: str | None = None
) -> None:
    """Draw the state graph of UH-Leduc: 16 states, 36 actions, 11 ends.

    Example: closedhand show leduc-graph --out runs/graph.svg

    Options:
        out: Name of the picture, which is saved as .svg and as .png.
        strategy: Strategy that colours the graph, an npz file from solve.
        state: State whose actions by the strategy are printed, a tuple of the slides with or
            without the own card: '(s2,1,1,SK,HA)', '(s2,1,1,HA)'.
    """
    from closedhand.papers.leduc_slides.graph import pictures_of, plot_graph
    from closedhand.papers.leduc_slides.probabilities import probabilities_at
    from closedhand.solvers.strategy import load

    common.claim_files(*zip(pictures_of(out), (DRAWING, PICTURE), strict=True))
    played = load(strategy) if strategy else None
    if state is not None:
        if played is None:
            raise InputError("--state needs a --strategy")
        reached, actions = probabilities_at(played, state)
        shares = ", ".join(f"{action} {p:.1%}" for action, p in actions.items() if reached)
        typer.echo(f"{state}: in {reached:.2%} of games{shares and '; '}{shares}")
    for path in plot_graph(out, played):
        typer.echo(f"saved {path}")


def reproduce(
    out: Out = Path("runs/leduc"),
    only: Only = None,
    quick: Quick = False,
    seconds: common.PositiveOrNone = None,
    seed: common.Seed = 0,
    as_json: common.Json = False,
) -> None:
    """Solve and learn UH-Leduc: exact values, and the results of all algorithms.

    Sections are values, solved, solvers, slides and learning. Takes about ten minutes; with --quick
    learners have ten seconds each. Ctrl-C stops; the same command resumes.

    Example: closedhand reproduce leduc --only values

    Options:
        seconds: Training time of each learner; 120 if absent.
    """
    from closedhand.papers.leduc_slides import reproduction

    files = dict.fromkeys(reproduction.PICTURES, PICTURE)
    results = computed(reproduction, out, quick, only, files, seconds=seconds, seed=seed)
    common.save_picture(reproduction.pictures, results, out)
    show_report(out, reproduction.report(results), results, as_json, only)
