"""The command `reproduce learners`."""

from pathlib import Path
from typing import Annotated

import typer

from closedhand.cli.common import Json, Seed, interruptible, make_folder, progress_bar, save_picture
from closedhand.cli.reproduce import Quick, report_files, show_report
from closedhand.core.file_kinds import FileKind, headed


def reproduce_learners(
    only: Annotated[
        str | None,
        typer.Option(
            help="Rows to compute, separated by commas: games, learners, or GAME/LEARNER; none: "
            "only the report of the results in the folder."
        ),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Steps of a learner; 1,000,000 if absent.")
    ] = None,
    seeds: Annotated[
        int, typer.Option(min=1, help="Number of seeds, --seed and the next ones.")
    ] = 1,
    quick: Quick = False,
    seed: Seed = 0,
    out: Annotated[
        Path, typer.Option(help="Folder with a file for each cell, and the report.")
    ] = Path("runs/learners"),
    as_json: Json = False,
) -> None:
    """Compare all learners in all games at a fixed budget of steps, with curves.

    Small games are evaluated exactly, others by duplicate points against the game's agents and by a
    responder. Ctrl-C stops; the same command resumes. Each cell is a file: cells computed elsewhere
    can be copied into the folder. The table results.csv holds all of them.

    Example: closedhand reproduce learners --quick --only leduc/ppo
    """
    from dataclasses import replace

    from closedhand.arena import learner_table, learners

    plan = learners.QUICK if quick else learners.Plan()
    plan = plan if steps is None else replace(plan, steps=steps)
    wanted = None if only is None else only.split(",")
    cells = [] if only == "none" else learners.choose(wanted, range(seed, seed + seeds))
    table = FileKind("a table of learners", headed(",".join(learner_table.COLUMNS)))
    make_folder(out, {learner_table.TABLE: table, **report_files(None, ["curves.png"])})
    with interruptible(), progress_bar("cells", len(cells)) as update:
        learners.compute(out, plan, cells, lambda name, done, total: update(done, total, name))
    results = learner_table.read(out)
    picture = None
    if results:
        learner_table.write(out / learner_table.TABLE, results)
        picture = save_picture(learner_table.plot, results, out / "curves.png")
    text = learner_table.report(results) + ("\n![curves](curves.png)\n" if picture else "")
    show_report(out, text, {"cells": [each._replace(curve=each.curve.tolist())._asdict()
                                      for each in results]}, as_json)  # fmt: skip
