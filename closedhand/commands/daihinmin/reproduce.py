"""The command `reproduce kou`."""

from pathlib import Path
from typing import Annotated

import typer

from closedhand.cli.common import Json, Seed, Workers, save_picture
from closedhand.cli.reproduce import (
    Only,
    Out,
    Quick,
    computed,
    report_files,
    report_name,
    sections,
    show_report,
)


def kou(
    out: Out = Path("runs/kou"),
    only: Only = None,
    quick: Quick = False,
    rounds: Annotated[
        int | None,
        typer.Option(min=100, help="Rounds of each league, a multiple of 100; 10,000 if absent."),
    ] = None,
    search_rounds: Annotated[
        int | None,
        typer.Option(
            min=100,
            help="Rounds of the leagues with agents that search, a multiple of 100; 900 if absent.",
        ),
    ] = None,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Reproduce Tables 1 to 6 and Figures 1 and 2 of the paper on kou, Daihinmin's 2014 champion.

    Sections are table-1 to table-6, sweep (over the threshold), worth (gain of each departure from
    the paper), and budget (strength of a search by its simulations). Takes more than an hour. With
    --quick leagues have 1,000 rounds, 100 if agents search, and Tables 3 to 6 are against `default`
    only. Ctrl-C stops; the same command resumes.
    """
    from closedhand.core.threads import cores
    from closedhand.papers.kou import report, reproduction

    usual = reproduction.QUICK if quick else reproduction.Plan()
    plan = reproduction.Plan(
        rounds=rounds or usual.rounds,
        search_rounds=search_rounds or usual.search_rounds,
        seed=seed,
        workers=workers or cores(),
        sections=sections(only, reproduction.SECTIONS, usual.sections),
        enemies=usual.enemies,
    )
    files = report_files(report_name(only), report.PICTURES)
    results = computed(out, files, lambda update: reproduction.compute(plan, out, update))
    save_picture(report.pictures, results, out)
    show_report(out, report.report(results), results, as_json, report_name(only))
