"""The agent `bids:KIND:AGENT`: bids by a module and plays as another agent."""

from closedhand.agents.doudizhu.bidding.modules import ALL_KINDS, NET, VALUE, BiddingAgent
from closedhand.core.agent_spec import split_outside, unquoted
from closedhand.core.agents import Traits, described, files_of, make_agent, traits_of
from closedhand.core.game import Game, InputError

OF_FILE = f"{NET}="


def read(argument: str | None) -> tuple[str, str]:
    """Split `KIND:AGENT`; quotes around a whole kind or around the file of `net=FILE` are removed.

    Raises:
        InputError: The kind or the agent is missing.
    """
    kind, *rest = split_outside(argument or "", ":", 2)
    if not rest or not rest[0]:
        raise InputError(
            f"the agent bids needs a kind ({ALL_KINDS}) and an agent: bids:logic:greedy"
        )
    kind = unquoted(kind)
    if kind.startswith(OF_FILE):
        kind = OF_FILE + unquoted(kind.removeprefix(OF_FILE))
    return kind, rest[0]


def describe(game: Game, argument: tuple[str, str]) -> Traits:
    """Describe the agent before it is made."""
    kind, player = argument
    file = kind.removeprefix(OF_FILE) if kind.startswith(OF_FILE) else None
    own = Traits(files_of(file), microseconds=1)
    if kind == VALUE:
        own = Traits(microseconds=500)
    return own | traits_of(game, player)


@described(describe, reads=read, plays=("bid.safetensors", "bids:net={}:rule"))
def make_bids(game: Game, seed: int, argument: tuple[str, str]) -> BiddingAgent:
    """Make the agent `bids:KIND:AGENT`, such as `bids:logic:greedy`.

    The kind `value` bids by the network of the agent `value-net`.

    The kind `net` bids by the win probabilities of the package's bid network (`network.py`). The
    kind `net=FILE` takes another network, as in `bids:net=runs/bids/bid.safetensors:greedy`. FILE
    is the network, or a folder with `bid.safetensors`. A name with a colon must be quoted.

    Raises:
        InputError: The kind or the agent is missing or unknown, or the game has no bidding.
    """
    kind, player = argument
    if kind == NET or kind.startswith(OF_FILE):
        from closedhand.agents.doudizhu.bidding.network import BidNetAgent

        path = None if kind == NET else kind.removeprefix(OF_FILE)
        return BidNetAgent(game, path, make_agent(game, player, seed))
    if kind == VALUE:
        from closedhand.agents.doudizhu.value_net.bidding import ValueBiddingAgent

        return ValueBiddingAgent(game, make_agent(game, player, seed))
    return BiddingAgent(game, kind, make_agent(game, player, seed))
