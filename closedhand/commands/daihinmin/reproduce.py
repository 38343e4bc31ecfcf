"""The command `reproduce kou`."""

from pathlib import Path
from typing import Annotated

import typer

from closedhand.cli.common import Json, Seed, Workers, save_picture
from closedhand.cli.reproduce import Only, Out, Quick, computed, show_report
from closedhand.core.file_kinds import PICTURE


def kou(
    out: Out = Path("runs/kou"),
    only: Only = None,
    quick: Quick = False,
    rounds: Annotated[int | None, typer.Option(min=100)] = None,
    search_rounds: Annotated[int | None, typer.Option(min=100)] = None,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Reproduce Tables 1 to 6 and Figures 1 and 2 of the paper on kou, UECda-2014's light champion.

    Sections are table-1 to table-6, sweep (over the threshold), and budget (strength of a search by
    its simulations). Takes more than an hour. With --quick leagues have 1,000 rounds, 100 if agents
    search, and Tables 3 to 6 are against `default` only. Ctrl-C stops; the same command resumes.

    Example: closedhand reproduce kou --only table-1 --quick

    Options:
        rounds: Rounds of each league, a multiple of 100; 10,000 if absent.
        search_rounds: Rounds of the leagues with agents that search, a multiple of 100; 900 if
            absent.
    """
    from closedhand.core.threads import cores
    from closedhand.papers.kou import report, reproduction

    results = computed(
        reproduction, out, quick, only, dict.fromkeys(report.PICTURES, PICTURE), rounds=rounds,
        search_rounds=search_rounds, seed=seed, workers=workers or cores(),
    )  # fmt: skip
    save_picture(report.pictures, results, out)
    show_report(out, report.report(results), results, as_json, only)
