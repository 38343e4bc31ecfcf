"""The commands `advise` and `reproduce` of Chinese Poker, and its trainer."""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from closedhand.cli.common import (
    Json,
    Rules,
    Seed,
    bind,
    claim_files,
    interruptible,
    leave_if_interrupted,
    make_folder,
    note,
    print_json,
    print_table,
    progress_bar,
)
from closedhand.cli.reproduce import Only, Out, Quick, computed, plan_of, report_files, show_report
from closedhand.core.file_kinds import CHECKPOINT, MARK, PICTURE, FileKind, arrays_with, headed
from closedhand.core.game import Game, InputError
from closedhand.games.chinese_poker.plays import PARTS

if TYPE_CHECKING:
    from closedhand.agents.chinese_poker.advise import Advice


def advise(
    hand: Annotated[str, typer.Argument(metavar="CARDS", help="Thirteen cards, such as AsKsQd…")],
    top: Annotated[int, typer.Option(min=1, help="Number of arrangements to show.")] = 3,
    rules: Rules = None,
    tables: Annotated[
        Path | None,
        typer.Option(
            help="Tables of the opponents' strategy, saved by train; by default the package's."
        ),
    ] = None,
    opponents: Annotated[
        int | None,
        typer.Option(help="Number of hands in the pool; about one in 78 is a possible opponent."),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="PNG file for a picture of the best arrangement.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Rank the best arrangements of a hand, with the wins of each part and the expected points.

    Wins and points are counted against hands that an opponent may hold, arranged by the strategy
    `separable`. Their pool is arranged once, which takes about half a minute, and then kept.

    Example: closedhand advise chinese-poker "AsKs6s5s3s QhQs8c3c2h JsJd9h"
    """
    from closedhand.agents.chinese_poker import agents, opponents as shared
    from closedhand.agents.chinese_poker.advise import advise, summary
    from closedhand.envs.render import require_pillow
    from closedhand.games.chinese_poker.notation import parse_hand

    bound = bind("chinese_poker", rules, None)
    cards = parse_hand(hand)
    if picture is not None:
        if picture.suffix != ".png":
            raise InputError(f"a picture is a .png file, not {picture.name}")
        claim_files((picture, PICTURE))
        require_pillow()
    size = shared.POOL_SIZE if opponents is None else opponents
    with progress_bar("hands set", size) as update:
        pool = shared.pool_of(bound.rules, agents.tables_for(bound, tables), size, update)
    advice, number = advise(bound.rules, pool, cards, top)
    if picture is not None:
        draw(advice[0], picture)
    if as_json:
        print_json(summary(cards, advice, number))
        return
    for rank, each in enumerate(advice, 1):
        typer.echo(f"{rank}. {each.board}: {each.points:+.3f} ± {1.96 * each.error:.3f} points")
        print_table(
            ("part", "cards", "", ">wins", ">ties"),
            [(p.part, p.cards, p.name, f"{p.win:.1%}", f"{p.tie:.1%}") for p in each.parts],
        )
        if bound.rules.majority == 1:
            typer.echo(f"formula for human play, percent: {each.formula}\n")
    typer.echo(f"points per opponent, with 95% intervals, against {number:,} opponents")
    if picture is not None:
        typer.echo(f"saved {picture}")


TABLES = FileKind("tables of winning chances", arrays_with(*PARTS, "about"))


def draw(advice: "Advice", path: Path) -> None:
    """Draw an arrangement as PNG."""
    from closedhand.agents.chinese_poker.advise import rows
    from closedhand.core.files import write_atomically
    from closedhand.envs.render import picture, require_pillow

    buffer, pillow = BytesIO(), require_pillow()
    from PIL.PngImagePlugin import PngInfo

    about = PngInfo()
    about.add_text("Software", MARK)
    pillow.fromarray(picture(rows(advice))).save(buffer, "png", pnginfo=about)
    write_atomically(path, buffer.getvalue())


def learn(game: Game, method: str, seconds: float, seed: int, out: Path, restart: bool) -> None:
    """Train tables of winning chances for at least one cycle, resuming those in the folder."""
    from closedhand.agents.chinese_poker import training
    from closedhand.core.interrupt import check

    if method not in training.METHODS:
        known = ", ".join(training.METHODS)
        raise InputError(f"no algorithm {method!r} for {game.name}; there are {known}")
    make_folder(out, {"tables.npz": TABLES, "training.npz": CHECKPOINT})
    with interruptible(), progress_bar("cycle 1", 100) as update:

        def progress(part: float) -> None:
            check()
            update(round(100 * part), unit=f"cycle {learner.cycles + 1}, %")

        run = training.begin(game, method, seed, out, progress)
        learner = run.learner
        if run.resume_if_kept(restart):
            note(f"resuming after {learner.cycles} cycles")
        run.work(run.seconds + seconds)
    path = out / "tables.npz"
    if learner.cycles:
        typer.echo(
            f"saved {path} after {learner.cycles} cycles: play them as the agent separable:{path}"
        )
    leave_if_interrupted(run.interrupted, nothing=not learner.cycles)


def table(
    tables: Annotated[
        Path | None, typer.Option(help="Tables saved by train; by default the package's.")
    ] = None,
    step: Annotated[
        float,
        typer.Option(
            min=0, max=100, help="Least difference between two rows in percent; 0 shows all hands."
        ),
    ] = 1.0,
    rules: Rules = None,
) -> None:
    """Print a strategy's tables as CSV: part, hand, chance to win in percent.

    The tables of the package are fitted to expected points and are not exact chances. `train
    chinese-poker --algorithm blog` saves exact chances.

    Example: closedhand show chinese-poker-table --step 5
    """
    from closedhand.agents.chinese_poker import agents, separable

    bound = bind("chinese_poker", rules, None)
    typer.echo(separable.csv_text(agents.tables_for(bound, tables), step), nl=False)


def reproduce(
    out: Out = Path("runs/chinese-poker"),
    only: Only = None,
    quick: Quick = False,
    hands: Annotated[
        int | None,
        typer.Option(
            min=100,
            help="Number of hands of the match, and of the evaluation of each strategy; "
            "10,000 if absent.",
        ),
    ] = None,
    pools: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of opponent pools that evaluate each strategy; 4 if absent."
        ),
    ] = None,
    pool: Annotated[
        int | None, typer.Option(min=1000, help="Number of hands in a pool; 800,000 if absent.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Reproduce the blog's near-optimal Chinese Poker, and measure each strategy's loss.

    Sections are ranges, hand, match, and the strategies: blog, separable, rescored, human. Takes
    about 25 minutes; with --quick, small pools and without `rescored`, one to three. Ctrl-C stops;
    the same command resumes.

    Example: closedhand reproduce chinese-poker --quick
    """
    from closedhand.papers.hankin import report, reproduction

    plan = plan_of(reproduction, quick, only, hands=hands, pools=pools, pool=pool, seed=seed)
    table = FileKind("a table of winning chances", headed("part,hand,percent"))
    tables = {"complete.csv": table, "more-complete.csv": table, "blog-tables.npz": TABLES}
    results = computed(out, report_files(only) | tables, reproduction.compute, plan)
    more = {**results, "judgements": report.judgements(results)}
    show_report(out, report.report(results), more, as_json, only)
