"""The commands `records replay`, `records export` and `records generate`."""

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from closedhand.cli import common
from closedhand.cli.groups import Group
from closedhand.core.file_kinds import PAGE, RECORDS, FileKind
from closedhand.core.game import InputError

app = typer.Typer(
    cls=Group, help="Replay, convert and generate records of games.", no_args_is_help=True
)


@app.command()
def replay(
    file: Path,
    game: common.RecordsGame = None,
    rules: common.Rules = None,
    option: common.Options = None,
    verbose: Annotated[bool, typer.Option("--verbose")] = False,
    as_json: common.Json = False,
) -> None:
    """Replay every record of a file; exit code 0 only if all are legal and all results agree.

    Example: closedhand records replay games.jsonl --verbose

    Options:
        file: Records, one per line, in JSON or a game's notation; or a log of another program.
        verbose: Print a line for every game, not only for errors.
    """
    from closedhand.core.records import replay_file

    replays: list[dict[str, Any]] = []
    wrong: list[str] = []
    remarks: list[str] = []  # on games that are legal, but that no record can hold
    games = entries = 0
    # A progress bar and lines would mix: without --verbose errors are printed at the end.
    bar = nullcontext(lambda done: None) if verbose else common.progress_bar("games", None)
    with bar as update:
        for each in replay_file(file, game, **common.given_options(game, rules, option)):
            games += 1
            entries += len(each.record.actions) if each.record else 0
            update(games)
            if as_json:
                replays.append({each.unit: each.line, "returns": each.returns, "error": each.error})
            elif verbose:
                ended = f"returns {list(each.returns)}" if each.returns else "legal, not played out"
                more = f"; {each.detail}" if each.detail else ""
                typer.echo(each.error or f"{each.unit} {each.line}: {ended}{more}")
            if each.error is not None:
                wrong.append(each.error)
            elif each.record is None:
                remarks.append(f"{each.unit} {each.line}: {each.detail}")
    if as_json:
        counts = {"entries": entries, "errors": len(wrong)}
        common.print_json({"file": str(file), "games": replays, **counts})
    else:
        for line in () if verbose else wrong + remarks:
            typer.echo(line)
        typer.echo(f"{games:,} games, {entries:,} entries, {len(wrong):,} errors")
    if wrong:
        raise typer.Exit(1)


@app.command()
def export(
    file: Path,
    out: common.PathOption,
    game: common.RecordsGame = None,
    mistakes: Annotated[bool, typer.Option("--mistakes")] = False,
    rules: common.Rules = None,
    option: common.Options = None,
) -> None:
    """Convert logs of other programs to records, and records to logs or to a page of replays.

    The page is one HTML file, which any browser shows without a server.

    Example: closedhand records export games.jsonl --out games.html

    Options:
        file: Records, one per line, or a log of another program.
        out: File to write: records if it ends in .jsonl, a page of replays if in .html, else a log
            of that ending.
        mistakes: Rate all plays of a page; takes a second for each.
    """
    from closedhand.core.files import write_atomically
    from closedhand.core.records import as_asked, log_readers, read, reader_of, write

    writers = {reader.suffix: reader.text for reader in log_readers() if reader.text}
    own = (".jsonl", ".html")
    if out.suffix not in (*writers, *own):
        endings = " or ".join((*filter(None, writers), *own))
        raise InputError(f"--out must end in {endings}, not {out.suffix!r}")
    if mistakes and out.suffix != ".html":
        raise InputError("--mistakes is for a page: leave it out, or let --out end in .html")
    log = FileKind("a log that a game reads", lambda path: reader_of(path) is not None)
    common.claim_files((out, {".jsonl": RECORDS, ".html": PAGE}.get(out.suffix, log)))
    reader = reader_of(file)
    asked = common.given_options(game, rules, option)
    if reader is not None:
        records = [as_asked(record, game, **asked) for record in reader.records(file)]
    else:
        records = list(read(file, game, **asked))
    if out.suffix == ".jsonl":
        write(out, records)
    elif out.suffix == ".html":
        from closedhand.web.page import page

        with common.progress_bar("games", len(records)) as update:
            write_atomically(out, page(records, out.stem, mistakes, update))
    else:
        write_atomically(out, writers[out.suffix](records))
    typer.echo(f"saved {len(records)} games as {out}")


@app.command()
def generate(
    game: common.GameName,
    agents: common.Text,
    out: common.PathOption,
    games: common.Number = 10_000,
    seed: common.Seed = 0,
    rules: common.Rules = None,
    option: common.Options = None,
    workers: common.Workers = None,
    ray: common.Ray = None,
) -> None:
    """Play games between agents, and write them as records.

    Parquet shards are for Dou Dizhu without sub-steps and bidding. Several workers make them, and
    after Ctrl-C the same command resumes.

    Example: closedhand records generate leduc --agents random --games 100 --out runs/leduc.jsonl

    Options:
        agents: Agents, separated by commas. Each side of every game draws one of them; an agent
            named twice is drawn twice as often.
        out: File of records, one a line, which ends in .jsonl; in Dou Dizhu also a folder for
            Parquet shards, which `train policy-net` reads. Shards in it are kept.
        games: Number of games.
    """
    from closedhand.arena.generate import generate
    from closedhand.core.agent_spec import split_agents
    from closedhand.core.records import write
    from closedhand.core.registry import load, spec_of

    bound = common.bind(game, rules, option)
    if out.suffix != ".jsonl":
        own = spec_of(bound.name).commands.get("records generate")
        if own is None:
            raise InputError(f"--out of {bound.name} must end in .jsonl, not {out.name!r}")
        load(own)(bound, split_agents(agents), out, games, seed, workers, ray)
        return
    if workers is not None or ray is not None:
        raise InputError("--workers and --ray are for shards: leave them out")
    common.claim_files((out, RECORDS))
    stop = common.interruptible("interrupted; nothing is saved")
    with stop, common.progress_bar("games", games) as update:
        write(out, generate(bound, split_agents(agents), games, seed, update))
    typer.echo(f"saved {games:,} games as {out}")
