"""Reproduction of the DeepRocket paper: its match, figures and positions, and a ladder of agents.

Table 7 is computed from the paper's own records (Tables 8 to 10). The other sections use our
agents, as the paper's programs were never published.
"""

import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand.arena import ladder
from closedhand.core.agents import Agent, digests, make_agent
from closedhand.core.duplicate import Spec
from closedhand.core.files import SHIPPED
from closedhand.core.game import Game, State
from closedhand.core.markdown import table
from closedhand.core.parts import Sectioned
from closedhand.core.records import Record, read, replay
from closedhand.core.registry import flat_game
from closedhand.papers.deeprocket import accuracy, inference, pairings

SIDES = ("human", "DeepRocket")

SECTIONS = {
    "match": "Table 7: the match with four amateurs, from the paper's records",
    "figures": "Figures 3 and 4: stand-ins for DeepRocket and MicroWe",
    "positions": "Section 5.4: cooperation and inference",
    "inference": "Section 6: the landlord's inference from a pass",
    "training": "Section 5.1: accuracy of the networks",
    "ladder": "The ladder",
}
"""Titles of the sections, by name."""

AGENTS = (
    "random", "rule", "greedy", "decompose", "search:100ms", "policy-net", "policy-net[tuned=1]",
    "policy-search:100ms",
)  # fmt: skip
SEEDS = 10
"""Number of seeds with which each agent decides in a position."""
SHOWN = 3
"""Number of an agent's preferences that the report shows."""


class Position(NamedTuple):
    """A position of section 5.4: the state before the last two actions of a record."""

    example: int  # number of the record in the section
    about: str  # description for the report
    played: str  # action of DeepRocket, which the paper commends


POSITIONS = {
    "cooperation": Position(
        1,
        "The down peasant leads from 339TJ2; his partner holds only a 5, the landlord 448QB.",
        "3",
    ),
    "inference": Position(
        2,
        "The up peasant leads from 78JKKAS; the landlord holds one card, a 2, his partner "
        "44699JJQA2B.",
        "A",
    ),
}


@dataclass(frozen=True)
class Plan(Sectioned):
    """Settings of a reproduction."""

    network: str = "policy-net"  # stands in for DeepRocket
    best: str = "decompose"  # stands in for MicroWe, the best program before DeepRocket
    games: int = 5000  # per iteration of a pairing
    iterations: int = 10  # the paper has 10 of 5,000 games each (section 5.2)
    agents: tuple[str, ...] = AGENTS  # of the positions and of the ladder
    ladder_deals: int = 10_000  # per pair, each played in both roles
    slow_deals: int = 200  # per pair with a slow agent
    accuracy_deals: int = 10_000  # dealt to measure accuracy; the held-out tenth counts
    seed: int = 0  # of deals and agents
    workers: int = 1  # number of processes
    sections: tuple[str, ...] = tuple(SECTIONS)


QUICK = Plan(
    games=500,
    iterations=3,
    agents=tuple(agent for agent in AGENTS if "search" not in agent),
    ladder_deals=500,
    accuracy_deals=2000,
)


def deeprocket_records() -> list[Record]:
    """Read the paper's 22 games: Table 9, Table 10, and the two of section 5.4."""
    return list(read(SHIPPED / "deeprocket_match.jsonl"))


def match_table() -> dict[str, Any]:
    """Compute the paper's Table 7, its test match, from the records of its Tables 8 to 10.

    Returns:
        `landlords`: `SIDES`; `deals`, each with `number`, `stated`: the scores of both landlords in
        the paper, `computed`: those of a replay, and `completed`: the number of actions added to
        records that end early; and the totals of the deals, `stated` and `computed`.

    Raises:
        InputError: A record is not legal, or its score differs from the stated one.
    """
    games: dict[tuple[int, str], tuple[float, float, int]] = {}
    for record in deeprocket_records():
        if "match" in record.extra:
            returns = flat_game(record.game, record.rules).returns(replay(record))
            stated = record.returns[0] if record.returns else 0.0
            key = (record.extra["match"], record.extra["landlord"])
            games[key] = (stated, float(returns[0]), record.extra.get("completed", 0))
    deals = []
    for number in range(1, 1 + len(games) // 2):
        stated, computed, added = zip(*(games[number, side] for side in SIDES), strict=True)
        scores = {"stated": stated, "computed": computed}
        deals.append({"number": number, **scores, "completed": sum(added)})
    totals = {
        name: [sum(deal[name][side] for deal in deals) for side in range(len(SIDES))]
        for name in ("stated", "computed")
    }
    return {"landlords": SIDES, "deals": deals, **totals}


def position(name: str) -> State:
    """Build the full state of a position of section 5.4."""
    example = POSITIONS[name].example
    record = next(each for each in deeprocket_records() if each.extra.get("example") == example)
    return replay(replace(record, actions=record.actions[:-2], returns=None))


def positions(agents: Sequence[Spec], seed: int = 0) -> list[dict[str, Any]]:
    """Let agents decide in the positions of section 5.4, with `SEEDS` seeds from `seed` on.

    Returns:
        A row for each position and agent: `position`; `agent`; `choices`, how often each action was
        chosen; `chosen`, the most frequent action; `agrees`, whether DeepRocket chose this one; and
        `preferences`, the result of the function of that name.

    Raises:
        InputError: An agent is unknown.
    """
    game = pairings.the_game()
    rows = []
    for name, about in POSITIONS.items():
        state = position(name)
        view = game.view(state, state.player)
        for spec in agents:
            agents_of_seeds = [make_agent(game, spec, seed + k) for k in range(SEEDS)]
            choices = Counter(game.text(int(a.act(view.copy()))) for a in agents_of_seeds)
            chosen = choices.most_common(1)[0][0]
            agent = agents_of_seeds[0]
            rows.append({
                "position": name,
                "agent": agent.name if not isinstance(spec, str) else spec,
                "chosen": chosen,
                "choices": dict(choices.most_common()),
                "agrees": chosen == about.played,
                "preferences": preferences(game, agent, view),
            })  # fmt: skip
    return rows


def preferences(game: Game, agent: Agent, view: State) -> dict[str, float] | None:
    """Return the probabilities of an agent's actions, the greatest first; None if it has none."""
    policy = getattr(agent, "probabilities", None)
    if policy is None:
        return None
    [shares] = policy(np.array([view], game.dtype))
    order = np.argsort(-shares, kind="stable")[: np.count_nonzero(shares)]
    return {game.text(int(action)): float(shares[action]) for action in order}


def compute(
    folder: Path, plan: Plan, progress: Callable[[str, float, int], None]
) -> dict[str, Any]:
    """Compute the sections of a plan; the folder keeps the results of `figures` and `ladder`.

    `progress` gets the name of a part of these two, the number of parts done, and their total.

    Raises:
        InputError: An agent is unknown or plays illegally.
        KeyboardInterrupt: Interrupted; a later call resumes.
    """
    game, seed = pairings.the_game(), plan.seed
    # The inference belongs to the positions and is computed with them.
    asked = {*plan.sections, *(["inference"] if "positions" in plan.sections else [])}
    agents = list(plan.agents) if {"positions", "ladder"} & asked else []
    agents += [plan.network, plan.best] if "figures" in asked else []
    pairs = []
    if "ladder" in asked:
        pairs = ladder.pairs_of(game, plan.agents, plan.ladder_deals, plan.slow_deals)
    for agent in dict.fromkeys(agents):  # refuse an unknown agent before hours of work
        make_agent(game, agent)
    # Figures and ladder report parts of their work.
    parts = plan.iterations * len(pairings.PAIRINGS) if "figures" in asked else 0
    total = parts + len(pairs)
    # Match files do not name the package's weights: each set of weights has a folder of its own.
    weights = zlib.crc32(str(accuracy.shipped_weights()).encode())
    compute_section: dict[str, Callable[[], Any]] = {
        "match": match_table,
        "figures": lambda: pairings.compute(
            plan.network, plan.best, plan.games, plan.iterations, folder / "figures", seed,
            plan.workers, lambda name, done: progress(name, done, total),
        ),
        "positions": lambda: positions(plan.agents, seed),
        "inference": lambda: inference.infer(seed),
        "training": lambda: accuracy.measure(plan.accuracy_deals, seed),
        "ladder": lambda: ladder.compute(
            game, plan.agents, plan.ladder_deals, plan.slow_deals,
            folder / f"ladder-{weights:08x}", seed, plan.workers,
            lambda name, done: progress(name, parts + done, total),
        ),
    }  # fmt: skip
    return {section: compute_section[section]() for section in SECTIONS if section in asked}


PICTURES = ("figure-3.png", "figure-4.png", "training.png", "ladder.png")


def pictures(results: dict[str, Any], folder: Path) -> None:
    """Draw the `PICTURES` of the results of `compute`, as far as computed."""
    if "figures" in results:
        pairings.pictures(results["figures"], folder)
    if "training" in results:
        accuracy.picture(results["training"]["histories"], folder / "training.png")
    if "ladder" in results:
        ladder.picture(results["ladder"], folder / "ladder.png")


def report(results: dict[str, Any]) -> str:
    """Write the results of `compute` as Markdown."""
    writers = {
        "match": _report_match,
        "figures": pairings.report,
        "positions": _report_positions,
        "inference": inference.report,
        "training": accuracy.report,
        "ladder": lambda data: [*ladder.report(data), "", "Picture: ladder.png."],
    }
    given = results.get("figures", {}).get("agents", {}).values()
    files = {**accuracy.shipped_weights(), **digests(pairings.the_game(), given)}
    named = (f"{name} ({digest[:12]})" for name, digest in files.items())
    lines = ["# DeepRocket, reproduced", "", "Agents of this package play by these weights (the"]
    lines += ["beginning of their SHA-256; `docs/weights.md` says what each agent uses);"]
    lines += ["an agent that is named here has other files, with this checksum:"]
    lines += [f"{', '.join(named)}."]
    for section, data in results.items():
        lines += ["", f"## {SECTIONS[section]}", "", *writers[section](data)]
    return "\n".join(lines) + "\n"


def match_rows(data: dict[str, Any]) -> list[list[str]]:
    """List the cells of Table 7, from the result of `match_table`: a row per deal, then totals."""
    rows = []
    for row in (*data["deals"], {"number": "total", "completed": 0, **data}):
        pairs = zip(row["stated"], row["computed"], strict=True)
        scores = [f"{score:+g}" for pair in pairs for score in pair]
        rows.append([str(row["number"]), *scores, "completed" if row["completed"] else ""])
    return rows


def _report_match(data: dict[str, Any]) -> list[str]:
    ended = [str(deal["number"]) for deal in data["deals"] if deal["completed"]]
    lines = ["Points of the landlord in each deal. The paper's records of the deals"]
    lines += [f"{', '.join(ended)} stop before a player is out; they are completed here (see the"]
    lines += ['page "Errata and readings", which also says whether this decides the score).', ""]
    heads = ["deal", "human, paper", "replayed", "DeepRocket, paper", "replayed", ""]
    return lines + table(heads, match_rows(data))


def _report_positions(rows: list[dict[str, Any]]) -> list[str]:
    lines = [f"- {name}: {own.about} DeepRocket: {own.played}." for name, own in POSITIONS.items()]
    lines += ["", "The paper prints the hands of the second example, inference, as up peasant,"]
    lines += ["landlord, down peasant. Here they have the order of its appendix A: in the other"]
    lines += ["order the game cannot be played."]
    lines += ["", f"Each agent decides with {SEEDS} seeds; a random agent may agree by chance."]
    table_rows = []
    for row in rows:
        likely = list((row["preferences"] or {}).items())[:SHOWN]
        shown = ", ".join(f"{text} {chance:.1%}" for text, chance in likely) or "-"
        choices = row["choices"]
        plays = ", ".join(f"{text} ({n})" for text, n in choices.items())
        agreed = choices.get(POSITIONS[row["position"]].played, 0)
        total = sum(choices.values())
        table_rows.append([
            row["position"], row["agent"], plays if len(choices) > 1 else row["chosen"],
            {0: "no", total: "yes"}.get(agreed, f"{agreed} of {total}"), shown,
        ])  # fmt: skip
    heads = ["position", "agent", "plays", "as DeepRocket", "its likeliest actions"]
    return [*lines, "", *table(heads, table_rows)]
