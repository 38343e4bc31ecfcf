"""All games by name, ours and those of other packages, each described by a `GameSpec`.

A package offers its games as entry points of the group `closedhand.games`: the name of a game, and
where its spec is. A script or a notebook passes a spec to `closedhand.register_game`. Specs name
most things by reference, `package.module:name`, so that nothing of a game is imported before it is
used.
"""

import copyreg
import inspect
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any

from closedhand.core.contract import VERSION
from closedhand.core.game import Game, InputError, shown
from closedhand.core.optional_imports import needing
from closedhand.core.options import Options, options_of
from closedhand.core.plugins import described, load_point, order

GROUP = "closedhand.games"

Ref = Any
"""`package.module:name`, which is imported when it is needed, or the object itself."""


@dataclass(frozen=True, kw_only=True)
class GameSpec:
    """What the generic code has to know about a game.

    Attributes:
        name: Name for `make_game`: lower case, digits and underscores.
        title: Display name.
        make: Makes the `Game`, from options as keyword arguments. Its table of options is attached
            by `closedhand.core.options.takes`, or else is its annotated signature.
        contract: Version of the contract (`closedhand.core.contract.VERSION`) that the game was
            written for.
        aec_id: Id for `pettingzoo.make("aec", …)`.
        gymnasium_id: Id for `gymnasium.make` and `gymnasium.make_vec`.
        parallel_id: Id for `pettingzoo.make("parallel", …)`, for a simultaneous game.
        options: Options passed to `make` besides those of the caller, such as the preset that
            distinguishes members of a family.
        opponent: Opponent of a human player who names none; it is ready at once.
        adviser: Agent that gives hints to a human player who names none; the opponent if absent.
        league: Whether matches are always leagues, with all agents at one table.
        league_options: Makes the options of a league from the options given, the number of rounds
            and whether it is a duplicate: `(options, rounds, duplicate) -> dict`. For games of
            rounds that carry over.
        line_notation: Regular expression that matches a line of records in the game's own notation
            and no other game's.
        parse_record: Reads such a line: `(line, game) -> Record`.
        readers: Readers of other programs' logs, see `closedhand.core.records.LogReader`.
        commands: The game's own commands by their words: `advise` becomes `closedhand advise GAME`,
            `show graph` becomes `closedhand show graph`.
        trainers: Learners of `closedhand train GAME` by algorithm, the usual one first, besides
            those of every game: `(game, algorithm, seconds, seed, folder, restart)`, and
            `opponents` where the agents to learn against can be named.
        trees: Trees of its own on which solvers work, a
            `closedhand.solvers.interface.Trees`; None: they work on the information
            tree that is built of any small game.
        abstractions: Trees on which `solve --states NAME` learns by the name of the states, whose
            sets are classes of information sets; see `closedhand.solvers.tied`.
        terms: The game's own words in other languages, by language and by the word in English:
            names of roles, marks, parts and of actions without cards. They are for the table in a
            browser, see `closedhand.core.display.Row`.
        faces: What a browser draws for cards whose text is not a rank alone or a rank and a suit:
            such a text (`Ks`), or `joker` or `JOKER` for the lesser or the greater joker.
        playouts: Makes the policy whose playouts say what a play is worth, and the game that they
            play, in which the payoffs may be simpler: `game -> (game, policy)`, or None where there
            is no such policy. For hints and replays, which play at random without it.
        odds: Says what the parts of a hand are worth while it is being sorted: `(game, view, parts)
            -> [Odds or None]`, for texts of the cards of all parts, see `closedhand.core.display`.
            None: nothing does.
        client: Class that plays at a server of the game's competition: `(agent, host, port, name,
            seed, watch, **options)`, with the `game` that its agent plays, `play(progress)`,
            `leave()`, which ends that at once from another thread, and `watch(view, seat, player)`
            called with what is seen from its seat, after the turn of a player or, -1, of nobody.
            None: there is none.
        default_for: Commands for which this is the default game.
        columns: Columns of match results by the names that the game's literature uses, each a
            function `(game, points) -> values` of the payoffs of an agent, both float64 [deals,
            sides], or None where it does not apply.
        pages: Modules whose docstrings make up the page of the environments, in order.
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
    trainers: Mapping[str, Ref] = field(default_factory=dict[str, Ref])
    trees: Ref | None = None
    abstractions: Mapping[str, Ref] = field(default_factory=dict[str, Ref])
    terms: Ref | None = None
    faces: Mapping[str, str] = field(default_factory=dict[str, str])
    playouts: Ref | None = None
    odds: Ref | None = None
    client: Ref | None = None
    default_for: tuple[str, ...] = ()
    columns: Mapping[str, Ref] = field(default_factory=dict[str, Ref])
    pages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the spec.

        Raises:
            InputError: The name is invalid, or the game was written for another contract.
        """
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.name):
            raise InputError(
                f"a game's name must be lower-case letters, digits and underscores: {self.name!r}"
            )
        if self.contract != VERSION:
            raise InputError(
                f"{self.name} is written for version {self.contract} of the contract; "
                f"this closedhand has version {VERSION}"
            )

    @property
    def doc(self) -> str:
        """The page of the environments, Markdown: the game, its options, observations, actions."""
        first, *others = [inspect.getdoc(import_module(page)) or "" for page in self.pages] or [""]
        options = self.option_table.markdown()
        made = f"Options:\n\n{options}" if options else inspect.getdoc(load(self.make)) or ""
        return "\n\n".join([first, made, *others, *self._feature_doc()])

    def _feature_doc(self) -> list[str]:
        """The numbers of the compact observation, with those of sub-steps."""
        game = make_game(self.name)
        table = make_game(self.name, **game.substep_options).feature_table
        if table is None:
            return []
        more = f", {len(table)} in sub-steps" if len(table) > game.feature_size else ""
        title = f"The compact observation has {game.feature_size} numbers{more}, all int8:"
        return [title, table.markdown()]

    @property
    def option_table(self) -> Options:
        """The options of the game; imports it."""
        return options_of(load(self.make), self.name)

    @property
    def command_name(self) -> str:
        """The name on a command line, with hyphens."""
        return self.name.replace("_", "-")


_specs: dict[str, GameSpec] = {}
_broken: dict[str, str] = {}

GAMES: Mapping[str, GameSpec] = MappingProxyType(_specs)
"""The specs of all games by name: those of this package first, then others by name."""


def load(ref: Ref) -> Any:
    """Import the object of a reference.

    Raises:
        InputError: The module needs a package that is not installed.
    """
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
    """The spec of a game.

    Raises:
        InputError: There is no such game, or it cannot be loaded.
    """
    if name in _specs:
        return _specs[name]
    if name in _broken:
        raise InputError(f"the game {name} cannot be loaded: {_broken[name]}")
    raise InputError(f"no game {name!r}; there are {', '.join(_specs)}")


def make_game(name: str, /, **options: Any) -> Game:
    """The `Game` of that name under the given rules.

    Args:
        name: Name of a game, one of `GAMES`.
        **options: Options of the game, see its page; their values, or texts of these.

    Raises:
        InputError: An unknown game, preset or option, or a value that an option does not take.
    """
    given = read_options(name, options)
    for key, value in given.items():
        try:
            hash(value)
        except TypeError:
            raise InputError(f"{name}: {key} cannot be {shown(value)}") from None
    # Options without a type: 1 and True are equal, but must not share a cached game.
    return _make(name, tuple(sorted((k, v.__class__, v) for k, v in given.items())))


def read_options(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a game, parsed and checked; those that are not given are left out.

    Raises:
        InputError: As for `make_game`.
    """
    return spec_of(name).option_table.read(options)


@lru_cache
def _make(name: str, options: tuple[tuple[str, type[Any], Any], ...]) -> Game:
    spec = _specs[name]
    game = load(spec.make)(**{**spec.options, **{key: value for key, _, value in options}})
    if game.name != name:
        raise InputError(
            f"the rules {game.options['rules']!r} are those of {game.name}, not {name}"
        )
    return game


def flat_game(name: str, options: Mapping[str, Any]) -> Game:
    """The game of a record: its actions are whole plays."""
    return make_game(name, **options).flat


def _unpickle(name: str, options: Mapping[str, Any]) -> Game:
    """The game that a pickle states."""
    return make_game(name, **options)


# Kernels' tables are not copied: a pickled game is its name and options, and is made again.
copyreg.pickle(Game, lambda game: (_unpickle, (game.name, dict(game.options))))


def find_games() -> None:
    """Load the specs of all entry points; one that fails does not affect the others.

    Ours come first: a game of another package that has the name of one of them is left out. The
    package calls it at the end of its own import: a spec may import any part of it.
    """
    for point in sorted(entry_points(group=GROUP), key=order):
        try:
            spec = load_point(point)
            if spec.name != point.name:
                raise InputError(f"the entry point {point.name} has the spec of {spec.name}")
            add_game(spec)
        except Exception as error:
            # Only where nobody else offers a game of that name.
            _broken.setdefault(point.name, f"{type(error).__name__}: {error}")
            text = f"the game {described(point)} cannot be loaded: {error}"
            warnings.warn(text, stacklevel=2)
