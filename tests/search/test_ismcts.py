"""Information-set tree search: its bounds, its counts, and decisions that are certain."""

import numpy as np
import pytest
from support_kuhn import kuhn as kuhn
from support_policies import Stray

from closedhand import Game, InputError
from closedhand.search import ISMCTS, Uniform
from closedhand.search.ismcts import EXPLORATION, NODE, NOTHING, add_node, select, untried
from closedhand.search.played import played

IDS = np.array([0, 2, 5], np.int32)


def tree(*children: tuple[int, int, int, float]) -> np.ndarray:
    """A root with children: action, times chosen, times available, sum of payoffs."""
    nodes = np.zeros(1 + len(children), NODE)
    add_node(nodes, 0, NOTHING, NOTHING)
    for i, (action, visits, available, total) in enumerate(children, 1):
        add_node(nodes, i, 0, action)
        nodes[i]["visits"], nodes[i]["available"], nodes[i]["total"] = visits, available, total
    return nodes


def test_the_child_of_the_greatest_bound_is_chosen() -> None:
    """The bounds count how often a child was available, not how often the root was visited."""
    children = [(0, 9, 40, 4.5), (2, 3, 6, 1.5), (5, 5, 90, 1.0)]
    nodes, marks = tree(*children), np.zeros(6, np.int64)
    bounds = [
        total / visits + EXPLORATION * (np.log(available + 1) / visits) ** 0.5
        for _, visits, available, total in children
    ]
    chosen = select(nodes, 0, 3, IDS, marks, 2, 0.0, 1.0)
    assert chosen == 1 + int(np.argmax(bounds))
    assert nodes["available"][1:].tolist() == [41, 7, 91]


def test_children_that_are_not_legal_here_do_not_count() -> None:
    nodes, marks = tree((0, 1, 1, 1.0), (3, 1, 1, 9.0)), np.zeros(6, np.int64)
    assert select(nodes, 0, 1, IDS, marks, 2, 0.0, 1.0) == 1
    assert nodes["available"].tolist() == [1, 2, 1]
    assert select(nodes, 0, 3, IDS, marks, 4, 0.0, 1.0) == NOTHING
    drawn = {untried(3, IDS, marks, 4, np.random.default_rng(i)) for i in range(20)}
    assert drawn == {2, 5}


def test_every_simulation_is_counted_once_and_seeds_repeat(kuhn: Game) -> None:
    view = kuhn.view(kuhn.parse_deal("QK"), 0)
    search = ISMCTS(kuhn, Uniform(), simulations=300, threads=1)
    sums = search.judge(view, np.random.default_rng(3))
    assert sums[:, 0].sum() == 300 and (abs(sums[:, 1]) <= 2 * sums[:, 0]).all()
    assert (sums == search.judge(view, np.random.default_rng(3))).all()
    assert search.spent[:2].tolist() == [2, 600]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_policy_that_chooses_an_illegal_action_ends_the_search(kuhn: Game, threads: int) -> None:
    view = kuhn.view(kuhn.parse_deal("QK"), 0)
    search = ISMCTS(kuhn, played(kuhn, Stray()), simulations=300, threads=threads)
    with pytest.raises(InputError, match="chooses an action that is not legal"):
        search.best(view, np.random.default_rng(3))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("deal", "action"), [("QK", 1), ("KJ", 0)])
def test_a_bet_is_called_with_the_best_card_only(
    kuhn: Game, deal: str, action: int, threads: int
) -> None:
    state = kuhn.parse_deal(deal)
    kuhn.play(state, 1)
    search = ISMCTS(kuhn, Uniform(), simulations=400, threads=threads)
    assert search.best(kuhn.view(state, 1), np.random.default_rng(1)) == action


def test_a_search_without_a_limit_is_refused(kuhn: Game) -> None:
    with pytest.raises(InputError, match="a search needs a limit"):
        ISMCTS(kuhn, Uniform())
