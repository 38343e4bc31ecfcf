"""The command `reproduce kou`."""

from pathlib import Path
from typing import Annotated

import typer

from closedhand.cli.common import Json, Seed, Workers, save_picture
from closedhand.cli.reproduce import Out, computed, show_report


def kou(
    out: Out = Path("runs/kou"),
    rounds: Annotated[
        int, typer.Option(min=100, help="Rounds of each league, a multiple of 100.")
    ] = 10_000,
    search_rounds: Annotated[
        int,
        typer.Option(
            min=100, help="Rounds of the league with agents that search, a multiple of 100."
        ),
    ] = 900,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Tables 1 to 6 and Figures 1 and 2 of the paper about kou, Daihinmin's champion of 2014.

    Takes about an hour. Ctrl-C stops; the same command resumes.
    """
    from closedhand.core.threads import cores
    from closedhand.papers.kou import reproduction

    results = computed(
        out,
        lambda tell: reproduction.compute(
            out, rounds, search_rounds, seed, workers or cores(), tell
        ),
    )
    save_picture(reproduction.pictures, results, out)
    show_report(out, reproduction.report(results), results, as_json)
