"""Faults that the tests once did not notice, each with the test that does now."""

from typing import NamedTuple


class Fault(NamedTuple):
    """A fault by hand: in the source of a module, a text in place of another."""

    module: str
    before: str
    after: str
    test: str


UECDA = "tests/competitions/uecda"

NAMED = (
    Fault(
        "closedhand.competitions.uecda.table",
        "hide(self._rules, view, player)",
        "pass",
        f"{UECDA}/test_secrecy.py::test_the_servers_own_agents_see_views",
    ),
    Fault(
        "closedhand.competitions.uecda.table",
        "cards.bit_count() != number",
        "cards.bit_count() > number",
        f"{UECDA}/test_hostile.py::test_wrong_cards_in_the_exchange",
    ),
    Fault(
        "closedhand.competitions.uecda.table",
        "left=tuple(hand.bit_count() for hand in before)",
        "left=tuple(state.left.tolist())",
        f"{UECDA}/test_table.py::test_the_first_table_has_the_sizes_of_hands_as_dealt",
    ),
    Fault(
        "closedhand.competitions.uecda.table",
        "lock=locked",
        "lock=lock",
        f"{UECDA}/test_traffic.py::test_the_server_says_what_the_official_one_said",
    ),
    Fault(
        "closedhand.competitions.uecda.remote_players",
        "self._late + 1 if self._owed else 0",
        "self._late + bool(self._owed)",
        f"{UECDA}/test_hostile.py::test_only_late_answers_in_a_row_cost_the_seat",
    ),
    Fault(
        "closedhand.competitions.uecda.remote_players",
        "len(self._waiting) >= self._limits.most_waiting",
        "False",
        f"{UECDA}/test_hostile.py::test_silent_connections_make_way",
    ),
    Fault(
        "closedhand.games.doudizhu.rules",
        "state.plays[0] + state.plays[1] + state.plays[2] == state.plays[landlord]",
        "state.plays[0] + state.plays[1] + state.plays[2] <= state.plays[landlord] + 1",
        "tests/games/doudizhu/test_rules.py::test_spring_needs_that_nobody_answered",
    ),
    Fault(
        "closedhand.games.doudizhu.planes",
        "out[9] = state.bombs",
        "out[9] = min(state.bombs, 1)",
        "tests/games/doudizhu/test_rules.py::test_the_status_vector_counts_every_bomb",
    ),
    Fault(
        "closedhand.envs.opponents",
        "int(child.integers(2**31))",
        "0",
        "tests/envs/test_opponents.py::test_opponents_that_are_named_have_seeds_of_their_own",
    ),
    Fault(
        "closedhand.core.files",
        "part = _part(found)",
        "part = found",
        "tests/core/test_atomic_writes.py::test_an_open_file_stays_as_it_was",
    ),
    Fault(
        "closedhand.wrappers.sb3",
        "self._without_mask(last[i])",
        "self._without_mask(last[np.flatnonzero(dones)[0]])",
        "tests/wrappers/test_sb3.py::test_every_game_gets_its_own_last_observation[leduc-options0]",
    ),
)
