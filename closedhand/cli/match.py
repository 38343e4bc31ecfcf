"""The commands `match` and `deals`: duplicate matches and leagues, and deals to play them on."""

import re
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from closedhand.cli import common
from closedhand.core.checks import check_deals
from closedhand.core.file_kinds import DEALS, LEAGUE, MATCH, PICTURE
from closedhand.core.game import Game, InputError
from closedhand.core.registry import make_game, spec_of
from closedhand.core.statistics import Estimate, interval
from closedhand.core.text import slug

if TYPE_CHECKING:
    from closedhand.core.agents import Player
    from closedhand.core.deals import Deals


NOTHING = "interrupted before any more deals were finished; nothing more is saved"


def match(
    game: common.GameName,
    agents: common.Text,
    deals: Annotated[str | None, typer.Option(metavar="NUMBER|FILE")] = None,
    rounds: common.NumberOrNone = None,
    duplicate: Annotated[bool, typer.Option("--duplicate")] = False,
    seed: common.Seed = 0,
    rules: common.Rules = None,
    option: common.Options = None,
    workers: common.NumberOrNone = None,
    ray: common.Ray = None,
    out: Path | None = None,
    resume: Annotated[bool, typer.Option("--resume")] = False,
    as_json: common.Json = False,
) -> None:
    """Play a duplicate match, or a league, and show points with 95% intervals.

    In a match, each pair of agents plays every deal at every seating. In a league all agents play
    at one table; --rounds or --duplicate make a league of any game with three or more sides, and
    some games are always leagues. If rounds depend on each other, a deal is a whole match of
    rounds, with --duplicate a single round.

    Saves the results as JSON, by default in runs/, and a picture of them beside it.

    Example: closedhand match doudizhu --agents greedy,rule --deals 200

    Options:
        agents: Two or more agents, separated by commas; in a league one for each seat, the last one
            for all further seats.
        deals: Number of deals, each played at every seating, 1000 if absent; or a file of deals or
            records (closedhand deals).
        rounds: Number of rounds of a league; 1000 if absent.
        duplicate: A league that replays each deal with the agents rotated through all seats.
        workers: Number of processes, or of workers with --ray; all cores if absent, one with a
            search by the clock.
        out: JSON file for the results; the picture is saved beside it.
        resume: Continue the match that the file holds.
    """
    from closedhand.arena import results
    from closedhand.arena.match import is_clocked
    from closedhand.core.agent_spec import split_agents

    options = common.given_options(game, rules, option)
    is_league = spec_of(game).league or rounds is not None or duplicate
    kind = ["league", *["duplicate"] * duplicate] if is_league else ["match"]
    given = [f"{key} {value}" for key, value in options.items()]
    asked = _asked(game, options, deals)
    if not isinstance(asked, int | None):
        given.append(f"deals {asked.digest}")
    path = out or Path("runs") / (slug(" ".join([*kind, game, *given, agents])) + ".json")
    picture = path.parent / f"{path.stem}.png"
    common.claim_files((path, LEAGUE if is_league else MATCH), (picture, PICTURE))
    texts = split_agents(agents)
    if is_league:
        contest = _league(game, options, texts, asked, rounds, duplicate, seed)
    else:
        contest = _match(common.bind(game, rules, option), texts, asked or 1000, seed)
    common.refuse_clocked(contest.game, contest.players, ray)
    clocked = is_clocked(contest.game, contest.players)
    played = contest.load(path) if resume else None

    def save(found: Any) -> None:
        results.save(path, contest.summary(found))

    with (
        common.workers_of(ray, workers or (1 if clocked else None)) as doing,
        common.interruptible(NOTHING),
        common.progress_bar(contest.unit, contest.total) as update,
    ):
        found = contest.play(doing, played, lambda done: update(done * contest.share), save)
    data = contest.summary(found)
    try:
        results.save(path, data)
        drawn = common.save_picture(contest.plot, data, picture)
    finally:  # print the results even if they cannot be saved
        if as_json:
            common.print_json(data)
        else:
            contest.show(data)
    if not as_json:
        typer.echo(f"saved {path}" + (f" and {drawn}" if drawn else ""))
    done = f"interrupted after {found.deals * contest.share} of {contest.total} {contest.unit}"
    common.leave_if_interrupted(found.interrupted, f"{done}; continue with --resume")


def _asked(game: str, options: dict[str, Any], text: str | None) -> "int | Deals | None":
    """Parse `--deals`: a number, or the deals of a file for the game; None if it is absent."""
    from closedhand.core.deals import read_deals

    if text is None:
        return None
    if re.fullmatch(r"[+-]?[0-9]{1,30}", text):
        return check_deals(int(text), "a match")
    return read_deals(Path(text), make_game(game, **options))


class _Contest(NamedTuple):
    """A match or a league to be played: `total` is its length in the `unit`, deals or rounds."""

    game: Game
    players: Sequence["Player"]
    unit: str
    share: int  # units in a deal
    total: int
    load: Callable[[Path], Any]  # reads the results of a file, to continue from them
    play: Callable[..., Any]  # takes workers, loaded results, `update(deals)`, `save(results)`
    summary: Callable[[Any], dict[str, Any]]
    plot: Callable[[Any, Path], None]
    show: Callable[[dict[str, Any]], None]


def _match(game: Game, texts: list[str], deals: "int | Deals", seed: int) -> _Contest:
    from closedhand.arena import match, results
    from closedhand.arena.plot import plot_match
    from closedhand.core.deals import choose_deals
    from closedhand.core.duplicate import parse_all

    agents, dealt = parse_all(game, texts), choose_deals(deals, game, "a match")
    return _Contest(
        game, agents, "deals", 1, dealt.number,
        load=lambda path: results.load(path, game, agents, seed, dealt.digest),
        play=lambda *how: match.play(game, agents, deals, seed, *how),
        summary=results.summary, plot=plot_match, show=show_match,
    )  # fmt: skip


def _league(
    name: str,
    options: dict[str, Any],
    texts: list[str],
    deals: "int | Deals | None",
    rounds: int | None,
    duplicate: bool,
    seed: int,
) -> _Contest:
    """Set up a league of `rounds` (default 1000), rounded up to whole deals, or of `deals`."""
    from closedhand.arena import league
    from closedhand.arena.plot import plot_league
    from closedhand.core.deals import choose_deals

    if deals is not None and (rounds is not None or not duplicate):
        raise InputError("a league takes --rounds, or with --duplicate --deals in their place")
    wanted = rounds or 1000
    game = league.bind(name, options, wanted, duplicate)
    share = game.rounds * (game.num_players if duplicate else 1)  # rounds of a deal, all rotations
    asked = deals or -(-wanted // share)  # rounded up
    dealt = choose_deals(asked, game, "a league")
    total = dealt.number * share
    seated = league.seat_all(game, texts)
    if len(seated) > len(texts):
        common.note(f"{texts[-1]} takes {len(seated) - len(texts) + 1} seats")
    if rounds and total != rounds:
        common.note(f"playing {total} rounds, in deals of {share}")
    return _Contest(
        game, seated, "rounds", share, total,
        load=lambda path: league.load(path, game, seated, seed, duplicate, dealt.digest),
        play=lambda *how: league.play(game, seated, asked, seed, duplicate, *how),
        summary=league.summary, plot=plot_league, show=show_league,
    )  # fmt: skip


def save_deals(
    game: common.GameName,
    out: common.PathOption,
    number: common.Number = 1000,
    seed: common.Seed = 0,
    rules: common.Rules = None,
    option: common.Options = None,
    as_json: common.Json = False,
) -> None:
    """Write deals to a file, which `match --deals FILE` plays.

    A match with this seed plays the same deals, or in Daihinmin, which is always played in leagues,
    a duplicate league does. The results of each match on the file name it by its digest.

    Example: closedhand deals doudizhu --number 1000 --out runs/deals.txt

    Options:
        out: File to write, one deal a line.
        number: Number of deals.
    """
    from closedhand.arena import league
    from closedhand.core.deals import write_deals

    if spec_of(game).league:
        given = common.given_options(game, rules, option)
        bound = league.bind(game, given, number, duplicate=True)
    else:
        bound = common.bind(game, rules, option)
    common.claim_files((out, DEALS))
    digest = write_deals(out, bound, number, seed)
    if as_json:
        about = {"game": bound.name, "deals": number, "seed": seed, "deals_digest": digest}
        common.print_json(about)
    else:
        typer.echo(f"saved {number:,} deals as {out}, digest {digest}")


def show_match(data: dict[str, Any]) -> None:
    """Print match results, the data of `arena.results.summary`, as tables."""
    from closedhand.arena.results import columns_of, shortened

    console = common.plain_console()
    for pair in data["pairs"]:
        names = shortened(pair["agents"])
        first, second = (names[agent] for agent in pair["agents"])
        title = f"{data['game']}: {first} v {second}, {_dealt(data)}, seed {data['seed']}"
        rows = pair["results"]
        figures = [columns_of(row) for row in rows]
        signs = {
            name: "+" if any(each[name]["mean"] < 0 for each in figures) else ""
            for name in figures[0]
        }
        lines = []
        for row, figure in zip(rows, figures, strict=True):
            cells = (Estimate(**figure[name]).cells(f"{sign}.3f") for name, sign in signs.items())
            lines.append((names[row["agent"]], row["role"], *chain.from_iterable(cells)))
        headings = chain.from_iterable((f">{name}", ">95%") for name in signs)
        common.print_table(["agent", "role", *headings], lines, title)
        gap = Estimate(**pair["difference"]["all"]).cells("+.3f")
        console.print("{} minus {} on the same deals: {} a game ({})".format(first, second, *gap))
        times = zip((first, second), pair["microseconds_per_decision"], strict=True)
        console.print("; ".join(f"{name} {time} µs per decision" for name, time in times))
        for name, spent in zip((first, second), pair["spent"], strict=True):
            if spent:
                console.print(f"{name}: {budget_used(spent)}")


def _dealt(data: dict[str, Any]) -> str:
    digest = data["deals_digest"]
    return f"{data['deals']} deals" + (f" of {digest}" if digest else "")


def budget_used(spent: dict[str, float]) -> str:
    """Write the number of an agent's searches, and their mean simulations and time."""
    number, seconds = spent["searches"], spent["seconds"]
    # Agents count their searches themselves, perhaps without their time.
    cores = f", on {spent['processor_seconds'] / seconds:.2f} cores" if seconds else ""
    return (
        f"{number:,.0f} searches of {spent['simulations'] / number:,.0f} simulations and "
        f"{1000 * seconds / number:,.1f} ms{cores}"
    )


def show_league(data: dict[str, Any]) -> None:
    """Print the results of a league as tables."""
    from closedhand.arena.results import shortened

    console = common.plain_console()
    names = shortened(row["agent"] for row in data["results"])
    how = f"each of {_dealt(data)} at all seats, " if data["duplicate"] else ""
    console.print(f"{data['game']}: {data['rounds']:,} rounds, {how}seed {data['seed']}")
    ends = {1: "st", 2: "nd", 3: "rd"}
    places = (f">{i}{ends.get(i, 'th')}" for i in range(1, len(data["results"]) + 1))
    common.print_table(
        ["agent", ">points", ">95%", *places, ">µs"],
        [
            (
                names[row["agent"]],
                *Estimate(**row["points"]).cells(".3f"),
                *(f"{100 * share:.0f}%" for share in row["places"]),
                f"{row['microseconds_per_decision'] or 0:.1f}",
            )
            for row in sorted(data["results"], key=lambda row: -row["points"]["mean"])
        ],
    )
    for gap in data["differences"]:
        first, second = (names[agent] for agent in gap["agents"])
        within = interval(gap["low"], gap["high"], "+.3f")
        console.print(f"{first} minus {second}: {gap['mean']:+.3f} per round ({within})")
    for row in data["results"]:
        if row["spent"]:
            console.print(f"{names[row['agent']]}: {budget_used(row['spent'])}")
    over = f"{data['blocks']} blocks of rounds" if data["blocks"] else f"{data['deals']} deals"
    console.print(f"points per round; intervals over {over}; µs per decision")
