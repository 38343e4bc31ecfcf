"""The parameters of kou, and the variants that its paper tried."""

from typing import Any, NamedTuple

from closedhand.core.game import InputError
from closedhand.core.options import Option, Options

WEAKEST, WEAKEST_SINGLE = 1, 2
"""Values of `Numbers.lead`."""


class Numbers(NamedTuple):
    """The parameters of kou; where the paper states a value, the default is the paper's.

    Attributes:
        threshold: Least strength of a strong play.
        eight: Strength of a play with an 8.
        sure: Strength of a play that nobody can beat; others have less.
        least: Minimum strength; also that of the joker while the 3s is unseen.
        stronger_rank: Deduction for each rank with a stronger single or, with two players left, a
            stronger group.
        unseen_joker: Deduction for a single while the joker is unseen.
        group_0: Deduction for each rank with a stronger group, if the number of the rank's unseen
            cards, minus the size of the group, plus the number of players who are out is at most 0.
        group_1: The same deduction if that sum is 1.
        group_2: The same deduction if that sum is 2.
        group_3: The same deduction if that sum is 3 or more.
        joker_group: Deduction for each rank with a stronger group that needs the joker.
        stronger_kaidan: Deduction for each stronger kaidan, times the number of players who are out
            plus one.
        joker_kaidan: Deduction for each stronger kaidan that needs the joker.
        last_kaidan: Deduction for each stronger kaidan with two players left.
        weak: Strength up to which a play adds 2 to the weakness of the hand.
        middling: Strength up to which it adds 1.
        strong: Strength up to which it adds 0; above it, it adds -1.
        weakness_of_joker: Weakness that a lone joker adds.
        lead_eight_kaidan: Priority of leading a kaidan with an 8.
        lead_joker: Priority of leading the lone joker.
        lead_weak: Base priority of leading a weak play.
        lead_rank: Addition to it for each place of the play's rank, 1 for the strongest rank.
        lead_strong: Base priority of leading a strong play; the strength is subtracted.
        lead: 0: lead by priority, 1: always the weakest play, 2: always the weakest single.
        lock: When to start a lock: 0: where it is wanted, -1: never, 1: whenever it is possible.
        unwanted_lock: 1 to treat a play that starts an unwanted lock like any other, 0 to play it
            only if it is strong.
        reserve: 1 to hold back strong plays and consider the weakness of the hand, 0 not to.
        hold_rise: Least rise of the weakness for which a strong play is held back.
        hold_plays: Least number of remaining plays for which, together with `hold_weakness`, a
            strong play is held back.
        hold_weakness: Least remaining weakness for which, together with `hold_plays`, a strong play
            is held back.
        keep_weakness: Least remaining weakness for which a single with a strength from `keep_from`
            to `keep_to` is held back.
        keep_from: Least strength of such a single.
        keep_to: Greatest strength of such a single.
        give_weakness: Price, per point of weakness of the remaining hand, of giving a card away in
            the exchange; the card's rank, 0 to 11, and the surcharges below are added.
        give_eight: Surcharge for an 8.
        give_ace: Surcharge for an A.
        give_king: Surcharge for a K.
        give_three: Surcharge for a 3.
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


OPTIONS = Options("kou", *(Option(name, None, kind=int) for name in Numbers._fields))
"""The parameters as options of the agent; none: the value of the variant."""

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
    """Parse the parameters of a variant: `w80`, `threshold=93`, or several separated by commas.

    Args:
        argument: The variants; None: the paper's kou.
        **numbers: Some of `Numbers`, which take precedence over those of the argument.

    Raises:
        InputError: There is no such variant or number.
    """
    values: dict[str, Any] = {}
    for part in argument.split(",") if argument else ():
        name, _, value = part.partition("=")
        if part in VARIANTS:
            values |= VARIANTS[part]
        elif name in OPTIONS:
            values |= OPTIONS.read({name: value})
        else:
            names = ", ".join([*VARIANTS, *(f"{name}=NUMBER" for name in Numbers._fields)])
            raise InputError(f"kou has no variant {part!r}; it has {names}")
    values |= OPTIONS.read(numbers)
    return Numbers(**{name: value for name, value in values.items() if value is not None})
