"""The commands `train bids` and `train bid-net` of Dou Dizhu."""

import json
from typing import Any

import typer

from closedhand.cli import common
from closedhand.commands.doudizhu.networks import Out, Threads
from closedhand.core.agent_spec import quoted
from closedhand.core.file_kinds import CHECKPOINT, NETWORK, TORCH_CHECKPOINT, FileKind, object_with

SEEN = ((0, 0), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2))
"""Pairs of a seat and a highest bid so far that it may face."""


def bids(
    out: common.PathOption,
    agent: str = "decompose",
    games: common.Number = 200_000,
    seed: common.Seed = 0,
    rules: common.Rules = None,
    option: common.Options = None,
    as_json: common.Json = False,
) -> None:
    """Fit Dou Dizhu's bids: the chance that 17 cards win as the landlord; Ctrl-C saves and stops.

    An agent plays every deal against itself with each player as the landlord. A logistic model of
    the chance to win, and the least chance at which each bid pays, are fitted to these games and
    evaluated on held-out deals.

    Example: closedhand train bids --games 30000 --out runs/bids

    Options:
        out: Folder for the fit; resumed if it holds one.
        agent: Agent that plays all seats.
        games: Number of games in all; each deal is played three times.
        seed: Seed of the deals and of the agent.
    """
    from closedhand.agents.doudizhu.bidding import fitting, thresholds
    from closedhand.core.files import write_atomically
    from closedhand.core.game import InputError
    from closedhand.core.run import Run

    bound = common.bind("doudizhu", rules, option)
    fitting.check_number(games)
    table = FileKind("a fit of bids", object_with("agent", "games", "features", "weights"))
    common.make_folder(out, {"deals.npz": CHECKPOINT, "bids.json": table})
    deals, path = out / "deals.npz", out / "bids.json"
    if path.exists() and not deals.exists():
        raise InputError(f"{path} is of another fit: delete it, or name another folder")
    fit = fitting.Fit(bound, agent, seed)
    run = Run(fit, fit.settings, deals)
    with common.interruptible(), common.progress_bar("games", games) as update:
        run.resume_if_kept()
        run.work(over=lambda: fit.games >= games, progress=lambda: update(fit.games))
    again = f"interrupted after {fit.games:,} games; the same command resumes"
    common.leave_if_interrupted(fit.games < games, again, nothing=not fit.games)
    with (
        common.interruptible("interrupted; the same command resumes with the fit"),
        common.progress_bar("rounds of thresholds", thresholds.ROUNDS) as update,
    ):
        data = fitting.results(fit, update)
    write_atomically(path, json.dumps(data, indent=1) + "\n")
    if as_json:
        common.print_json(data)
        return
    show(data)
    typer.echo(f"saved {path}")


def bid_net(
    deals: common.PathOption,
    out: Out,
    minutes: common.Minutes = 2.0,
    seed: common.Seed = 0,
    threads: Threads = None,
    restart: common.Restart = False,
    as_json: common.Json = False,
) -> None:
    """Train a network for Dou Dizhu's bids: the chance that 17 cards win as the landlord.

    The result is compared with the logistic model of `train bids`, on deals from which neither has
    learned. The network with the least loss is saved as OUT/bid.safetensors. Ctrl-C stops early
    and saves the best one so far; the same command resumes.

    Example: closedhand train bid-net --deals runs/bids/deals.npz --minutes 1 --out runs/bid-net

    Options:
        deals: File deals.npz that `train bids` saved.
        seed: Seed of the first weights and the order.
    """
    from closedhand.agents.doudizhu.bidding import network as bid_net

    common.make_folder(out, {bid_net.NAME: NETWORK, bid_net.CHECKPOINT: TORCH_CHECKPOINT})
    nothing = "interrupted before anything was learned; nothing more is saved"
    with common.interruptible(nothing), common.percent_bar() as report:
        result = bid_net.train(
            deals, out, minutes, seed=seed, threads=threads, restart=restart, progress=report
        )
    if as_json:
        common.print_json(result.about)
    else:
        show_calibration(result.about["calibration"])
        losses = [f"{name} {loss:.4f}" for name, loss in result.about["log_loss"].items()]
        typer.echo(f"log loss on held-out deals: {', '.join(losses)}")
        path = quoted(str(result.path), ",:")
        typer.echo(f"saved {result.path}: bid by it with the agent bids:net={path}:AGENT")
    again = "interrupted; the best network so far is saved, and the same command resumes"
    common.leave_if_interrupted(result.interrupted, again)


def show(data: dict[str, Any]) -> None:
    """Print a fit as tables."""
    typer.echo(
        f"{data['games']:,} games of {data['agent']}: the landlord wins {data['landlord_wins']:.1%}"
    )
    fitted = zip(data["features"], data["weights"], data["errors"], strict=True)
    rows = [(name, f"{weight:+.3f}", f"{error:.3f}") for name, weight, error in fitted]
    common.print_table(("feature", ">weight", ">error"), rows)
    loss = data["log_loss"]
    typer.echo(f"log loss {loss['model']:.4f}, without features {loss['constant']:.4f}")
    show_calibration(data["calibration"])
    typer.echo("the least chance of winning for a bid")
    found = []
    for seat, highest in SEEN:
        least = data["thresholds"][seat][highest]
        cells = [f"{least[bid]:.2f}" if bid >= highest else "" for bid in range(3)]
        found.append((("first", "second", "third")[seat], str(highest), *cells))
    common.print_table((">seat", ">highest bid", ">1", ">2", ">3"), found)


def show_calibration(rows: list[dict[str, float]]) -> None:
    """Print predicted and observed chances as a table."""
    typer.echo("predicted and observed chances, by tenths")
    common.print_table(
        (">hands", ">predicted", ">observed"),
        [(str(r["number"]), f"{r['predicted']:.3f}", f"{r['observed']:.3f}") for r in rows],
    )
