"""All names, besides those of `closedhand` itself, that a package of a game or an agent needs.

    from closedhand.authoring import Game, contract, kernel

These names are stable, their modules are not. Tests of a game call `closedhand.testing.check_game`.

**Kernels.** `kernel` compiles a function; `inlined` compiles one into each of its callers. For
their signatures there are `Rules`, `Policy`, `State`, `States`, `Integer`, `Ids`, `Floats`,
`Bools`, `Planes` and `Rng`. `bits` holds sets of small numbers as bits, `shuffle` and `draw_place`
deal cards, `draw_seed` and `seed_in_kernel` draw the seed of a deal, and a `Stream` (`make_stream`,
`draw`) gives a policy random numbers of its own.

**Games.** `contract` lists the functions that a game defines, and calls those of any game. A
`GameSpec` describes a game and names the function that makes the `Game`, with its `Notation`. The
parameters of that function are the game's options, annotated, with a `Range` for a number. Instead,
`takes` can attach a table, `Options` of `Option`. A `FeatureTable` of `Feature` describes compact
observations. `validity` and `views` help to write the functions `valid` and `view_from`. A `Row` of
a picture has cards, and `BLANK` for a gap. A `Part` is a group into which a player sorts cards, and
`Odds` are its chances to win. `Explanations` and `KnownCards` are shown to people. `Game.deals`
iterates over each `Deal`; `Game.knowledge` returns `Knowledge`. An `InputError` reports bad input.

**Records.** `records` turns games into text and back: `Record`, `from_state`, `from_json`,
`replay`, `read` and `write`; a `LogReader` reads the logs of another program.

**Agents.** An `Agent` decides from views; `batch` has functions for many views at once. A
`KernelAgent` plays by a compiled policy, which kernels call by `decide`. A `PlayAgent` plays by a
deterministic policy that chooses whole plays, also in sub-steps. `described` and `Traits` state
properties of an agent before it plays. `refuse_argument` is for agents that take no argument.

**Search.** `MonteCarlo`, `PairedSearch`, `ISMCTS` and `Particles` search by simulation with a
policy such as `UniformPolicy`. `playouts` plays games to their ends; `read_budget` parses the
budget of a search, such as `500` or `20ms`; `rank` orders actions by a `Simulation`.
"""

from closedhand.agents.agent import KernelAgent, PlayAgent
from closedhand.core import batch, bits, contract, records, validity, views
from closedhand.core.agents import Agent, Traits, described, refuse_argument
from closedhand.core.cards import draw_place, shuffle
from closedhand.core.checks import InputError
from closedhand.core.display import BLANK, Odds, Part, Row
from closedhand.core.explanations import Cards as KnownCards, Explanations
from closedhand.core.features import Feature, FeatureTable
from closedhand.core.game import Deal, Game, Knowledge, Notation
from closedhand.core.numba.jit import (
    Bools,
    Floats,
    Ids,
    Integer,
    Planes,
    Policy,
    Rng,
    Rules,
    State,
    States,
    draw_seed,
    inlined,
    kernel,
    seed_in_kernel,
)
from closedhand.core.options import Option, Options, Range, takes
from closedhand.core.policies import decide
from closedhand.core.registry import GameSpec
from closedhand.core.stream import Stream, draw, make_stream
from closedhand.search import (
    ISMCTS,
    MonteCarlo,
    PairedSearch,
    Particles,
    Simulation,
    Uniform as UniformPolicy,
    playouts,
    rank,
    read_budget,
)

__all__ = [
    "BLANK",
    "ISMCTS",
    "Agent",
    "Bools",
    "Deal",
    "Explanations",
    "Feature",
    "FeatureTable",
    "Floats",
    "Game",
    "GameSpec",
    "Ids",
    "InputError",
    "Integer",
    "KernelAgent",
    "Knowledge",
    "KnownCards",
    "MonteCarlo",
    "Notation",
    "Odds",
    "Option",
    "Options",
    "PairedSearch",
    "Part",
    "Particles",
    "Planes",
    "PlayAgent",
    "Policy",
    "Range",
    "Rng",
    "Row",
    "Rules",
    "Simulation",
    "State",
    "States",
    "Stream",
    "Traits",
    "UniformPolicy",
    "batch",
    "bits",
    "contract",
    "decide",
    "described",
    "draw",
    "draw_place",
    "draw_seed",
    "inlined",
    "kernel",
    "make_stream",
    "playouts",
    "rank",
    "read_budget",
    "records",
    "refuse_argument",
    "seed_in_kernel",
    "shuffle",
    "takes",
    "validity",
    "views",
]
