"""The commands `advise`, `show` and `reproduce` of Chinese Poker, and its trainer."""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from closedhand.cli import common
from closedhand.cli.reproduce import Only, Out, Quick, computed, show_report
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.file_kinds import CHECKPOINT, MARK, PICTURE, FileKind, arrays_with, begun
from closedhand.core.game import Game, InputError
from closedhand.core.optional_imports import imported, require
from closedhand.games.chinese_poker.plays import PARTS

if TYPE_CHECKING:
    from closedhand.agents.chinese_poker.advise import Advice


def advise(
    hand: Annotated[str, typer.Argument(metavar="CARDS")],
    top: common.Number = 3,
    rules: common.Rules = None,
    tables: Path | None = None,
    opponents: int | None = None,
    picture: Path | None = None,
    as_json: common.Json = False,
) -> None:
    """Rank the best arrangements of a hand, with the wins of each part and the expected points.

    Wins and points are counted against hands that an opponent may hold, arranged by the strategy
    `separable`. Their pool is arranged once, which takes about half a minute, and then kept.

    Example: closedhand advise chinese-poker "AsKs6s5s3s QhQs8c3c2h JsJd9h"

    Options:
        hand: Thirteen cards, such as AsKsQd…
        top: Number of arrangements to show.
        tables: Tables of the opponents' strategy, saved by train; by default the package's.
        opponents: Number of hands in the pool; about one in 78 is a possible opponent.
        picture: PNG file for a picture of the best arrangement.
    """
    from closedhand.agents.chinese_poker import agents, pool as pools
    from closedhand.agents.chinese_poker.advise import advise, summary
    from closedhand.games.chinese_poker.notation import parse_hand

    bound = common.bind("chinese_poker", rules, None)
    cards = parse_hand(hand)
    if picture is not None:
        if picture.suffix != ".png":
            raise InputError(f"a picture is a .png file, not {picture.name}")
        common.claim_files((picture, PICTURE))
        require("PIL")
    size = pools.POOL_SIZE if opponents is None else opponents
    with common.progress_bar("hands set", size) as update:
        pool = pools.pool_of(bound.rules, agents.tables_for(bound, tables), size, update)
    advice, number = advise(bound.rules, pool, cards, top)
    if picture is not None:
        draw(advice[0], picture)
    if as_json:
        common.print_json(summary(cards, advice, number))
        return
    for rank, each in enumerate(advice, 1):
        typer.echo(f"{rank}. {each.board}: {each.points:+.3f} ± {1.96 * each.error:.3f} points")
        common.print_table(
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
    from closedhand.envs.render import picture

    buffer, pillow = BytesIO(), imported("PIL.Image")
    from PIL.PngImagePlugin import PngInfo

    about = PngInfo()
    about.add_text("Software", MARK)
    pillow.fromarray(picture(rows(advice))).save(buffer, "png", pnginfo=about)
    write_atomically(path, buffer.getvalue())


def learn(game: Game, method: str, seconds: float, seed: int, out: Path, restart: bool) -> None:
    """Train tables for `seconds`, at least one cycle; resume those in `out` unless `restart`."""
    from closedhand.agents.chinese_poker import training
    from closedhand.core.interrupt import check

    common.make_folder(out, {training.NAME: TABLES, training.CHECKPOINT: CHECKPOINT})
    with common.interruptible(), common.progress_bar("cycle 1", 100) as update:

        def progress(part: float) -> None:
            check()
            update(round(100 * part), unit=f"cycle {learner.cycles + 1}, %")

        run = training.begin(game, method, seed, out, progress)
        learner = run.learner
        if run.resume_if_kept(restart):
            common.note(f"resuming after {learner.cycles} cycles")
        run.work(run.seconds + seconds)
    if learner.cycles:
        path, done = out / training.NAME, f"after {learner.cycles} cycles"
        agent = AgentSpec("separable", {}, str(path))
        typer.echo(f"saved {path} {done}: play them as the agent {agent}")
    common.leave_if_interrupted(run.interrupted, nothing=not learner.cycles)


def table(
    tables: Path | None = None,
    step: Annotated[float, typer.Option(min=0, max=100)] = 1.0,
    rules: common.Rules = None,
) -> None:
    """Print the tables of the strategy `separable` as CSV: part, hand, chance to win in percent.

    The front, middle and back are the parts. The tables of the package are fitted to expected
    points and are not exact chances. `train chinese-poker --algorithm blog` saves exact chances.

    Example: closedhand show chinese-poker-table --step 5

    Options:
        tables: Tables saved by train; by default the package's.
        step: Least difference between two rows in percent; 0 shows all hands.
    """
    from closedhand.agents.chinese_poker import agents, separable

    bound = common.bind("chinese_poker", rules, None)
    typer.echo(separable.csv_text(agents.tables_for(bound, tables), step), nl=False)


def reproduce(
    out: Out = Path("runs/chinese-poker"),
    only: Only = None,
    quick: Quick = False,
    hands: Annotated[int | None, typer.Option(min=100)] = None,
    pools: common.NumberOrNone = None,
    pool: Annotated[int | None, typer.Option(min=1000)] = None,
    seed: common.Seed = 0,
    as_json: common.Json = False,
) -> None:
    """Reproduce the blog's near-optimal Chinese Poker, and measure each strategy's loss.

    Sections are ranges, hand, match, and the strategies: blog, separable, rescored, human. Takes
    about 25 minutes; with --quick, small pools and without `rescored`, one to three. Ctrl-C stops;
    the same command resumes.

    Example: closedhand reproduce chinese-poker --quick

    Options:
        hands: Number of hands of the match, and of the evaluation of each strategy; 10,000 if
            absent.
        pools: Number of opponent pools that evaluate each strategy; 4 if absent.
        pool: Number of hands in a pool; 800,000 if absent.
    """
    from closedhand.papers.hankin import report, reproduction

    table = FileKind("a table of winning chances", begun("part,hand,percent\n"))
    tables = {"complete.csv": table, "more-complete.csv": table, "blog-tables.npz": TABLES}
    results = computed(
        reproduction, out, quick, only, tables, hands=hands, pools=pools, pool=pool, seed=seed
    )
    more = {**results, "judgements": report.judgements(results)}
    show_report(out, report.report(results), more, as_json, only)
