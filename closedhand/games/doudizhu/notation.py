"""The DeepRocket paper's notation: actions, deals, and game records (its Appendix A).

An action is its cards, main group first (`3334`), `PASS`, or a word: `BID1` to `BID3`, `CALL`,
`ROB`, `DOUBLE`, `SHOW`. Other texts of actions, deals or records raise an `InputError`.

- A deal is four fields of cards, `landlord;down;up;public`: 17 + 17 + 17 + 3 for a whole deck.
  With bidding the first three are the hands by seat; in a game of two the third is the cards set
  aside. A fifth field such as `PASSED1` counts the earlier deals in which all passed.
- A record, of a game of three without words, is a deal, then `role,cards` for every play, without
  passes. The roles are the seats: 0 landlord, 1 down peasant, 2 up peasant.
- The paper prints a record as two texts, after `Cards:` and `Game process:`. The ten may be written
  10, and a highlighted play between asterisks.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.core.checks import prefixed
from closedhand.core.display import Row
from closedhand.core.game import Game, InputError, State
from closedhand.core.notation import TableNotation
from closedhand.core.parsing import parse_whole
from closedhand.core.reading import filled_lines, first_line
from closedhand.core.records import LogReader, Record, Replay, stated_options
from closedhand.core.registry import flat_game
from closedhand.games.doudizhu import plays
from closedhand.games.doudizhu.auction import doubled, speaker
from closedhand.games.doudizhu.counts import RANKS, pack, unpack
from closedhand.games.doudizhu.explanations import explanations_of
from closedhand.games.doudizhu.plays import PASS_GROUP
from closedhand.games.doudizhu.rules import begin, is_spring, over, third
from closedhand.games.doudizhu.state import SEATS, STATE, Rules

BIDS = ("BID1", "BID2", "BID3")
CLAIMS = ("CALL", "ROB")
DOUBLE, SHOW = "DOUBLE", "SHOW"
PASSED = "PASSED"
HIDDEN = "*"
ROLES = {2: ("landlord", "peasant"), 3: ("landlord", "down peasant", "up peasant")}

GAME = re.compile(r"Cards\s*:(.*?)Game process\s*:(.*)", re.DOTALL | re.IGNORECASE)
START = re.compile(r"(?=Cards\s*:)", re.IGNORECASE)
"""A printed game, and the place where one begins."""


def words_of(options: Mapping[str, Any]) -> tuple[str, ...]:
    """List the words of a game with given options; their ids follow that of the pass, in order."""
    auction = (CLAIMS if options["robbing"] else BIDS) if options["bidding"] else ()
    return (*auction, *[DOUBLE] * options["doubling"], *[SHOW] * options["open_hand"])


class Notation(TableNotation):
    """Text of actions, deals and tables under the rules of a preset."""

    substeps = False

    def __init__(self, rules: Rules, preset: str, words: tuple[str, ...]) -> None:
        self.rules = rules
        self.preset = preset
        self.words = words
        self.explanations = explanations_of(words, self.substeps)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The notation of every action id."""
        return self.whole_texts

    @cached_property
    def whole_texts(self) -> tuple[str, ...]:
        """The notation of every id in a history, which has no sub-steps."""
        return plays.texts(self.preset) + self.words

    @cached_property
    def by_cards(self) -> dict[int, list[int]]:
        """The ids of the plays of each packed set of cards."""
        ids: dict[int, list[int]] = {}
        need = self.rules.plays.need[: self.rules.plays.number - 1]
        for i, cards in enumerate(need.tolist()):
            ids.setdefault(cards, []).append(i)
        return ids

    def parse(self, text: str, state: State | None = None) -> int:
        """Return an action's id by notation, or by cards in any order if only one play has them."""
        text = text.strip().upper()
        if text in self.ids:
            return self.ids[text]
        found = self.by_cards.get(int(pack(text, f"{text!r} is not an action")), [])
        if len(found) == 1:
            return found[0]
        if found:
            choices = ", ".join(self.texts[i] for i in found)
            raise InputError(f"{text!r} can be read as {choices}: write one of them")
        raise InputError(f"{text!r} is not a play under the rules {self.preset!r}")

    def deal_text(self, state: State) -> str:
        """Write the last deal, `*` for cards that a view hides, and the number of passed deals."""
        fields = [HIDDEN] * (SEATS + 1)
        for seat in range(SEATS):
            if len(unpack(state.hands[seat])) == state.left[seat]:
                dealt = state.hands[seat] + state.played[seat]
                fields[seat] = unpack(dealt - state.public if seat == state.landlord else dealt)
        if len(public := unpack(state.public)) == self.rules.options.public:
            fields[SEATS] = public
        return ";".join([*fields, *[f"{PASSED}{state.passed}"] * bool(state.passed)])

    def parse_deal(self, text: str) -> State:
        """Parse a deal of the game's whole deck to the state at its start."""
        fields = [field.strip().upper() for field in text.strip().rstrip(";").split(";")]
        options, passed = self.rules.options, 0
        if fields[-1].startswith(PASSED):
            most = max(int(options.passed_deals) - 1, 0)
            number = fields.pop().removeprefix(PASSED)
            passed = parse_whole(number, "the number of passed deals", 0, most)
        hand, rest, public = options.hand, third(self.rules), options.public
        if [len(field) for field in fields] != [hand, hand, rest, public]:
            lengths = ", ".join(str(len(field)) for field in fields)
            raise InputError(
                f"a deal is four fields of {hand}, {hand}, {rest} and {public} cards, not {lengths}"
            )
        cards = [pack(field, "not a deal") for field in fields]
        given, deck = "".join(fields), unpack(options.deck)
        wrong = [rank for rank in RANKS if given.count(rank) != deck.count(rank)]
        if wrong:
            raise InputError(f"the four fields do not make a deck: count the {', '.join(wrong)}")
        state = np.zeros(1, STATE)[0]
        state.hands[:] = cards[:SEATS]
        state.public = cards[SEATS]
        state.seed = 1 + hash(tuple(map(int, cards))) % 2**53
        begin(self.rules, state)
        state.passed = passed
        return state

    def cards_of(self, action: int, state: State) -> tuple[str, ...]:
        """List the cards of a play; none for the pass and words."""
        if action >= self.rules.plays.number - 1:
            return ()
        return tuple(self.texts[action].replace("+", ""))

    def scene(self, state: State) -> list[Row]:
        """Return the table: a row for each seat, the public cards, and any cards set aside."""
        last = self.last_actions(state)
        players = self.rules.options.players
        rows = [self._row(state, seat, last[seat]) for seat in range(players)]
        public = tuple(unpack(state.public)) or ("",) * self.rules.options.public
        finished = bool(over(self.rules, state))
        stake = f"stake {state.stake}" + f" x {2 ** int(state.bombs)}" * bool(state.bombs)
        if state.landlord < 0 and state.stake == 0:
            stake = "all passed" if finished else "no bid yet"
        marks = self._result(state) if finished and state.landlord >= 0 else (stake,)
        rows.append(Row("public cards", public, stake, marks=marks))
        if players < SEATS:
            aside = unpack(state.hands[players]) or ("",) * self.rules.options.aside
            rows.append(Row("set aside", tuple(aside)))
        return rows

    def _row(self, state: State, seat: int, note: str) -> Row:
        players, landlord = self.rules.options.players, state.landlord
        role = ROLES[players][(seat - landlord) % players] if landlord >= 0 else ""
        hand = unpack(state.hands[seat])
        hidden = ("",) * (int(state.left[seat]) - len(hand))
        active = bool(seat == state.player and not over(self.rules, state))
        last = () if note in (*self.words, "PASS") else tuple(note.replace("+", ""))
        marks = ("doubled",) if doubled(self.rules, state, seat) > 0 else ()
        label = f"player_{seat} {role or 'seat'}"
        return Row(label, (*hand, *hidden), note, active, last, role, marks)

    def _result(self, state: State) -> tuple[str, ...]:
        """List the facts that determine the payoffs of a finished game with a landlord."""
        bombs = (f"bombs {state.bombs}",) if state.bombs else ()
        return (f"stake {state.stake}", *bombs, *("spring",) * bool(is_spring(self.rules, state)))

    def last_actions(self, state: State) -> list[str]:
        """List the text of each seat's action among the last n, for n players; empty if none."""
        players = self.rules.options.players
        last, moves = [""] * players, int(state.moves)
        for move in range(max(0, moves - players), moves):
            if move < state.words:
                seat = int(speaker(self.rules, state, move))
            else:
                seat = (state.landlord + move - state.words) % players
            last[seat] = self.whole_texts[state.history[move]]
        return last


class SubstepNotation(Notation):
    """Text of the kicker sub-steps: `333+?` chooses a group, `+4` or `+44` one kicker."""

    substeps = True
    actions = "a sub-step such as 333+?, +4 or PASS"
    parse = TableNotation.parse

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The notation of every action id."""
        groups = [
            unpack(group["need"]) + group["kickers"] * ("+" + group["unit"] * "?")
            for group in self.rules.plays.groups[:PASS_GROUP]
        ]
        kickers = [f"+{r}" for r in RANKS] + [f"+{r}{r}" for r in RANKS[:13]]
        return (*groups, "PASS", *kickers, *self.words)

    def cards_of(self, action: int, state: State) -> tuple[str, ...]:
        """Return no cards: people choose sub-steps from a list."""
        return ()

    def scene(self, state: State) -> list[Row]:
        """Return the table, with the incomplete play of the player to act."""
        rows = super().scene(state)
        if state.group >= 0:
            choice = self.texts[state.group].split("+")[0] + unpack(state.picked)
            rows[state.player] = rows[state.player]._replace(note=f"{choice} + …")
        return rows


def parse_record(line: str, game: Game) -> Record:
    """Parse a record in the paper's notation; the passes that it omits are restored."""
    if game.flat.rules.has_words or game.num_players < SEATS:
        raise InputError("the paper's notation has no auction: use rules without bidding")
    fields = [field.strip() for field in line.strip().rstrip(";").split(";")]
    deal = ";".join(fields[:4])
    state = game.parse_deal(deal)
    actions: list[str] = []

    def play(action: int) -> None:
        game.play(state, action)
        actions.append(game.text(action))

    for number, field in enumerate(fields[4:], 1):
        role, comma, cards = field.partition(",")
        if not comma or role not in ("0", "1", "2"):
            raise InputError(f"play {number}: {field!r} is not role,cards with a role 0, 1 or 2")
        with prefixed(f"play {number}, {field}"):
            action = game.parse(cards)
            while state.player != int(role):
                play(game.parse("PASS"))
            play(action)
    return Record(game.name, stated_options(game), tuple(actions), deal=deal)


def replay_printed(path: Path) -> Iterator[Replay]:
    """Replay every game of a file, counted from 1; a faulty one sets the `error` of its replay."""
    text = "\n".join(line for _, line in filled_lines(path)).replace("*", "").replace("10", "T")
    game = flat_game("doudizhu", {})
    for number, part in enumerate(filter(str.strip, START.split(text)), 1):
        with Replay(number, unit="game") as found:
            texts = GAME.fullmatch(part)
            if texts is None:
                raise InputError("there is no `Game process:`")
            fields = [field.strip() for each in texts.groups() for field in each.split(";")]
            found.replay(parse_record(";".join(filter(None, fields)), game))
        yield found


PRINTED = LogReader(
    name="record as the DeepRocket paper prints it",
    recognises=lambda path: START.match(first_line(path)) is not None,
    replay=replay_printed,
)
