"""Games of a person in the terminal."""

from collections.abc import Callable

import numpy as np
import pytest

from closedhand import Game, InputError, make_agent, make_game
from closedhand.arena import play
from closedhand.arena.hints import hints
from closedhand.core.game import State
from closedhand.core.records import start

DOUDIZHU = make_game("doudizhu")


def session(game: Game, seat: int = 0, seed: int = 0) -> play.Session:
    agents = [make_agent(game, "greedy") for _ in range(2)]
    return play.Session(game, start(game, None, seed), seat, agents, agents[0])


def run(
    table: play.Session,
    ask: Callable[[str], str],
    show: Callable[[str], None],
    score: play.Score | None = None,
) -> bool:
    return play.Terminal(table, ask, show, score or play.Score(table.game.num_players)).run()


def hint(table: play.Session) -> str:
    """The action of the agent with the hints."""
    return table.text(table._adviser.act(table.view))


def legal(table: play.Session) -> list[str]:
    return [table.text(int(action)) for action in table.game.legal(table.state)]


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize("options", [{}, {"substeps": True, "bidding": True}])
def test_a_person_plays_by_hints_to_the_end(seat: int, options: dict[str, bool]) -> None:
    table = session(make_game("doudizhu", **options), seat)
    shown: list[str] = []
    assert run(table, lambda prompt: hint(table), shown.append)
    assert table.over
    assert shown[-1].startswith(("you win", "you lose"))


def test_other_hands_are_not_shown() -> None:
    table = session(DOUDIZHU)
    shown: list[str] = []
    run(table, lambda prompt: "quit", shown.append)
    hidden = [line for line in "\n".join(shown).splitlines() if "peasant" in line]
    assert len(hidden) == 2
    assert all("▒" in line and not set("56789TJQKA") & set(line[24:]) for line in hidden)


def test_undo_goes_back_to_the_previous_decision() -> None:
    table = session(DOUDIZHU)
    with pytest.raises(InputError, match="first decision"):
        table.undo()
    before = table.state.copy()
    table.play(hint(table))
    middle = table.state.copy()
    table.play(legal(table)[-1])
    table.undo()
    assert table.state.tobytes() == middle.tobytes()
    table.undo()
    assert table.state.tobytes() == before.tobytes()


def test_what_cannot_be_played_changes_nothing() -> None:
    table = session(DOUDIZHU)
    before = table.state.copy()
    lines = iter(["", "xyz", "PASS", "undo", "?", "help", "quit"])
    shown: list[str] = []
    assert not run(table, lambda prompt: next(lines), shown.append)
    assert table.state.tobytes() == before.tobytes()
    text = "\n".join(shown)
    assert "is not an action" in text
    assert "a leader may not pass" in text
    assert "hint: " in text
    with pytest.raises(InputError, match="first decision"):
        table.undo()


def typed(table: play.Session, *lines: str) -> str:
    """Return the output for a person who types these lines and leaves."""
    rest, shown = iter([*lines, "quit"]), list[str]()
    run(table, lambda prompt: next(rest), shown.append)
    return "\n".join(shown)


def late(seat: int, hand: str, actions: list[str], agent: str = "greedy") -> play.Session:
    """A session in a position of Dou Dizhu."""
    view = DOUDIZHU.view_from(seat, hand, actions, public="4TB")
    state = DOUDIZHU.redeal(view, seat, np.random.default_rng(4))
    agents = [make_agent(DOUDIZHU, agent) for _ in range(2)]
    return play.Session(DOUDIZHU, state, seat, agents, make_agent(DOUDIZHU, "decompose"))


def test_a_forced_pass_is_played_and_said() -> None:
    table = late(1, "4456789TTJJQKA22S", ["3333"])
    assert play.Event("player_1", "PASS", forced=True) in table.log
    assert int(table.state.player) == 1 or table.over
    assert "player_1: PASS (your only legal action)" in typed(table)


def test_hints_come_best_first_and_in_pages() -> None:
    table = session(DOUDIZHU)
    shown = typed(table, "?", "more", "#2")
    best = table.game.text(table.hints()[0].action) if not table.over else ""
    assert "  #1 " in shown and " #20 " in shown and " #21 " not in shown
    assert f"20 of {len(legal(session(DOUDIZHU)))} legal actions; type more" in shown
    assert len(table.log) > 0 and best


@pytest.mark.parametrize("substeps", [False, True])
def test_hints_of_chinese_poker_are_few_and_good(substeps: bool) -> None:
    game = make_game("chinese_poker", substeps=substeps)
    agent = make_agent(game, "separable")
    table = play.Session(game, start(game, None, 3), 0, [agent], agent)
    shown = typed(table, "?")
    assert shown.count("\n  #") == 9 and " #10 " in shown
    assert table.hints()[0].action == agent.act(table.view)
    values = agent.values(table.view, np.array([hint.action for hint in table.hints()[:10]]))
    assert not np.isnan(values).any()
    assert (np.diff(values) <= 0).all()


def test_hints_by_probabilities_and_by_choice() -> None:
    game = make_game("uh_leduc")
    view = game.view_from(0, "SA")
    equilibrium = make_agent(game, "equilibrium")
    shares = equilibrium.probabilities(np.array([view], game.dtype))[0]
    order = [hint.action for hint in hints(game, view, equilibrium)]
    assert order == sorted(order, key=lambda action: -shares[action])
    greedy = make_agent(DOUDIZHU, "greedy")
    view = session(DOUDIZHU).view
    listed = [hint.action for hint in hints(DOUDIZHU, view, greedy)]
    assert listed[0] == greedy.act(view)
    assert listed[1:] == [a for a in DOUDIZHU.legal(view).tolist() if a != listed[0]]


@pytest.mark.slow
def test_hints_by_simulation() -> None:
    table = session(DOUDIZHU)
    agent = make_agent(DOUDIZHU, "search:500")
    listed = hints(DOUDIZHU, table.view, agent, seconds=0.01)
    assert {hint.action for hint in listed} == set(DOUDIZHU.legal(table.view).tolist())
    assert listed[0].note.startswith("wins ")
    assert listed[-1].note == ""


def test_what_is_asked_in_between() -> None:
    table = session(DOUDIZHU, seat=1)
    shown = typed(table, "log", "cards", "score", "help", "#0", "#999999999", "more", "33333")
    assert "   1 player_0: " in shown
    assert "out (" in shown and "not seen (" in shown
    assert "score after 0 hands" in shown
    assert "Cards are ranks" in shown
    assert shown.count("there are hints #1 to #") == 2
    assert "is not an action" in shown


def test_the_log_hides_what_the_person_cannot_see() -> None:
    game = make_game("chinese_poker")
    agent = make_agent(game, "separable")
    table = play.Session(game, start(game, None, 3), 1, [agent], agent)
    assert table.log == [play.Event("player_0", "hidden")]
    table.play(game.text(agent.act(table.view), table.state))
    assert "♠" in table.log[-1].what


def test_undo_takes_back_the_log() -> None:
    table = session(DOUDIZHU)
    table.play(hint(table))
    events = list(table.log)
    table.play(legal(table)[-1])
    assert len(table.log) > len(events)
    table.new_events()
    table.undo()
    assert table.log == events
    table.play(legal(table)[0])
    assert table.new_events() == table.log[len(events) :] != []


def test_a_score_is_kept_over_hands() -> None:
    game = make_game("leduc")
    agent, score = make_agent(game, "random"), play.Score(2)
    shown: list[str] = []
    for seed in range(2):
        table = play.Session(game, start(game, None, seed), 0, [agent], agent)
        assert run(table, lambda prompt, t=table: legal(t)[0], shown.append, score)
    assert score.hands == 2 and score.points.sum() == 0
    assert sum("Type an action" in text for text in shown) == 1
    assert any(text.startswith("score after 2 hands: player_0 ") for text in shown)


def test_new_cards_are_told() -> None:
    """After three passes in the auction the cards are dealt again."""
    game = make_game("doudizhu", bidding=True)

    class Passing:
        name = "passing"

        def act(self, view: State) -> int:
            return game.parse("PASS")

    table = play.Session(game, start(game, None, 0), 0, [Passing(), Passing()], Passing())
    table.play("PASS")
    assert play.Event("", "new cards are dealt") in table.log


class Failing:
    """An agent whose second decision fails."""

    name = "failing"

    def __init__(self, game: Game, failure: BaseException | int) -> None:
        self.failure, self.asked, self.agent = failure, 0, make_agent(game, "rule")

    def act(self, view: State) -> int:
        self.asked += 1
        if self.asked != 2:
            return self.agent.act(view)
        if isinstance(self.failure, int):
            return self.failure
        raise self.failure


def with_failing(failure: BaseException | int) -> play.Session:
    """A session in which the last agent fails after the person's first play."""
    first, adviser = make_agent(DOUDIZHU, "rule"), make_agent(DOUDIZHU, "decompose")
    agents = [first, Failing(DOUDIZHU, failure)]
    return play.Session(DOUDIZHU, start(DOUDIZHU, None, 0), 1, agents, adviser)


@pytest.mark.parametrize("failure", [InputError("no answer"), 10**6, ZeroDivisionError()])
def test_after_a_failure_of_an_agent_the_person_decides_again(
    failure: Exception | int,
) -> None:
    """The agent between has acted by then, so its play is taken back too."""
    table = with_failing(failure)
    state, events, listed = table.state.copy(), list(table.log), table.hints()
    expected = ZeroDivisionError if isinstance(failure, ZeroDivisionError) else play.AgentFailed
    with pytest.raises(expected):
        table.play("#1")
    assert table.state.tobytes() == state.tobytes()
    assert table.log == events and table.hints() is listed
    with pytest.raises(InputError, match="first decision"):
        table.undo()
    table.play("#1")
    assert int(table.state.player) == 1 and len(table.log) > len(events) + 1


def test_an_interruption_while_an_agent_thinks_takes_the_play_back() -> None:
    table = with_failing(KeyboardInterrupt())
    state = table.state.copy()
    shown: list[str] = []
    assert not run(table, lambda prompt: "#1", shown.append)
    assert shown[-1] == "\nleft the game"
    assert table.state.tobytes() == state.tobytes()


def test_a_failure_of_an_agent_is_no_typing_error() -> None:
    table = with_failing(InputError("no answer"))
    prompts: list[int] = []
    lines, shown = iter(["#1", "#1", "quit"]), list[str]()

    def ask(prompt: str) -> str:
        prompts.append(int(table.state.player))
        return next(lines)

    assert not run(table, ask, shown.append)
    assert prompts == [1, 1, 1]
    said = [line for line in shown if "no answer" in line]
    assert said == [
        "player_0, failing: no answer (your play is taken back: try again, play otherwise, or quit)"
    ]


def test_an_agent_that_fails_before_the_first_decision_is_named() -> None:
    failing = Failing(DOUDIZHU, InputError("no answer"))
    failing.asked = 1
    with pytest.raises(play.AgentFailed, match=r"^player_0, failing: no answer$"):
        play.Session(DOUDIZHU, start(DOUDIZHU, None, 0), 1, [failing, failing], failing)


@pytest.mark.parametrize("error", [EOFError, KeyboardInterrupt])
def test_leaving(error: type[BaseException]) -> None:
    def ask(prompt: str) -> str:
        raise error

    shown: list[str] = []
    assert not run(session(DOUDIZHU), ask, shown.append)
    assert shown[-1] == "\nleft the game"  # the cursor is behind the prompt


def test_quitting_is_said() -> None:
    assert typed(session(DOUDIZHU)).endswith("\nleft the game")


def test_wrong_seats() -> None:
    with pytest.raises(InputError, match="seat must be 0 to 2, not 3"):
        session(DOUDIZHU, seat=3)
    agent = make_agent(DOUDIZHU, "rule")
    with pytest.raises(InputError, match="has 3 seats"):
        play.Session(DOUDIZHU, start(DOUDIZHU, None, 0), 0, [agent], agent)
