"""Checks of texts: actions, deals, tables and records."""

from collections import Counter

from closedhand.core.display import Row
from closedhand.core.game import Game
from closedhand.core.records import from_json, from_state, replay
from closedhand.testing.expectations import expect, refuses
from closedhand.testing.walk import Walk, some

NONSENSE = "\N{SNOWMAN} is nothing"


def check_actions(game: Game) -> None:
    """Check that every action has a distinct text, which parses to it."""
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
    """Check that texts of actions, written with or without the position, parse at the position."""
    game, state = walk.game, walk.state
    if game.over(state):
        return
    view = game.view(state, int(state.player))
    for action in some(game.legal(state).tolist(), walk.rng):
        own, seen = game.text(action, state), game.text(action, view)
        expect(own == seen, "action {} is {!r} to who sees all, and {!r} to its player",
                action, own, seen)  # fmt: skip
        for text in (game.text(action, state), game.text(action)):
            parsed = game.parse(text, state)
            expect(parsed == action, "{!r}, action {}, parses to {}", text, action, parsed)


def check_deal_text(walk: Walk) -> None:
    """Check that the deal can be written from any state of a game, and parsed."""
    game = walk.game
    text = game.deal_text(walk.state)
    start = game.parse_deal(text)
    again = game.deal_text(start)
    expect(again == text, "the deal {!r} is {!r} after it was parsed", text, again)
    expect(start.moves == 0, "parse_deal gives the start of a game, not move {}", start.moves)


def check_scene(walk: Walk) -> None:
    """Check that the table can be drawn, open and for every player, without false cards."""
    game = walk.game
    truth = game.scene(walk.state)
    expect(all(isinstance(row, Row) for row in truth), "a scene is a list of rows")
    expect(isinstance(game.board(walk.state), str), "a board is text")
    if not game.simultaneous:
        active = [row.seat for row in truth if row.active]
        due = [] if game.over(walk.state) else [int(walk.state.player)]
        expect(active == due, "the scene has {} to act, not {}", active, due)
    check_cards(walk, truth)
    for player in walk.players:
        view = game.view(walk.state, player)
        expect(isinstance(game.board(view), str), "a board is text")
        for row, true in zip(game.scene(view), truth, strict=False):
            false = Counter(card for card in row.cards if card) - Counter(true.cards)
            expect(row.label != true.label or not false,
                    "player_{} is shown {} in the row {!r}, where it is not: a card that is hidden "
                    "has an empty text", player, " ".join(false), row.label)  # fmt: skip


def check_cards(walk: Walk, truth: list[Row]) -> None:
    """Check that an action's cards are in the row of the player to act, where a person clicks."""
    game, state = walk.game, walk.state
    if game.over(state) or game.flat is not game:
        return
    held = Counter(card for row in truth if row.seat == state.player for card in row.cards)
    for action in some(game.legal(state).tolist(), walk.rng):
        missing = Counter(game.cards(action, state)) - held
        expect(not missing, "action {} takes {}, which is not in the row of player_{}",
                action, " ".join(missing), state.player)  # fmt: skip


def check_records(walk: Walk) -> None:
    """Check that a record survives JSON, and that its replay ends in the same state."""
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
