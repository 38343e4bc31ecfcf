"""The agent `bids:KIND:AGENT`: bids by a module and plays as another agent."""

from closedhand.agents.doudizhu.bidding.modules import ALL_KINDS, NET, VALUE, BiddingAgent
from closedhand.core.agent_spec import split_outside, unquoted
from closedhand.core.agents import Traits, described, files_of, make_agent, traits_of
from closedhand.core.game import Game, InputError

OF_FILE = f"{NET}="


def read(argument: str | None) -> tuple[str, str | None, str]:
    """Split `KIND:AGENT` into kind, file of `net=FILE` or None (both unquoted), and agent.

    Raises:
        InputError: The kind or the agent is missing.
    """
    kind, *rest = split_outside(argument or "", ":", 2)
    if not rest or not rest[0]:
        raise InputError(f"bids needs a kind ({ALL_KINDS}) and an agent, as in bids:logic:greedy")
    kind = unquoted(kind)
    if kind.startswith(OF_FILE):
        return NET, unquoted(kind.removeprefix(OF_FILE)), rest[0]
    return kind, None, rest[0]


def describe(game: Game, argument: tuple[str, str | None, str]) -> Traits:
    """Return the traits of the agent, those of the playing agent included."""
    kind, file, text = argument
    player = traits_of(game, text)
    own = 500 if kind == VALUE else 1  # microseconds of a bid
    time = None if player.microseconds is None else player.microseconds + own
    files = files_of(file) + player.files
    return Traits(files, player.clocked, time, remembers=player.remembers)


@described(describe, reads=read, plays=("bid.safetensors", "bids:net={}:rule"))
def make_bids(game: Game, seed: int, argument: tuple[str, str | None, str]) -> BiddingAgent:
    """Make the agent `bids:KIND:AGENT`, such as `bids:logic:greedy`.

    `modules.py` explains the kinds `control`, `logic` and `fitted`. `value` bids by the network of
    the agent `value-net`, `net` by the package's bid network (`network.py`), `net=FILE` by another.
    FILE is the network, or a folder with `bid.safetensors`; a name with a colon must be quoted.

    Raises:
        InputError: The kind or the agent is missing or unknown, a network cannot be read, or the
            game has no bidding or, for `value`, two players.
    """
    kind, file, text = argument
    player = make_agent(game, text, seed)
    if kind == NET:
        from closedhand.agents.doudizhu.bidding.network import BidNetAgent

        return BidNetAgent(game, file, player)
    if kind == VALUE:
        from closedhand.agents.doudizhu.value_net.bidding import ValueBiddingAgent

        return ValueBiddingAgent(game, player)
    return BiddingAgent(game, kind, player)
