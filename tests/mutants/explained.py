"""Mutants that no test can notice, each with the reason.

They count as survivors in the score; the report shows them apart, with a second score without them.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .operators import Mutant


class Explained(NamedTuple):
    """A mutant by what it changes.

    Attributes:
        module: Name of the module, within the package.
        function: Qualified name of the function, empty outside of any.
        line: Text of the changed line, without indentation.
        before: Code that was replaced.
        after: Code that replaces it.
        why: Why nobody can tell the two apart.
    """

    module: str
    function: str
    line: str
    before: str
    after: str
    why: str


EXPLAINED = (
    Explained(
        "games.chinese_poker.notation", "Notation.parse_deal",
        "state = np.zeros(1, STATE)[0]", "1", "2",
        "a spare state, which is dropped",
    ),
    Explained(
        "games.chinese_poker.plays", "build", "tables = np.zeros(1, TABLES)[0]", "1", "2",
        "a spare record, which is dropped",
    ),
    Explained(
        "games.chinese_poker.rules", "", "FOUL = -1", "1", "2",
        "any number below that of every board marks a foul",
    ),
    Explained(
        "games.daihinmin.plays", "",
        '_second_suit = reader("second_suit", 0)', "0", "1",
        "the suit of a joker that is not there is not read",
    ),
    Explained(
        "games.daihinmin.hidden", "deal_taxed", "if drawn < 0:", "0", "1",
        "who keeps no better card than the lowest keeps that one alone, but hands are larger",
    ),
    Explained(
        "games.daihinmin.logs", "Transcript.__init__",
        '"mibun": "".join(map(str, classes)) if classes[0] >= 0 else NO_CLASSES,', "0", "1",
        "all players have classes or none has",
    ),
    Explained(
        "games.daihinmin.plays", "_table_type",
        '("binomial", "f8", (NUM_CARDS + 1, most_cards + 1)),', "1", "2",
        "a spare row or column of a table",
    ),
    Explained(
        "games.daihinmin.views", "_start",
        "by_player = dict(zip(order[first:] + order[:first], usual, strict=True))",
        "True", "False",
        "as many hands are dealt as there are players",
    ),
    Explained(
        "competitions.uecda.follow", "Follower.__init__",
        "self.view: State = game.empty(1)[0]", "1", "2",
        "a spare view, which is dropped",
    ),
    Explained(
        "games.doudizhu.substeps", "", "MOST_KICKERS = 54 // 3", "54", "55",
        "the quotient is the same",
    ),
    Explained(
        "games.leduc.plays", "betting", "row = [-1] * len(ACTIONS)", "1", "2",
        "any number below 0 marks an action that is not legal",
    ),
    Explained(
        "games.leduc.rules", "deals", "begin(state)", "begin(state)", "pass",
        "a record of zeros is a game that begins",
    ),
    Explained(
        "games.leduc.validity", "valid",
        "return wrong or validity.difference(state, start, SEATS)",
        "validity.difference(state, start, SEATS)", "validity.difference(start, state, SEATS)",
        "either of two records has their fields, and differs from the other in the same ones",
    ),
    Explained(
        "solvers.passes", "respond", "for level in range(len(tree.levels) - 2, -1, -1):", "1", "2",
        "the level before the first one is empty",
    ),
    Explained(
        "solvers.keys", "number_keys",
        "table = np.full(1 << int(2 * len(keys) + 1).bit_length(), -1, np.int32)", "1", "2",
        "a table may be larger, and any number below 0 marks a free entry",
    ),
    Explained(
        "core.statistics", "over_blocks",
        "for mean, (centre, low, high) in zip(values.mean(axis=0).tolist(), found, strict=True)",
        "True", "False",
        "there is an estimate for each column",
    ),
    Explained(
        "core.statistics", "t_quantile", "ends = np.linspace(0, math.pi / 2, 200_001)",
        "200001", "200002",
        "a step more of a grid that is far finer than the digits in use",
    ),
    Explained(
        "search.paired", "", "TINY = 1e-9", "1e-09", "2e-09",
        "standard errors and times that are measured are far larger",
    ),
    Explained(
        "search.played", "choose", "streams = np.zeros((1, 2), np.uint64)", "2", "3",
        "a spare column: a stream has two words",
    ),
    Explained(
        "search.ranking", "_population",
        "scratch, ids = game.empty(1), np.empty(game.num_actions, np.int32)",
        "1", "2",
        "a spare state in scratch space",
    ),
    Explained(
        "arena.ladder", "fit", "break", "break", "pass",
        "further steps of Newton's method change nothing",
    ),
    Explained(
        "learning.logistic", "logistic", "break", "break", "pass",
        "further steps of Newton's method change nothing",
    ),
    Explained(
        "arena.plot", "plot_league",
        'totals = np.cumsum(np.reshape(data["points"], (-1, len(data["results"]))), axis=0)',
        "1", "2",
        "NumPy takes any size below 0 for the one to compute",
    ),
    Explained(
        "learning.imitation", "Imitation.chooser",
        "expert = make_agent(game, str(self._expert), int(rng.integers(2**31)))", "2", "3",
        "any range of seeds will do",
    ),
    Explained(
        "learning.maskable_ppo", "MaskablePPO.__init__",
        "with randomness(session_seed(seed, 0)):", "0", "1",
        "any seed will do for the first weights",
    ),
    Explained(
        "core.game_kernels", "show_legal", "if number > len(copy) // 4:",
        "number > len(copy) // 4", "number >= len(copy) // 4",
        "both ways write the same",
    ),
    Explained(
        "core.parsing", "_depth",
        "return int(np.cumsum(opened.astype(np.int32) - closed).max(initial=0))", "0", "1",
        "a value without brackets is far below the limit",
    ),
    *(
        Explained(*change, "the looks of a picture")
        for change in (
            ("arena.plot", "plot_match", "figure = new_figure(4.8 * columns, 4.2 * rows)",
             "4.8", "9.6"),
            ("arena.plot", "plot_league",
             "lines, bars = figure.subplots(1, 2, width_ratios=(3, 2))", "3", "4"),
            ("arena.plot", "plot_league", "lines.legend(fontsize=8)", "8", "9"),
            ("arena.plot", "plot_curves", "axes[1].legend(fontsize=8)", "8", "9"),
            ("arena.plot", "_plot_pair", "axis.legend(fontsize=8)", "8", "9"),
            ("arena.plot", "_plot_pair",
             'f"{mean:+.2f}", (x, end), (0, shift), textcoords="offset points", ha="center"',
             "0", "1"),
            ("arena.ladder", "picture", "axis.margins(0.25, 0.15)",
             "axis.margins(0.25, 0.15)", "axis.margins(0.15, 0.25)"),
            ("arena.ladder", "picture", "axis.grid(True, alpha=0.3)",
             "axis.grid(True, alpha=0.3)", "pass"),
        )
    ),
)  # fmt: skip


def explanation(mutant: Mutant, lines: Sequence[str]) -> Explained | None:
    """Why no test can notice a mutant, if that is known.

    Args:
        mutant: The mutant.
        lines: Lines of its module's source.
    """
    return BY_CHANGE.get(
        (
            mutant.module.partition(".")[2],
            mutant.function,
            lines[mutant.line - 1].strip(),
            mutant.before,
            mutant.after,
        )
    )


BY_CHANGE: Mapping[tuple[str, ...], Explained] = {each[:5]: each for each in EXPLAINED}
