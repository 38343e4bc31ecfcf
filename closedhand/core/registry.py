"""All games by name, ours and those of other packages, each described by a `GameSpec`.

A package offers its games as entry points of the group `closedhand.games`: the name of a game and a
reference to its spec. A script or a notebook passes a spec to `closedhand.register_game`. Specs
name most things by reference, `package.module:name`, so that a game is imported at its first use.
"""

import copyreg
import re
import warnings
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, fields
from functools import lru_cache, partial
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any

import numpy as np

from closedhand.core.contract import VERSION
from closedhand.core.game import Game, InputError, shown
from closedhand.core.optional_imports import needing
from closedhand.core.options import Options, options_of
from closedhand.core.plugins import description_of, load_point, order

GROUP = "closedhand.games"

Ref = Any
"""A reference `package.module:name`, imported when it is needed, or the object itself."""


@dataclass(frozen=True, kw_only=True)
class GameSpec:
    """The description of a game for generic code.

    Attributes:
        name: Name for `make_game`: lower case, digits and underscores; `title` is for people.
        make: Maker of the `Game` from options as keyword arguments. Its table of options is
            attached by `closedhand.core.options.takes`, or is its annotated signature.
        contract: `closedhand.core.contract.VERSION` for which the game was written.
        aec_id: Id for `pettingzoo.make("aec", …)`.
        gymnasium_id: Id for `gymnasium.make` and `gymnasium.make_vec`.
        parallel_id: Id for `pettingzoo.make("parallel", …)`, for a simultaneous game.
        options: Options passed to `make` besides those of the caller, such as a family's preset.
        opponent: Default opponent of a human player, an agent that loads quickly.
        adviser: Default agent for hints to a human player; None: the opponent. `closedhand advise`
            uses it too, if it is an agent that simulates.
        league: Whether matches are always leagues, with all agents at one table.
        league_options: Function that returns the options of a league, for games whose rounds depend
            on each other: `(options, rounds, duplicate) -> dict`. It gets the given options, the
            number of rounds, and whether each deal is played at several tables.
        line_notation: Regular expression for the beginning of a record in the game's own notation.
            If those of several games match a line, the user must name the game.
        parse_record: Parser of a line in this notation: `(line, game) -> Record`.
        readers: Readers of other programs' logs, see `closedhand.core.records.LogReader`.
        commands: Functions of the game's own commands by name: one word, such as `advise`, becomes
            `closedhand advise GAME`; two, such as `show graph`, `closedhand show graph`.
        advice: Arguments of `closedhand advise GAME` for an example in its help.
        trainers: Learners of `closedhand train GAME` by algorithm, besides those of every game:
            functions `(game, algorithm, seconds, seed, folder, restart)` that train for some
            seconds in a folder, and resume the training in it unless `restart`. Further parameters
            are options of the command, such as `opponents` and `setting`.
        trees: The game's own `closedhand.solvers.interface.Trees`; None: solvers build the tree.
        abstractions: Trees for `solve --states NAME`, by name; see `closedhand.solvers.tied`.
        terms: Translations of the game's terms, by language and English term: names of roles,
            marks, parts and of actions without cards; `option NAME` is the meaning of an option.
            A term with `{}` is a sentence, in which `{}` is another term or any text. Terms are for
            the table in a browser, see `closedhand.core.display.Row`. A text instead of a mapping,
            such as `closedhand.games.leduc:terms`, names `terms.zh.json`, … in that package.
        faces: How a browser draws a card whose text is neither a rank (`K`) nor a rank and a suit
            (`Ks`): maps the text to a rank and a suit, `joker`, or `JOKER`, the greater joker.
        playouts: Function `game -> (game, policy)` for the playouts that rate actions in hints and
            replays; the game that it returns may have simpler payoffs. It returns None for rules
            without such a policy: playouts are then random, as without the function. A
            deterministic policy may have a method `varied`, which returns one that draws its plays.
        endgames: Means to solve open hands, a `closedhand.search.exact.Endgames`; None: a position
            is a deal and actions, and is searched without a transposition table.
        rulebook: Rules in words, Markdown by language, `en` and by choice `zh` and `ja`, for
            `closedhand.core.rulebook.from_markdown`; None: there are none. A text instead of a
            mapping, such as `kuhn_poker:rulebook`, names `rulebook.en.md`, … in that package.
        table_options: Options of a new table in a browser, unless the person chooses others.
        odds: Function `(game, view, parts) -> [Odds or None]`, an entry by part, while a person
            sorts a hand: `parts` has the cards in each `closedhand.core.display.Part`, as texts.
        client: Class that plays at a server of the game's competition: `(agent, host, port, name,
            seed, watch, **options)`. It has the `game` of its views, `play(progress)`, and
            `leave()`, which ends `play` at once from another thread. It calls `watch(view, seat,
            player)` with its view after the turn of a player, or with player -1 at other events.
            Its static method `check(**options)` refuses options that no server can use.
        columns: Columns of match results by name: functions `(game, points) -> values`. Points, the
            payoffs of an agent, and values are float64 [deals, sides]; values None: no column.
    """

    name: str
    title: str
    make: Ref
    contract: int
    aec_id: str
    gymnasium_id: str
    parallel_id: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    opponent: str = "random"
    adviser: str | None = None
    league: bool = False
    league_options: Ref | None = None
    line_notation: str | None = None
    parse_record: Ref | None = None
    readers: tuple[Ref, ...] = ()
    commands: Mapping[str, Ref] = field(default_factory=dict[str, Ref])
    advice: str = "HAND --plays 'ACTION ACTION'"
    trainers: Mapping[str, Ref] = field(default_factory=dict[str, Ref])
    trees: Ref | None = None
    abstractions: Mapping[str, Ref] = field(default_factory=dict[str, Ref])
    terms: str | Mapping[str, Mapping[str, str]] | None = None
    faces: Mapping[str, str] = field(default_factory=dict[str, str])
    playouts: Ref | None = None
    endgames: Ref | None = None
    rulebook: str | Mapping[str, str] | None = None
    table_options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    odds: Ref | None = None
    client: Ref | None = None
    columns: Mapping[str, Ref] = field(default_factory=dict[str, Ref])

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.name):
            form = "lower-case letters, digits and underscores"
            raise InputError(f"a game's name must be {form}: {self.name!r}")
        if self.contract != VERSION:
            raise InputError(
                f"{self.name} is written for version {self.contract} of the contract; "
                f"this closedhand has version {VERSION}"
            )

    @property
    def option_table(self) -> Options:
        """The options of the game; reading them imports the game."""
        table = copy(options_of(load(self.make), self.name))
        table.owner = self.name  # members of a family share one table
        return table

    @property
    def command_name(self) -> str:
        """The name on a command line, with hyphens."""
        return self.name.replace("_", "-")


_specs: dict[str, GameSpec] = {}
_broken: dict[str, str] = {}

GAMES: Mapping[str, GameSpec] = MappingProxyType(_specs)
"""The specs of all games by name: those of this package first, then others by name."""


def load(ref: Ref) -> Any:
    """Import the object of a reference; refuse one that needs a package that is missing."""
    if not isinstance(ref, str):
        return ref
    module, _, name = ref.partition(":")
    with needing(module):
        return getattr(import_module(module), name)


def add_game(spec: GameSpec) -> None:
    """Register a game by its name, without its environments; repeating it has no effect.

    Raises:
        InputError: Another game has that name.
    """
    if _specs.get(spec.name, spec) != spec:
        raise InputError(f"two games have the name {spec.name}")
    _specs[spec.name] = spec


def spec_of(name: str) -> GameSpec:
    """Return the spec of a game; refuse an unknown name, and a game that cannot be loaded."""
    if name in _specs:
        return _specs[name]
    if name in _broken:
        raise InputError(f"the game {name} cannot be loaded: {_broken[name]}")
    raise InputError(f"no game {name!r}; there are {', '.join(_specs)}")


def make_game(name: str, /, **options: Any) -> Game:
    """Make the `Game` of a name in `GAMES`, possibly written with hyphens, under the given rules.

    `options` are those of the game's page: values, or texts of them.

    Raises:
        InputError: An unknown game, preset or option, or a value that an option does not take.
    """
    name = {spec.command_name: spec.name for spec in _specs.values()}.get(name, name)
    given = spec_of(name).option_table.read(options)
    for key, value in given.items():
        try:
            hash(value)
        except TypeError:
            raise InputError(f"{name}: {key} cannot be {shown(value)}") from None
    # The types belong to the key of the cache: 1 and True are equal but make different games.
    return _make(name, tuple(sorted((k, v.__class__, v) for k, v in given.items())))


@lru_cache
def _make(name: str, options: tuple[tuple[str, type[Any], Any], ...]) -> Game:
    spec = _specs[name]
    game = load(spec.make)(**{**spec.options, **{key: value for key, _, value in options}})
    if game.name != name:
        rules = game.options.get("rules", game.options)
        raise InputError(f"the rules {shown(rules)} are those of {game.name}, not {name}")
    return game


def flat_game(name: str, options: Mapping[str, Any]) -> Game:
    """Make a game by name and options, but with whole plays as actions, as in records."""
    return make_game(name, **options).flat


def _reduce(game: Game) -> tuple[Any, ...]:
    """Pickle a game as its name and options; refuse it if these make a different game."""
    make = partial(make_game, game.name, **game.options)
    made = make()
    # Notations and flat games have no equality, but follow from the rules.
    names = [each.name for each in fields(game) if each.name not in ("notation", "flat_form")]
    for name in names:
        if not equal(getattr(game, name), getattr(made, name)):
            raise InputError(
                f"this {game.name} cannot be pickled: make_game({game.name!r}) with its options "
                f"gives one with other {name}"
            )
    return make, ()


def equal(one: Any, other: Any) -> bool:
    """Return whether two values are equal, also if they are tuples of arrays, such as rules."""
    if all(isinstance(each, tuple) for each in (one, other)):
        return len(one) == len(other) and all(map(equal, one, other))
    try:
        return one is other or np.array_equal(one, other)
    except TypeError:  # records with different fields
        return False


copyreg.pickle(Game, _reduce)


def find_games() -> None:
    """Load all specs (ours: `pyproject.toml`); a failing one affects no other.

    Ours come first: a game of another package under the same name is left out.
    """
    for point in sorted(entry_points(group=GROUP), key=order):
        try:
            spec = load_point(point)
            if spec.name != point.name:
                raise InputError(f"the entry point {point.name} has the spec of {spec.name}")
            add_game(spec)
        except Exception as error:
            # `spec_of` shows this only if no other entry point offers the name.
            _broken.setdefault(point.name, f"{type(error).__name__}: {error}")
            text = f"the game {description_of(point)} cannot be loaded: {error}"
            warnings.warn(text, stacklevel=2)
