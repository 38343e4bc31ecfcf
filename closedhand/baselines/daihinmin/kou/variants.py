"""The numbers of kou, and the variants of it that its paper tried."""

from typing import NamedTuple

from closedhand.core.agents import whole_number
from closedhand.core.game import InputError

WEAKEST, WEAKEST_SINGLE = 1, 2
"""Values of `Numbers.lead`."""


class Numbers(NamedTuple):
    """The numbers of kou, all of them the paper's that it states.

    Attributes:
        threshold: Strength from which on a play is strong.
        eight: Strength of a play with an 8.
        sure: Strength of a play that nobody can beat; others have less.
        least: The least strength, also of a joker while 3s is unseen.
        stronger_rank: Less for each rank with a stronger single, or group of two players left.
        unseen_joker: Less for a single while the joker is unseen.
        group_0: Less for each rank with a stronger group, where the rank's unseen cards, less those
            of the group, and the players who are out make 0 or less,
        group_1: 1,
        group_2: 2,
        group_3: or more.
        joker_group: Less for each rank with a stronger group that needs the joker.
        stronger_kaidan: Less for each stronger kaidan, times players who are out plus one.
        joker_kaidan: Less for each stronger kaidan that needs the joker.
        last_kaidan: Less for each stronger kaidan, with two players left.
        weak: Strength up to which a play adds 2 to the weakness of the hand.
        middling: Strength up to which it adds 1.
        strong: Strength up to which it adds 0, and above which -1.
        weakness_of_joker: What a lone joker adds.
        lead_eight_kaidan: Priority of a kaidan with an 8.
        lead_joker: Priority of the lone joker.
        lead_weak: Priority of weak plays, plus
        lead_rank: times the place of its rank, 1 for the strongest.
        lead_strong: Priority of strong plays, less the strength.
        lead: 0 by priority, 1 the weakest play always, 2 the weakest single always.
        lock: 0 where it is wanted, -1 never, 1 whenever it is possible.
        unwanted_lock: 1 to play what begins a lock that is not wanted like anything else, 0 not to.
        reserve: 1 to keep strong plays and weigh the weakness of the hand, 0 not to.
        hold_rise: A strong play is kept that adds so much to the weakness, or
        hold_plays: that leaves so many plays
        hold_weakness: with so much weakness.
        keep_weakness: A single is kept that leaves so much weakness
        keep_from: and has a strength from this
        keep_to: to this.
        give_weakness: Price of the weakness that a card leaves when it is given away; with its
            rank, 0 to 11, and surcharges
        give_eight: for an 8,
        give_ace: an A,
        give_king: a K
        give_three: or a 3.
    """

    threshold: int = 95
    eight: int = 101
    sure: int = 100
    least: int = 1
    stronger_rank: int = 30
    unseen_joker: int = 1
    group_0: int = 4
    group_1: int = 9
    group_2: int = 15
    group_3: int = 24
    joker_group: int = 1
    stronger_kaidan: int = 1
    joker_kaidan: int = 1
    last_kaidan: int = 15
    weak: int = 30
    middling: int = 60
    strong: int = 90
    weakness_of_joker: int = -2
    lead_eight_kaidan: int = 9
    lead_joker: int = 3
    lead_weak: int = 20
    lead_rank: int = 2
    lead_strong: int = 110
    lead: int = 0
    lock: int = 0
    unwanted_lock: int = 1
    reserve: int = 1
    hold_rise: int = 2
    hold_plays: int = 4
    hold_weakness: int = 5
    keep_weakness: int = 4
    keep_from: int = 40
    keep_to: int = 70
    give_weakness: int = 10
    give_eight: int = 30
    give_ace: int = 30
    give_king: int = 15
    give_three: int = 5


VARIANTS = {
    "w100": {"threshold": 100},
    "w90": {"threshold": 90},
    "w80": {"threshold": 80},
    "lock-": {"lock": -1},
    "lock+": {"lock": 1},
    "weak": {"lead": WEAKEST},
    "single": {"lead": WEAKEST_SINGLE},
    "use_2": {"reserve": 0},
}
"""The paper's variants (section 5.3)."""


def parse(argument: str | None, **numbers: int) -> Numbers:
    """The numbers of a variant: `w80`, `threshold=93`, several with commas between them.

    Args:
        argument: The variants; None: the paper's kou.
        **numbers: Some of `Numbers`, which come before those of the argument.

    Raises:
        InputError: There is no such variant or number.
    """
    values: dict[str, int] = {}
    for part in argument.split(",") if argument else ():
        name, _, value = part.partition("=")
        if part in VARIANTS:
            values |= VARIANTS[part]
        elif name in Numbers._fields and value.removeprefix("-").isdecimal():
            values[name] = int(value)
        else:
            names = ", ".join([*VARIANTS, *(f"{name}=NUMBER" for name in Numbers._fields)])
            raise InputError(f"kou has no variant {part!r}; it has {names}")
    for name, value in numbers.items():
        if name not in Numbers._fields:
            raise InputError(f"kou has no option {name!r}; it has {', '.join(Numbers._fields)}")
        values[name] = whole_number("kou", name, value)
    return Numbers(**values)
