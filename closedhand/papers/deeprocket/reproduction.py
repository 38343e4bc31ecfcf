"""Reproduction of the DeepRocket paper: its match, figures and positions, and a ladder of agents.

Table 7 is computed from the paper's own records (Tables 8 to 10). The rest uses our agents, because
the paper's programs were never published.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from closedhand.arena import ladder
from closedhand.core.agents import make_agent
from closedhand.core.duplicate import Spec, match_settings
from closedhand.core.files import SHIPPED
from closedhand.core.game import InputError, State
from closedhand.core.records import Record, read, replay
from closedhand.core.registry import flat_game
from closedhand.core.run import compute_parts
from closedhand.papers.deeprocket import accuracy, inference, pairings

SIDES = ("human", "DeepRocket")

SECTIONS = {
    "match": "Table 7: the match with four amateurs, from the paper's records",
    "figures": "Figures 3 and 4: the network and the best agent without learning",
    "positions": "Section 5.4: cooperation and inference",
    "inference": "Section 6: what a pass tells the landlord",
    "training": "Section 5.1: accuracy of the networks",
    "ladder": "The ladder",
}
"""Titles of the sections, by name."""

IMPLIED = {"positions": ("positions", "inference")}
"""Sections that go together, by the name that asks for all of them."""

AGENTS = (
    "random",
    "rule",
    "greedy",
    "decompose",
    "search:100ms",
    "policy-net",
    "policy-search:100ms",
)
"""Agents of the positions and of the ladder."""

SEEDS = 10
"""Number of seeds with which an agent decides in a position; some depend on the clock as well."""
SHOWN = 3
"""Number of an agent's preferences that the report shows."""


class Position(NamedTuple):
    """A position of section 5.4: the state before the last two actions of its record.

    Attributes:
        example: Number of the record.
        about: Description of the position.
        played: Action that DeepRocket played and that the paper commends.
    """

    example: int
    about: str
    played: str


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


class MatchRow(NamedTuple):
    """One deal of the DeepRocket paper's test match: a row of its Table 7.

    Attributes:
        number: Number of the deal.
        stated: Landlord's score as the paper states it, with the human and with DeepRocket as
            landlord.
        computed: The same scores, computed by replaying the two records.
        completed: Number of actions that our records add because the paper's records of the deal
            end early; the page "Errata and readings" says whether they decide the score.
    """

    number: int
    stated: tuple[float, float]
    computed: tuple[float, float]
    completed: int


@dataclass(frozen=True)
class Plan:
    """Settings of a reproduction.

    Attributes:
        network: Agent that stands in for DeepRocket.
        best: Agent that stands in for MicroWe, the best program before DeepRocket.
        games: Number of games per iteration of a pairing.
        iterations: Number of iterations; the paper has 10 of 5,000 games each (section 5.2).
        agents: Agents of the positions and of the ladder.
        ladder_deals: Number of deals per pair on the ladder, each played in both roles.
        slow_deals: The same for pairs with a slow agent.
        accuracy_deals: Number of deals drawn to measure accuracy, a tenth of which is held out.
        seed: Seed of deals and agents.
        workers: Number of processes.
        sections: Names of the sections to compute, from `SECTIONS`.
    """

    network: str = "policy-net"
    best: str = "decompose"
    games: int = 5000
    iterations: int = 10
    agents: tuple[str, ...] = AGENTS
    ladder_deals: int = 10_000
    slow_deals: int = 200
    accuracy_deals: int = 10_000
    seed: int = 0
    workers: int = 1
    sections: tuple[str, ...] = tuple(SECTIONS)


QUICK = Plan(
    games=500,
    iterations=3,
    agents=("random", "rule", "greedy", "decompose", "policy-net"),
    ladder_deals=500,
    accuracy_deals=2000,
)
"""A short run, without agents that search."""


def deeprocket_records() -> list[Record]:
    """The paper's 22 games: Table 9, Table 10, and the two of section 5.4.

    The paper prints the hands of the second game of section 5.4 as up peasant, landlord and down
    peasant; here they are in the order of its appendix A. Games 4, 5 and 9 of Table 10 stop before
    their end; `completed` in a record is the number of actions that were added.
    """
    return list(read(SHIPPED / "deeprocket_match.jsonl"))


def deeprocket_match() -> list[MatchRow]:
    """The paper's Table 7, from the records of its Tables 8 to 10.

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
    rows = []
    for number in range(1, 1 + len(games) // 2):
        human, machine = (games[number, side] for side in SIDES)
        completed = human[2] + machine[2]
        rows.append(MatchRow(number, (human[0], machine[0]), (human[1], machine[1]), completed))
    return rows


def match_table() -> dict[str, Any]:
    """Table 7 for JSON: its `deals` and the totals `stated` and `computed`, by `landlords`."""
    rows = deeprocket_match()
    totals = {
        name: [sum(getattr(row, name)[side] for row in rows) for side in range(len(SIDES))]
        for name in ("stated", "computed")
    }
    return {"landlords": SIDES, "deals": [row._asdict() for row in rows], **totals}


def position(name: str) -> State:
    """The state of a position of section 5.4, with all hands known."""
    for record in deeprocket_records():
        if record.extra.get("example") == POSITIONS[name].example:
            game = flat_game(record.game, record.rules)
            state = game.parse_deal(record.deal or "")
            for text in record.actions[:-2]:
                game.play(state, game.parse(text))
            return state
    raise KeyError(name)


def positions(agents: Sequence[Spec], seed: int = 0) -> list[dict[str, Any]]:
    """The actions that agents choose in the positions of section 5.4.

    Args:
        agents: Agents by name or as objects.
        seed: The first of the `SEEDS` seeds with which each agent decides.

    Returns:
        A row for each position and agent: `position`, `agent`, `chosen` (the action that it chooses
        most often), `choices` (how often it chooses each, of `SEEDS` times), `agrees` (whether
        `chosen` is the action of the paper's DeepRocket), and `preferences`: the probability of
        each action, the most probable first, or None if the agent has no such method.

    Raises:
        InputError: An unknown agent.
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
            preferences = getattr(agent, "preferences", None)
            rows.append(
                {
                    "position": name,
                    "agent": agent.name if not isinstance(spec, str) else spec,
                    "chosen": chosen,
                    "choices": dict(choices.most_common()),
                    "agrees": chosen == about.played,
                    "preferences": preferences and preferences(view.copy()),
                }
            )
    return rows


def compute(
    plan: Plan, folder: Path, progress: Callable[[str, float, int], None]
) -> dict[str, Any]:
    """Compute all sections of a plan; results in the folder with the same settings are kept.

    Args:
        plan: Settings of the reproduction.
        folder: Folder for the files of finished parts.
        progress: Called with the name of a part, the number of parts done and the number of all
            parts.

    Returns:
        Results by section.

    Raises:
        InputError: An unknown section or agent, or an agent that plays illegally.
        KeyboardInterrupt: Interrupted; a later call resumes.
    """
    for section in plan.sections:
        if section not in SECTIONS:
            raise InputError(f"no section {section!r}; there are {', '.join(SECTIONS)}")
    agents = list(plan.agents) if {"positions", "ladder"} & set(plan.sections) else []
    if "figures" in plan.sections:
        agents += [plan.network, plan.best]
    pairs = []
    if "ladder" in plan.sections:
        pairs = ladder.pairs_of(
            pairings.the_game(), plan.agents, plan.ladder_deals, plan.slow_deals
        )
    for agent in dict.fromkeys(agents):
        make_agent(pairings.the_game(), agent)  # fails now, not in ten minutes

    def figures(tell: Callable[[str, float], None]) -> dict[str, Any]:
        return pairings.compute(
            plan.network,
            plan.best,
            plan.games,
            plan.iterations,
            folder / "figures",
            plan.seed,
            plan.workers,
            tell,
        )

    def kept(
        name: str, do: Callable[[], dict[str, Any]], agents: Sequence[str],
        tell: Callable[[str, float], None],
    ) -> dict[str, Any]:  # fmt: skip
        settings = match_settings(pairings.the_game(), agents, plan.seed)
        return compute_parts(
            {name: lambda _: do()}, folder / "parts", settings,
            lambda name, done, _: tell(name, done),
        )[name]  # fmt: skip

    def chosen(tell: Callable[[str, float], None]) -> list[dict[str, Any]]:
        def rows() -> dict[str, Any]:
            return {"rows": positions(plan.agents, plan.seed)}

        return kept("positions", rows, plan.agents, tell)["rows"]

    def inferred(tell: Callable[[str, float], None]) -> dict[str, Any]:
        return kept("inference", lambda: inference.infer(plan.seed), ["decompose"], tell)

    def rated(tell: Callable[[str, float], None]) -> dict[str, Any]:
        return ladder.compute(
            pairings.the_game(),
            plan.agents,
            plan.ladder_deals,
            plan.slow_deals,
            folder / "ladder",
            plan.seed,
            plan.workers,
            tell,
        )

    work = {
        "match": (lambda tell: match_table(), 0),
        "figures": (figures, plan.iterations * len(pairings.PAIRINGS)),
        "positions": (chosen, 1),
        "inference": (inferred, 1),
        "training": (lambda tell: accuracy.measure(plan.accuracy_deals, plan.seed), 0),
        "ladder": (rated, len(pairs)),
    }
    sections = dict.fromkeys(
        each for section in plan.sections for each in IMPLIED.get(section, (section,))
    )
    total = sum(work[section][1] for section in sections)
    results, before = {}, 0
    for section in sections:
        do, parts = work[section]
        results[section] = do(
            lambda name, done, before=before: progress(name, before + done, total)
        )
        before += parts
    return results


PICTURES = ("figure-3.png", "figure-4.png", "training.png", "ladder.png")
"""Files of the pictures."""


def pictures(results: dict[str, Any], folder: Path) -> None:
    """Draw what `compute` returned: Figures 3 and 4, the accuracy in training, the ladder.

    Raises:
        InputError: matplotlib is not installed.
    """
    if "figures" in results:
        pairings.pictures(results["figures"], folder)
    if results.get("training", {}).get("histories"):
        accuracy.picture(results["training"]["histories"], folder / "training.png")
    if "ladder" in results:
        ladder.picture(results["ladder"], folder / "ladder.png")


def report(results: dict[str, Any]) -> str:
    """All results as Markdown."""
    writers = {
        "match": _report_match,
        "figures": pairings.report,
        "positions": _report_positions,
        "inference": inference.report,
        "training": accuracy.report,
        "ladder": lambda data: [*ladder.report(data), "", "Picture: ladder.png."],
    }
    lines = ["# DeepRocket, reproduced"]
    for section, data in results.items():
        lines += ["", f"## {SECTIONS[section]}", "", *writers[section](data)]
    return "\n".join(lines) + "\n"


def _report_match(data: dict[str, Any]) -> list[str]:
    """Table 7, as Markdown."""
    ended = [str(deal["number"]) for deal in data["deals"] if deal["completed"]]
    lines = ["Points of the landlord in each deal. The paper's records of the deals"]
    lines += [f"{', '.join(ended)} stop before a player is out; they are completed here (see the"]
    lines += ['page "Errata and readings", which also says whether this decides the score).', ""]
    lines += ["| deal | human, paper | replayed | DeepRocket, paper | replayed | |"]
    lines += ["|---|---|---|---|---|---|"]
    total = {"number": "total", "completed": 0, **data}
    for row in (*data["deals"], total):
        pairs = zip(row["stated"], row["computed"], strict=True)
        cells = [str(row["number"]), *(f"{score:+g}" for pair in pairs for score in pair)]
        lines.append(f"| {' | '.join(cells)} | {'completed' if row['completed'] else ''} |")
    return lines


def _report_positions(rows: list[dict[str, Any]]) -> list[str]:
    lines = [f"- {name}: {own.about} DeepRocket: {own.played}." for name, own in POSITIONS.items()]
    lines += ["", "The paper prints the hands of the second example, inference, as up peasant,"]
    lines += ["landlord, down peasant; here they have the order of its appendix A, which lets the"]
    lines += ["game be played."]
    lines += ["", f"{SEEDS} decisions each, with as many seeds; an agent that plays at random may"]
    lines += ["agree by chance."]
    lines += ["", "| position | agent | plays | as DeepRocket | its likeliest actions |"]
    lines += ["|---|---|---|---|---|"]
    for row in rows:
        likely = list((row["preferences"] or {}).items())[:SHOWN]
        shown = ", ".join(f"{text} {chance:.1%}" for text, chance in likely) or "-"
        choices = row["choices"]
        plays = [f"{text} ({n})" for text, n in choices.items()]
        plays = ", ".join(plays) if len(plays) > 1 else row["chosen"]
        agreed = choices.get(POSITIONS[row["position"]].played, 0)
        total = sum(choices.values())
        agrees = {0: "no", total: "yes"}.get(agreed, f"{agreed} of {total}")
        lines.append(f"| {row['position']} | {row['agent']} | {plays} | {agrees} | {shown} |")
    return lines
