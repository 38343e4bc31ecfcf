"""The command `deals`: fixed deals to be published and played again."""

import typer

from closedhand.cli import common
from closedhand.core.file_kinds import DEALS


def deals(
    game: common.GameName,
    out: common.PathOption,
    number: common.Number = 1000,
    seed: common.Seed = 0,
    rules: common.Rules = None,
    option: common.Options = None,
    as_json: common.Json = False,
) -> None:
    """Write deals to a file, which `match --deals FILE` plays.

    They are the deals of a match with this seed; of Daihinmin, which is always played in leagues,
    those of a duplicate league. The digest of the file stands in the results of every match on it.

    Example: closedhand deals doudizhu --number 1000 --out runs/deals.txt

    Options:
        out: File to write, one deal a line.
        number: Number of deals.
    """
    from closedhand.arena import league
    from closedhand.core.deals import write_deals
    from closedhand.core.registry import spec_of

    if spec_of(game).league:
        given = common.given_options(game, rules, option)
        bound = league.bind(game, given, number, duplicate=True)
    else:
        bound = common.bind(game, rules, option)
    common.claim_files((out, DEALS))
    digest = write_deals(out, bound, number, seed)
    if as_json:
        about = {"game": bound.name, "deals": number, "seed": seed, "deals_digest": digest}
        common.print_json(about)
    else:
        typer.echo(f"saved {number:,} deals as {out}, digest {digest}")
