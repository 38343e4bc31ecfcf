"""The commands `reproduce deeprocket-match` and `reproduce deeprocket`."""

from pathlib import Path

from closedhand.cli import common, reproduce as shared
from closedhand.core.file_kinds import PICTURE


def deeprocket_match(as_json: common.Json = False) -> None:
    """Reproduce Table 7 of the DeepRocket paper, its match with four amateurs, from the records.

    Example: closedhand reproduce deeprocket-match
    """
    from closedhand.papers.deeprocket.reproduction import match_rows, match_table

    data = match_table()
    if as_json:
        common.print_json(data)
        return
    common.print_table(
        (">deal", ">human, paper", ">replayed", ">DeepRocket, paper", ">replayed", ""),
        match_rows(data),
        "Scores as landlord: human and DeepRocket",
    )


def deeprocket(
    network: str = "policy-net",
    best: str = "decompose",
    games: common.NumberOrNone = None,
    iterations: common.NumberOrNone = None,
    agents: str | None = None,
    ladder_deals: common.NumberOrNone = None,
    slow_deals: common.Number = 200,
    only: shared.Only = None,
    quick: shared.Quick = False,
    seed: common.Seed = 0,
    workers: common.Workers = None,
    out: shared.Out = Path("runs/deeprocket"),
    as_json: common.Json = False,
) -> None:
    """Reproduce the DeepRocket paper: Table 7, Figures 3 and 4, two positions, a ladder of agents.

    Sections are match, figures, positions with inference, training and ladder. Takes hours; with
    --quick, few games and no agents that search, some minutes. Ctrl-C stops; the same command
    resumes.

    Example: closedhand reproduce deeprocket --only figures --games 500

    Options:
        network: Agent that stands in for DeepRocket in the figures.
        best: Agent that stands in for MicroWe, the best program before DeepRocket.
        games: Games per iteration of a pairing; 5,000 if absent.
        iterations: Iterations of each pairing; 10 if absent.
        agents: Agents of the positions and the ladder, separated by commas; all if absent.
        ladder_deals: Deals of a pair on the ladder, each played in both roles; 10,000 if absent.
        slow_deals: Deals of a pair with an agent that searches.
    """
    from closedhand.core.agent_spec import split_agents
    from closedhand.core.threads import cores
    from closedhand.papers.deeprocket import reproduction

    results = shared.computed(
        reproduction, out, quick, only, dict.fromkeys(reproduction.PICTURES, PICTURE),
        network=network, best=best, games=games, iterations=iterations, ladder_deals=ladder_deals,
        slow_deals=slow_deals, agents=tuple(split_agents(agents)) if agents else None, seed=seed,
        workers=workers or cores(),
    )  # fmt: skip
    common.save_picture(reproduction.pictures, results, out)
    shared.show_report(out, reproduction.report(results), results, as_json, only)
