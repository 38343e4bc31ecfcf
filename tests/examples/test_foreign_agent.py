"""A program over a pipe plays our matches; whatever it does wrong is one line."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from closedhand import InputError, make_game
from closedhand.arena import match

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAM = [sys.executable, str(EXAMPLES / "foreign_program.py")]


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The example as a module."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module("foreign_agent")


def code(text: str) -> list[str]:
    """A program that reads a position and then does what a text of Python says."""
    return [sys.executable, "-c", f"import sys; sys.stdin.readline(); {text}"]


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"rules": "douzero"}])
def test_the_program_plays_a_match(example: ModuleType, options: dict) -> None:
    game = make_game("doudizhu", **options)
    agent = example.ForeignAgent(game, PROGRAM)
    played = match.play(game, [agent, "random"], deals=5)
    agent.close()
    assert played.deals == 5
    assert played.pairs[0].decisions[0] > 50


@pytest.mark.slow
@pytest.mark.parametrize("name", ["doudizhu", "daihinmin", "uh_leduc", "chinese_poker"])
def test_what_a_program_is_told_is_the_view(example: ModuleType, name: str) -> None:
    """In every game, at every turn: `view_from` makes the view of it, and nothing else is told."""
    game = make_game(name)
    state = game.deal(np.random.default_rng(3))
    rng = np.random.default_rng(4)
    for _ in range(30):
        if game.over(state):
            break
        player = int(state.player)
        view = game.view(state, player)
        told = example.describe(game, view)
        assert (told.pop("game"), told.pop("options")) == (name, dict(game.options))
        built = game.view_from(told.pop("player"), told.pop("hand"), told.pop("actions"), **told)
        assert game.key(built, player) == game.key(view, player)
        game.play(state, int(rng.choice(game.legal(state))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("print('nonsense', flush=True)", "answers no action: 'NONSENSE' is not an action"),
        ("print('', flush=True)", "answers no action"),
        ("print('3' * 5000, flush=True)", "answers with more than 1000 characters"),
        ("sys.exit()", "has ended$"),
        ("sys.exit('no plan')", "has ended: no plan$"),
        ("raise ValueError('bad')", "has ended: ValueError: bad$"),
        ("sys.stdout.buffer.write(bytes(range(128, 200)) + b'\\n')", "answers no action|has ended"),
        ("sys.stdin.read()", "did not answer within 0.3 s"),
    ],
)
def test_what_goes_wrong_is_one_line(example: ModuleType, answer: str, message: str) -> None:
    game = make_game("doudizhu")
    view = game.view(game.deal(np.random.default_rng(1)), 0)
    # The last one never answers; the others are given more time than any machine needs.
    agent = example.ForeignAgent(game, code(answer), 0.3 if "read()" in answer else 60)
    with pytest.raises(InputError, match=message) as caught:
        agent.act(view)
    assert "\n" not in str(caught.value)
    agent.close()
    assert agent._process.poll() is not None


def test_a_program_that_is_not_there_is_one_line(example: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot start .*: No such file or directory"):
        example.ForeignAgent(make_game("doudizhu"), [str(tmp_path / "none")])
    with pytest.raises(InputError, match="make the game without substeps"):
        example.ForeignAgent(make_game("doudizhu", substeps=True), PROGRAM)


@pytest.mark.slow
def test_the_command_prints_points(example: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    import shlex

    example.main(["doudizhu", shlex.join(PROGRAM), "--deals", "2", "--option", "rules=douzero"])
    assert capsys.readouterr().out.count("points a game") == 6
    with pytest.raises(SystemExit, match="foreign_agent: no game 'chess'"):
        example.main(["chess", "true"])
