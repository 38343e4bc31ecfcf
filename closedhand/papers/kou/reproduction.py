"""Tables and figures of the paper about `kou`, champion of UECda-2014's light class.

`kou` is the reading of its text under which its results are possible, `kou[letter=1]` follows the
text to the letter, and `default` is the competition's sample client. `default[lead=single]` leads
single cards, as the paper says of that client. Its other programs are not ours, and agents of the
same kind stand in for them. A league consists of matches of 100 rounds; intervals are over these
matches.
`compute` plays each league as a part of its own. `report` is the text.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.agents.daihinmin.kou.variants import DEPARTURES, LETTER
from closedhand.arena import league, results as files
from closedhand.arena.plot import new_figure, plot_league, save_figure, spread
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import make_agent
from closedhand.core.duplicate import cut
from closedhand.core.file_kinds import LEAGUE
from closedhand.core.files import refuse_foreign
from closedhand.core.game import Game, InputError
from closedhand.core.registry import make_game
from closedhand.core.run import Notes, Part, compute_parts
from closedhand.core.statistics import Estimate, interval, student

MATCH = 100
"""Rounds of a match; the next one begins without classes and with other seats."""

SIDE_BY_SIDE = 5000
"""Rounds of a league of agents that draw no random numbers that are played side by side."""

KOUS = ("kou", "kou[letter=1]")
"""The agents that are measured: our reading of the paper, and its letter."""

STAND_INS = {
    "min-sets": "chibiHana",
    "trick-ender": "Party",
    "monte-carlo[playouts=random]:2000": "snowl",
    "monte-carlo:250": "crow",
    "monte-carlo:500": "paon",
    "monte-carlo:1000": "beersong",
}
"""Our agents, and the paper's programs that they stand in for; searching ones in strength order.

The stand-in for snowl, the first champion that searched, plays its simulations at random, about as
many as snowl did. It is weaker than `kou` (section "budget"), as snowl is.
"""

TIMED = {1: KOUS, 2: KOUS[:1]}
"""By table, whose leagues the times are from; the first agent is the one compared with."""

LIGHT = ("min-sets", "trick-ender", "default", "default")
SEARCH = tuple(agent for agent in reversed(STAND_INS) if agent.startswith("monte-carlo"))
"""The opponents of Tables 1 and 2, in the paper's order."""

TABLE_1 = {
    1000: (3660, 3493, 3271, 2324, 2252),
    4000: (14954, 14236, 12698, 9198, 9014),
    7000: (26178, 24817, 22208, 16017, 15780),
    10000: (37413, 35460, 31536, 22900, 22691),
}
TABLE_2 = {
    100: (344, 335, 299, 246, 276),
    300: (920, 999, 891, 851, 839),
    500: (1481, 1541, 1570, 1451, 1457),
    700: (2021, 2213, 2209, 2068, 1989),
    900: (2528, 2853, 2893, 2678, 2548),
}
"""The paper's cumulative points of each program, by number of rounds."""

ENEMIES = ("min-sets", "trick-ender", "default", "default[lead=single]")
"""The opponents of Tables 3 to 6; the last two are both compared with the paper's `default`."""
VARIANTS = {
    "w100": (3, (-2132, -767, -825)),
    "w90": (3, (403, 663, 15)),
    "w80": (3, (210, 970, 121)),
    "lock-": (4, (-1211, -117, -757)),
    "lock+": (4, (-720, -287, -203)),
    "weak": (5, (-165, -679, -856)),
    "single": (5, (-1086, -376, -895)),
    "use_2": (6, (-157, 100, 102)),
}
"""Table number, and the paper's score differences to `kou` in 1,000 rounds, for each enemy."""

TITLES = {
    3: "Evaluation to end the trick: its threshold, originally 95",
    4: "Shibari (lock) never, or whenever possible",
    5: "Leading the weakest play, or the weakest single",
    6: "No hand weakness, no reservation of strong plays",
}

THRESHOLDS = (60, 70, 80, 85, 90, 95, 98, 100)
"""Thresholds of the sweep."""
SWEEP_ENEMIES = ("min-sets", "default")

BUDGETS = (10, 30, 100, 300, 1000, 3000)
"""Simulations per decision of the searches whose strength is measured."""
PLAYOUTS = "random"
"""Policy of their playouts."""
BUDGET_ENEMIES = ("default", "kou")

WORTH_ENEMY = "default"
"""The agent among four of which a departure is measured."""

SECTIONS = (
    *("table-1", "table-2", "table-3", "table-4", "table-5", "table-6"),
    *("sweep", "worth", "budget"),
)
"""What can be computed on its own: the tables, the sweep over the threshold, the worth of each
departure from the paper, and the strength of uniform Monte Carlo search by its budget."""

DIFFERENCES = (
    "Differences: the text, followed to the letter, is not what the paper's program did. It lets",
    "the strongest of the weak plays lead, always takes the strongest card out of its pair,",
    "follows with strong plays before weak ones, and does not prefer plays that leave only",
    "winners: so `kou[letter=1]` is weaker than `default`, where the paper's program is the best",
    "of the light ones. `kou` departs from the letter where Table 1 needs it (section worth).",
    "Where the text is silent, the rules are the competition's, and cards are given away so that",
    "the least weak hand remains. `default` leads its longest kaidan and its largest group;",
    "`default[lead=single]` leads its weakest card, as the paper says of it. The stand-ins play",
    "otherwise than the programs in whose place they are, so that the distances from them are",
    "others; how the simulations of those that search go on, the paper does not say.",
)
"""What differs from the paper, and why."""

SIGNS = (
    "Sign: `same` as the paper's, the `other` one, or `open`, where our interval contains 0 or the",
    "paper's difference is at most twice its standard deviation.",
)
"""What the column of signs of Tables 3 to 6 means."""

NOISE = 80
"""Approximate standard deviation of the difference of two scores of 1,000 rounds each."""


def the_game() -> Game:
    """The paper's Daihinmin: seats change with the classes, every 100 rounds."""
    return make_game("daihinmin", rules="paper", rounds=MATCH)


@dataclass(frozen=True)
class Plan:
    """What to compute.

    Attributes:
        rounds: Rounds of each league, except those with agents that search.
        search_rounds: Rounds of the leagues with agents that search.
        seed: Seed of deals and agents; all leagues share the deals.
        workers: Number of processes.
        sections: Some of `SECTIONS`.
        enemies: Some of `ENEMIES`, for Tables 3 to 6.
    """

    rounds: int = 10_000
    search_rounds: int = 900
    seed: int = 0
    workers: int = 1
    sections: tuple[str, ...] = SECTIONS
    enemies: tuple[str, ...] = ENEMIES


QUICK = Plan(rounds=1000, search_rounds=100, sections=SECTIONS[:6], enemies=("default",))
"""A short run."""


def leagues(plan: Plan) -> dict[str, tuple[list[str], int]]:
    """Agents and number of rounds of each league, by the name of its part."""
    found: dict[str, tuple[list[str], int]] = {}
    for kou in KOUS:
        for section, rest, rounds in (
            ("table-1", LIGHT, plan.rounds),
            ("table-2", SEARCH, plan.search_rounds),
        ):
            if section in plan.sections:
                found[f"{section}-{plain(kou)}"] = ([kou, *rest], rounds)
        for agent, enemy in compared(plan, kou):
            found[part_name(agent, enemy)] = ([agent, *[enemy] * 4], plan.rounds)
    if "budget" in plan.sections:
        for enemy in BUDGET_ENEMIES:
            for agent in map(searcher, BUDGETS):
                found[part_name(agent, enemy)] = ([agent, *[enemy] * 4], plan.search_rounds)
    return found


def searcher(budget: int) -> str:
    """The agent with that many simulations whose strength is measured."""
    return f"monte-carlo[playouts={PLAYOUTS}]:{budget}"


def compared(plan: Plan, kou: str) -> list[tuple[str, str]]:
    """The leagues of one agent among four of another: both their names."""
    found: list[tuple[str, str]] = []
    variants = [v for v, (number, _) in VARIANTS.items() if f"table-{number}" in plan.sections]
    if variants:
        agents = [kou, *(f"{kou}:{variant}" for variant in variants)]
        found += [(agent, enemy) for enemy in plan.enemies for agent in agents]
    if "sweep" in plan.sections:
        found += [
            (with_option(kou, "threshold", number), enemy)
            for enemy in SWEEP_ENEMIES
            for number in THRESHOLDS
        ]
    if "worth" in plan.sections:
        agents = [kou, *(with_departure(kou, name) for name in DEPARTURES)]
        found += [(agent, WORTH_ENEMY) for agent in agents]
    return list(dict.fromkeys(found))


def with_option(kou: str, name: str, value: int) -> str:
    """One of `KOUS` with another value of a parameter."""
    spec = AgentSpec.parse(kou)
    return str(AgentSpec(spec.name, {**spec.options, name: value}))


def with_departure(kou: str, name: str) -> str:
    """`kou` without one of the departures, or the letter with it."""
    return with_option(kou, name, getattr(LETTER, name) if kou == "kou" else DEPARTURES[name])


def part_name(agent: str, enemy: str) -> str:
    """The name of the league of an agent against four of an enemy."""
    return f"{plain(agent)}-against-{plain(enemy)}"


def plain(agent: str) -> str:
    """The text of an agent without the characters that a file name had better not have."""
    return agent.translate(str.maketrans({":": "-", "[": "-", "=": "-", ",": "-", "]": ""}))


def compute(
    plan: Plan, folder: Path, progress: Callable[[str, float, int], None]
) -> dict[str, dict[str, Any]]:
    """Play all leagues; results by name. See `closedhand.core.run`.

    Args:
        plan: What to compute.
        folder: Folder for the files, one for each part.
        progress: Called with the name of a part, the number of parts done and the number of all
            parts.

    Raises:
        InputError: An agent is missing, or the rounds are not a multiple of `MATCH`.
        KeyboardInterrupt: Interrupted; a later call resumes.
    """
    game = the_game()
    for number in (plan.rounds, plan.search_rounds):
        if number % MATCH:
            raise InputError(f"the number of rounds must be a multiple of {MATCH}, not {number}")
    wanted = leagues(plan)
    for agent in {agent for agents, _ in wanted.values() for agent in agents}:
        make_agent(game, agent)  # fails now, not in ten minutes
    parts = {
        name: _part(folder / "leagues" / f"{name}.json", game, agents, number, plan)
        for name, (agents, number) in wanted.items()
    }
    settings = {
        "options": dict(game.options),
        "rounds": [plan.rounds, plan.search_rounds],
        "seed": plan.seed,
    }
    return compute_parts(parts, folder, settings, progress)


def _part(path: Path, game: Game, agents: Sequence[str], rounds: int, plan: Plan) -> Part:
    """A part that plays or resumes a league, and saves it completely in a file of its own."""
    seed = plan.seed
    is_search = any(agent.startswith("monte-carlo") for agent in agents)
    chunk = league.CHUNK if is_search else SIDE_BY_SIDE

    def part(tell: Notes) -> dict[str, Any]:
        try:
            played = league.load(path, game, agents, seed, False)
        except InputError:
            refuse_foreign(path, LEAGUE)
            played = None
        deals = rounds // MATCH

        def save(found: league.League) -> None:
            files.save(path, league.summary(found))

        done = league.play(
            game,
            agents,
            deals,
            seed,
            False,
            plan.workers,
            played,
            lambda n: tell(n / deals),
            save,
            chunk,
        )
        if done.deals > deals:
            done = replace(done, played=cut(done.played, deals))
        data = league.summary(done)
        files.save(path, data)
        if done.interrupted:
            raise KeyboardInterrupt
        matches = np.sum(data.pop("points"), axis=(1, 2))
        return {**data, "matches": matches.astype(int).tolist()}

    return part


def scores(result: dict[str, Any], rounds: int) -> list[int]:
    """The points of all agents of a league after the given number of rounds."""
    return np.sum(result["matches"][: rounds // MATCH], axis=0).tolist()


def means(result: dict[str, Any]) -> list[Estimate]:
    """The points per round of all agents of a league."""
    return student(np.array(result["matches"]) / MATCH)


def difference(
    results: dict[str, dict[str, Any]], agent: str, original: str, enemy: str
) -> Estimate:
    """Points of an agent in 1,000 rounds minus those of another on the same deals."""
    one, other = (
        np.array(results[part_name(each, enemy)]["matches"])[:, 0] for each in (agent, original)
    )
    (gap,) = student(1000 / MATCH * (one - other)[:, None])
    return gap


def sections_of(results: dict[str, dict[str, Any]]) -> list[str]:
    """Those of `SECTIONS` that results are enough for."""
    return [
        section
        for section in SECTIONS
        if all(
            name in results
            for enemy in (QUICK.enemies[0],)
            for name in leagues(Plan(sections=(section,), enemies=(enemy,)))
        )
    ]


def enemies_of(results: dict[str, dict[str, Any]], variant: str) -> list[str]:
    """The enemies that a variant was measured against."""
    return [
        enemy
        for enemy in ENEMIES
        if all(part_name(f"{kou}:{variant}", enemy) in results for kou in KOUS)
    ]


PICTURES = (
    *(f"figure-{number}-{plain(kou)}.png" for number in (1, 2) for kou in KOUS),
    "sweep.png",
    "budget.png",
)
"""Files of the pictures."""


def pictures(results: dict[str, dict[str, Any]], folder: Path) -> None:
    """Draw Figures 1 and 2, points against rounds, the sweep, and strength against budget.

    Raises:
        InputError: matplotlib is not installed.
    """
    for number in (1, 2):
        for kou in KOUS:
            data = results.get(f"table-{number}-{plain(kou)}")
            if data:
                # Points by match are fine enough for the curves.
                plot_league(
                    {**data, "points": data["matches"]},
                    folder / f"figure-{number}-{plain(kou)}.png",
                )
    if "sweep" in sections_of(results):
        _plot_sweep(results, folder / "sweep.png")
    if "budget" in sections_of(results):
        _plot_budgets(results, folder / "budget.png")


def _plot_sweep(results: dict[str, dict[str, Any]], path: Path) -> None:
    """Draw the points against the threshold, with 95% intervals."""
    figure = new_figure(9, 4)
    axes = figure.subplots(1, len(SWEEP_ENEMIES))
    for axis, enemy in zip(axes, SWEEP_ENEMIES, strict=True):
        for kou in KOUS:
            gaps = [_gap_of_threshold(results, kou, number, enemy) for number in THRESHOLDS]
            _plot_estimates(axis, THRESHOLDS, gaps, kou)
        axis.axhline(0, color="black", linewidth=0.8)
        axis.set_title(f"among four {enemy}", fontsize=10)
        axis.set_xlabel("threshold")
        axis.grid(True, alpha=0.3)
    axes[0].set_ylabel(f"points in 1,000 rounds, less threshold {LETTER.threshold}")
    axes[0].legend(fontsize=8)
    save_figure(figure, path)


def _plot_budgets(results: dict[str, dict[str, Any]], path: Path) -> None:
    """Draw the points a round against the simulations per decision, with 95% intervals."""
    figure = new_figure(6, 4)
    axis = figure.subplots()
    for enemy in BUDGET_ENEMIES:
        found = [means(results[part_name(searcher(number), enemy)])[0] for number in BUDGETS]
        _plot_estimates(axis, BUDGETS, found, f"among four {enemy}")
    axis.axhline(3, color="black", linewidth=0.8)
    axis.set_xscale("log")
    axis.set_xlabel(f"simulations per decision, playouts={PLAYOUTS}")
    axis.set_ylabel("points a round")
    axis.grid(True, alpha=0.3)
    axis.legend(fontsize=8)
    save_figure(figure, path)


def _plot_estimates(axis: Any, at: Sequence[int], found: list[Estimate], label: str) -> None:
    """Draw a line of means with their intervals."""
    heights = [each.mean for each in found]
    axis.errorbar(
        at, heights, yerr=spread([e._asdict() for e in found]), marker="o", capsize=3, label=label
    )


def _gap_of_threshold(
    results: dict[str, dict[str, Any]], kou: str, number: int, enemy: str
) -> Estimate:
    """What another threshold than the paper's brings in 1,000 rounds."""
    agent, original = (with_option(kou, "threshold", n) for n in (number, LETTER.threshold))
    return difference(results, agent, original, enemy)


def report(results: dict[str, dict[str, Any]]) -> str:
    """All results as Markdown."""
    lines = ["# kou and Daihinmin, reproduced", ""]
    lines += ["Points of leagues of five programs; seats and classes change every 100 rounds, and"]
    lines += ["intervals, 95%, are over these matches. `kou` is the reading of the paper under"]
    lines += ["which its results are possible, `kou[letter=1]` follows its text to the letter, and"]
    lines += ["`default` is the competition's sample client."]
    lines += ["The others are not ours: our agents stand in for them, and only the shape of the"]
    lines += ["results can be compared. A score of 1,000 rounds has a standard deviation of about"]
    lines += [
        f"55 points, the difference of two about {NOISE}: the paper's smaller ones are noise."
    ]
    lines += ["", "| ours | stands in for |", "|---|---|"]
    lines += [f"| {agent} | {program} |" for agent, program in STAND_INS.items()]
    lines += ["", *DIFFERENCES]
    sections = sections_of(results)
    for number, table, title in (
        (1, TABLE_1, "Among light class champions"),
        (2, TABLE_2, "Against programs that search"),
    ):
        if f"table-{number}" in sections:
            pictures = ", ".join(f"figure-{number}-{plain(kou)}.png" for kou in KOUS)
            lines += ["", f"## Table {number}: {title} (pictures: {pictures})", ""]
            lines += _score_table([results[f"table-{number}-{plain(kou)}"] for kou in KOUS], table)
    for number, title in TITLES.items():
        if f"table-{number}" in sections:
            lines += ["", f"## Table {number}: {title}", ""]
            variants = [v for v, (own, _) in VARIANTS.items() if own == number]
            lines += _difference_table(results, variants)
    if any(f"table-{number}" in sections for number in TITLES):
        lines += ["", *SIGNS]
    if "sweep" in sections:
        lines += ["", "## The threshold, less 95, in 1,000 rounds (picture: sweep.png)", ""]
        lines += _sweep_table(results)
    if "worth" in sections:
        lines += [
            "",
            f"## What each departure is worth among four {WORTH_ENEMY}, in 1,000 rounds",
            "",
        ]
        lines += _worth_table(results)
    if "budget" in sections:
        lines += ["", "## Strength of Monte Carlo search with random playouts", ""]
        lines += [
            "Points a round by simulations per decision (picture: budget.png); 3 is as strong"
        ]
        lines += ["as the others at the table. The steps are on the same deals.", ""]
        lines += _budget_table(results)
    lines += _time_tables(results)
    return "\n".join(lines) + "\n"


def _score_table(leagues: Sequence[dict[str, Any]], paper: dict[int, tuple[int, ...]]) -> list[str]:
    """Our scores and the paper's after some numbers of rounds, and points per round."""
    shown = [rounds for rounds in paper if rounds <= leagues[0]["rounds"]]
    last = max(paper)
    head = [f"{rounds:,} rounds" for rounds in shown]
    lines = [f"| league of | agent | {' | '.join([*head, 'points a round', '95%'])} |"]
    lines += ["|---|---|" + "---|" * (len(head) + 2)]
    for result in leagues:
        own = [scores(result, rounds) for rounds in shown]
        for i, (row, estimate) in enumerate(zip(result["results"], means(result), strict=True)):
            cells = [f"{column[i]:,}" for column in own]
            cells += [f"{estimate.mean:.3f}", interval(*estimate[1:], ".3f")]
            lines += [f"| {result['agents'][0]} | {row['agent']} | {' | '.join(cells)} |"]
    for i, agent in enumerate(leagues[0]["agents"]):
        program = STAND_INS.get(agent, agent)
        cells = [f"{paper[rounds][i]:,}" for rounds in shown]
        cells += [f"{paper[last][i] / last:.3f}", f"{last:,} rounds"]
        lines += [f"| *paper* | *{program}* | {' | '.join(cells)} |"]
    return lines


def _difference_table(results: dict[str, dict[str, Any]], variants: list[str]) -> list[str]:
    """Score differences of variants to the agent itself, ours and the paper's."""
    heads = " | ".join(f"{kou} | 95% | sign" for kou in KOUS)
    lines = [f"| among four | variant | {heads} | paper |"]
    lines += ["|---|---|" + "---|" * (3 * len(KOUS) + 1)]
    for enemy in enemies_of(results, variants[0]):
        name = f"{enemy} ({STAND_INS[enemy]})" if enemy in STAND_INS else enemy
        for variant in variants:
            gaps = [difference(results, f"{kou}:{variant}", kou, enemy) for kou in KOUS]
            stated = VARIANTS[variant][1][min(ENEMIES.index(enemy), 2)]
            cells = [f"{_gap_cells([gap])} | {sign_of(gap, stated)}" for gap in gaps]
            lines.append(f"| {name} | {variant} | {' | '.join(cells)} | {stated:+} |")
    return lines


def sign_of(gap: Estimate, stated: int) -> str:
    """Whether a difference has the sign of the paper's, as `SIGNS` says."""
    if abs(stated) <= 2 * NOISE or gap.low <= 0 <= gap.high:
        return "open"
    return "same" if (gap.mean > 0) == (stated > 0) else "other"


def _sweep_table(results: dict[str, dict[str, Any]]) -> list[str]:
    """What other thresholds bring."""
    lines = [f"| among four | threshold | {' | '.join(f'{kou} | 95%' for kou in KOUS)} |"]
    lines += ["|---|---|" + "---|" * (2 * len(KOUS))]
    for enemy in SWEEP_ENEMIES:
        for number in THRESHOLDS:
            gaps = [_gap_of_threshold(results, kou, number, enemy) for kou in KOUS]
            lines.append(f"| {enemy} | {number} | {_gap_cells(gaps)} |")
    return lines


def _worth_table(results: dict[str, dict[str, Any]]) -> list[str]:
    """What `kou` loses without each departure, and what it adds to the letter."""
    heads = ["removed from kou", "added to the letter"]
    lines = [f"| departure | {' | '.join(f'{head} | 95%' for head in heads)} |"]
    lines += ["|---|" + "---|" * (2 * len(heads))]
    for name, value in DEPARTURES.items():
        gaps = [difference(results, with_departure(kou, name), kou, WORTH_ENEMY) for kou in KOUS]
        lines.append(f"| `{name}={value}` | {_gap_cells(gaps)} |")
    return lines


def _budget_table(results: dict[str, dict[str, Any]]) -> list[str]:
    """Points a round by budget, and what each step of the budget brings on the same deals."""
    lines = ["| among four | simulations | points a round | 95% | step | 95% | µs a decision |"]
    lines += ["|---|---|---|---|---|---|---|"]
    for enemy in BUDGET_ENEMIES:
        before = None
        for number in BUDGETS:
            result = results[part_name(searcher(number), enemy)]
            own = np.array(result["matches"])[:, :1] / MATCH
            cells = ["", ""]
            if before is not None:
                (step,) = student(own - before)
                cells = [f"{step.mean:+.3f}", interval(*step[1:], "+.3f")]
            (points,) = student(own)
            cells = [f"{points.mean:.3f}", interval(*points[1:], ".3f"), *cells]
            time = result["results"][0]["microseconds_per_decision"]
            lines.append(f"| {enemy} | {number:,} | {' | '.join(cells)} | {time:,.0f} |")
            before = own
    return lines


def _gap_cells(gaps: list[Estimate]) -> str:
    return " | ".join(f"{gap.mean:+.0f} | {interval(*gap[1:], '+.0f')}" for gap in gaps)


def _time_tables(results: dict[str, dict[str, Any]]) -> list[str]:
    """The time per decision of the agents of Tables 1 and 2, with headings; none without them."""
    lines: list[str] = []
    for number, timed in TIMED.items():
        found: dict[str, float] = {}
        for kou in timed:
            for row in results.get(f"table-{number}-{plain(kou)}", {}).get("results", ()):
                found.setdefault(row["agent"], row["microseconds_per_decision"])
        if found:
            head = f"| agent of Table {number} | µs a decision | times {timed[0]}'s |"
            lines += ["", head, "|---|---|---|"]
            lines += [
                f"| {agent} | {own:,.1f} | {own / found[timed[0]]:,.1f} |"
                for agent, own in found.items()
            ]
    if not lines:
        return []
    return [
        "",
        "## Time",
        *lines,
        "",
        'The paper: kou is "about hundred times faster than other Monte-Carlo programs". Decisions',
        "where one can only pass count too.",
    ]
