"""Checks of texts: actions, deals, tables and records."""

from closedhand.core.game import Game, State
from closedhand.core.records import from_json, from_state, replay
from closedhand.core.scene import Row
from closedhand.testing.expectations import expect, refuses
from closedhand.testing.walk import Walk, some

NONSENSE = "\N{SNOWMAN} is nothing"


def check_actions(game: Game) -> None:
    """Every action has a text of its own, which parses to it."""
    seen: dict[str, int] = {}
    for action in range(game.num_actions):
        text = game.text(action)
        expect(isinstance(text, str) and text and "\n" not in text,
                "text({}) is one line, not {!r}", action, text)  # fmt: skip
        expect(text not in seen, "actions {} and {} are both {!r}", seen.get(text), action, text)
        seen[text] = action
        parsed = game.parse(text)
        expect(parsed == action, "parse(text({})) is {}, text {!r}", action, parsed, text)
    refuses(lambda: game.parse(NONSENSE), f"parse({NONSENSE!r})")
    refuses(lambda: game.parse_deal(NONSENSE), f"parse_deal({NONSENSE!r})")


def check_text(walk: Walk) -> None:
    """Texts of actions at a position parse there, those without a position as well."""
    game, state = walk.game, walk.state
    if game.over(state):
        return
    for action in some(game.legal(state).tolist(), walk.rng):
        for text in (game.text(action, state), game.text(action)):
            parsed = game.parse(text, state)
            expect(parsed == action, "{!r}, action {}, parses to {}", text, action, parsed)


def check_deal_text(walk: Walk) -> None:
    """The deal of a state can be written at any point, and read."""
    game = walk.game
    text = game.deal_text(walk.state)
    start = game.parse_deal(text)
    again = game.deal_text(start)
    expect(again == text, "the deal {!r} is {!r} after it was parsed", text, again)
    expect(start.moves == 0, "parse_deal gives the start of a game, not move {}", start.moves)


def check_scene(walk: Walk) -> None:
    """The table can be drawn, open and as every player sees it."""
    game = walk.game
    for state in (walk.state, *(game.view(walk.state, player) for player in walk.players)):
        rows = game.scene(state)
        expect(all(isinstance(row, Row) for row in rows), "a scene is a list of rows")
        expect(isinstance(game.board(state), str), "a board is text")


def check_records(walk: Walk, states: list[State]) -> None:
    """A record goes through JSON and back, and its replay ends in the same state."""
    game, state = walk.game, walk.state
    if game.rounds > 1:
        return  # a record is of one round
    names = [f"agent {player}" for player in walk.players]
    record = from_json(from_state(game, state, names, note="x").to_json())
    end = replay(record)
    expect((game.history(end) == game.history(state)).all(), "a replay has another history")
    expect((game.flat.returns(end) == game.returns(state)).all(),
            "a replay ends with {}, not {}",
            game.flat.returns(end), game.returns(state))  # fmt: skip
    expect(record.agents == tuple(names) and record.extra == {"note": "x"},
            "a record forgets who played, or what else it was given")  # fmt: skip
