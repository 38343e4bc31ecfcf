"""Games against a person."""

import pytest

from closedhand import Game, InputError, make_agent, make_game
from closedhand.arena import play

DOUDIZHU = make_game("doudizhu")


def session(game: Game, seat: int = 0, seed: int = 0) -> play.Session:
    agents = [make_agent(game, "greedy") for _ in range(2)]
    return play.Session(game, play.start(game, None, seed), seat, agents, agents[0])


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize("options", [{}, {"substeps": True, "bidding": True}])
def test_a_person_plays_by_hints_to_the_end(seat: int, options: dict[str, bool]) -> None:
    table = session(make_game("doudizhu", **options), seat)
    shown: list[str] = []
    assert play.run(table, lambda prompt: table.hint(), shown.append)
    assert table.over
    assert shown[-1].startswith(("you win", "you lose"))


def test_other_hands_are_not_shown() -> None:
    table = session(DOUDIZHU)
    shown: list[str] = []
    play.run(table, lambda prompt: "quit", shown.append)
    hidden = [line for line in "\n".join(shown).splitlines() if "peasant" in line]
    assert len(hidden) == 2
    assert all("▒" in line and not set("56789TJQKA") & set(line[24:]) for line in hidden)


def test_undo_goes_back_to_the_previous_decision() -> None:
    table = session(DOUDIZHU)
    with pytest.raises(InputError, match="first decision"):
        table.undo()
    before = table.state.copy()
    table.play(table.hint())
    middle = table.state.copy()
    table.play(table.legal()[-1])
    table.undo()
    assert table.state.tobytes() == middle.tobytes()
    table.undo()
    assert table.state.tobytes() == before.tobytes()


def test_what_cannot_be_played_changes_nothing() -> None:
    table = session(DOUDIZHU)
    before = table.state.copy()
    lines = iter(["", "xyz", "PASS", "undo", "?", "help", "quit"])
    shown: list[str] = []
    assert not play.run(table, lambda prompt: next(lines), shown.append)
    assert table.state.tobytes() == before.tobytes()
    text = "\n".join(shown)
    assert "is not an action" in text
    assert "is not legal" in text
    assert "hint: " in text
    with pytest.raises(InputError, match="first decision"):
        table.undo()


@pytest.mark.parametrize("error", [EOFError, KeyboardInterrupt])
def test_leaving(error: type[BaseException]) -> None:
    def ask(prompt: str) -> str:
        raise error

    assert not play.run(session(DOUDIZHU), ask, lambda text: None)


def test_wrong_seats() -> None:
    with pytest.raises(InputError, match="seat must be 0 to 2, not 3"):
        session(DOUDIZHU, seat=3)
    agent = make_agent(DOUDIZHU, "rule")
    with pytest.raises(InputError, match="2 other seats"):
        play.Session(DOUDIZHU, play.start(DOUDIZHU, None, 0), 0, [agent], agent)
