"""The rules of Kuhn poker in words."""

from closedhand.authoring import RuleSection

RULEBOOK = {
    "en": (
        RuleSection(
            "The aim",
            (
                "Two players put in 1 chip and get one of three cards. Pass, or bet 1 chip; "
                "against a bet a pass folds and a bet calls. Otherwise the higher card wins.",
            ),
            (("ranks, from low to high", "J Q K"),),
        ),
    )
}
