"""The command `advise doudizhu`."""

from closedhand.cli import advise as shared
from closedhand.cli.advise import Hand, Plays, Seat, Seconds, Simulations, Top
from closedhand.cli.common import Json, Options, Rules, Seed, bind
from closedhand.core.display import plain


def advise(
    hand: Hand,
    plays: Plays = "",
    public: str | None = None,
    shown: str | None = None,
    seat: Seat = 0,
    agent: str = "search",
    top: Top = 5,
    seconds: Seconds = None,
    simulations: Simulations = None,
    rules: Rules = None,
    option: Options = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Rank the plays of a Dou Dizhu hand by their chance to win.

    The landlord is seat 0, followed by the down and the up peasant; with --option bidding=true seat
    0 bids first, and bids are ranked by points. For example, as the down peasant against a pair of
    fours:

    closedhand advise doudizhu 3456789TTJJQKA22S --seat 1 --public 4TB --plays 44

    Options:
        public: The three public cards, once there is a landlord: 4TB.
        shown: Cards that the landlord holds now and has shown: 3456TJQKA2.
        agent: Agent whose search is used: search or policy-search.
    """
    game = bind("doudizhu", rules, option)
    view = game.view_from(
        seat, plain(hand), shared.split_plays(game, plays), public=public, shown=shown
    )
    shared.advise(game, view, seat, agent, top, seconds, simulations, seed, as_json)
